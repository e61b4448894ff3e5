import { heldPrice } from '../../policy/price.ts'
import type { MeterSection, PassthroughSection } from '../file.ts'
import { servedNames } from '../model/served.ts'
import { unitOf } from '../model/units.ts'
import type { Report, Say } from '../problem.ts'
import type { Declaration, MergedFiles } from '../read/merge.ts'
import { pricesOf, type WrittenPrices } from '../resolve/prices.ts'
import { planIncludes, sayer } from './lint.ts'

type Sound = Declaration<PassthroughSection> & { readonly data: PassthroughSection }

/** Reports what cannot work, or is hardly meant, of pass-through routes, their models and pools. */
export function lintPassthrough(merged: MergedFiles, report: Report): void {
  for (const route of merged.passthrough.values()) {
    if (route.data === undefined) continue
    const sound = { ...route, data: route.data }
    const say = sayer(route.node, report)
    lintForm(sound, say)
    lintUpgrade(sound, say)
    if (lintMeter(sound.data.meter, sound.data, say)) lintModel(sound, merged, say, report)
  }
}

/** Which requests it takes. */
function lintForm({ name, data }: Sound, say: Say): void {
  const { methods, accepts = ['json'], max_body: maxBody } = data
  if (isOwnPath(name))
    say(['path'], 'error', 'path-taken', `the gateway serves \`${name}\` itself`, 'take another path')
  if (data.accepts && !methods.includes('POST')) {
    const message = `\`${name}\` accepts bodies, but has no \`POST\``
    say(['accepts'], 'error', 'needs-post', message, 'add `POST` to `methods`, or remove it')
  }
  if (maxBody !== undefined && !accepts.some(form => form !== 'json')) {
    const message = `\`${name}\` has \`max_body\`, but accepts only JSON, which is not streamed`
    say(
      ['max_body'],
      'error',
      'needs-stream',
      message,
      'JSON is bounded by `limits.body`: remove it, or change `accepts`',
    )
  }
}

const OF_UPGRADES = ['max_session', 'idle_timeout', 'max_message'] as const

/** True if it declares WebSocket. */
function lintUpgrade({ name, data }: Sound, say: Say): void {
  const { methods, upgrade } = data
  if (upgrade && methods.includes('POST')) {
    const message = `\`${name}\` is a WebSocket, which is opened with \`GET\``
    say(['methods'], 'error', 'needs-get', message, 'set `methods` to [GET], and use another path for `POST`')
  }
  for (const field of OF_UPGRADES) {
    if (upgrade || data[field] === undefined) continue
    const message = `\`${name}\` has \`${field}\`, but is not a WebSocket`
    say([field], 'error', 'needs-upgrade', message, 'add `upgrade: websocket`, or remove it')
  }
}

const PRICES = ['usd_per_call', 'usd_per_second', 'usd_per_mb', 'usage'] as const
/** The bound of each price, which must be held before the cost is known. */
const BOUNDS = { usd_per_second: 'max_seconds', usd_per_mb: 'max_mb' } as const

/** Whether it measures one thing, and may be held. */
function lintMeter(meter: MeterSection, { max_body: maxBody }: PassthroughSection, say: Say): boolean {
  const [first, second] = PRICES.filter(price => meter[price] !== undefined)
  if (first === undefined) {
    const known = PRICES.map(price => `\`${price}\``).join(', ')
    say(['meter'], 'error', 'no-meter', '`meter` has no price', `add one of ${known}`)
    return false
  }
  if (second !== undefined) {
    say(
      ['meter', second],
      'error',
      'two-meters',
      `\`meter\` has both \`${first}\` and \`${second}\``,
      'keep one of them',
    )
    return false
  }
  let isSound = true
  for (const price of ['usd_per_second', 'usd_per_mb'] as const) {
    const bound = BOUNDS[price]
    const [has, hasBound] = [meter[price] !== undefined, meter[bound] !== undefined]
    if (has === hasBound) continue
    isSound = false
    const [there, lacking] = has ? [price, bound] : [bound, price]
    say(
      ['meter', there],
      'error',
      'needs-bound',
      `\`meter\` has \`${there}\`, but no \`${lacking}\``,
      `add \`${lacking}\``,
    )
  }
  if (
    meter.max_mb !== undefined &&
    maxBody !== undefined &&
    unitOf('size', maxBody) > unitOf('count', meter.max_mb) * 1e6
  ) {
    say(
      ['max_body'],
      'error',
      'body-above-meter',
      'no body can be that large: `max_mb` ends it earlier',
      'lower it, or raise `max_mb`',
    )
    isSound = false
  }
  if (unitOf('usd', meter.usd_per_call ?? 0) > 10_000_000_000)
    say(
      ['meter', 'usd_per_call'],
      'warning',
      'price-high',
      'more than 10 USD for a call',
      'is this a price for a thousand calls?',
    )
  return isSound
}

function lintModel(route: Sound, merged: MergedFiles, say: Say, report: Report): void {
  const { name, data } = route
  const model = merged.models.get(data.model)
  if (!model?.data) return
  if (model.data.kind !== 'passthrough') {
    const message = `\`${name}\` is served by \`${data.model}\`, a model of kind \`${model.data.kind}\``
    say(['model'], 'error', 'not-passthrough', message, 'choose a model of kind `passthrough`')
    return
  }
  const { usage } = data.meter
  const prices = model.data.usd_per_1m
  if (usage && !prices) {
    const message = `\`${name}\` is charged by usage, but model \`${data.model}\` has no \`usd_per_1m\``
    say(['meter', 'usage'], 'error', 'needs-price', message, 'add it to the model')
    return
  }
  if (!usage)
    for (const pool of servedNames(model.data.serve)) {
      const guarded = merged.pools.get(pool)
      if (guarded?.data?.max_usd_per_hour === undefined) continue
      const message = `pool \`${pool}\` has an hourly cap, but the cost of a request to \`${name}\` is unknown`
      const hint = 'serve the model with another pool, or remove `max_usd_per_hour`'
      sayer(guarded.node, report)(['max_usd_per_hour'], 'error', 'needs-cost', message, hint)
    }
  lintPlans(route, worstOf(data.meter, prices), merged, report)
}

interface Worst {
  readonly cost: number
  readonly tokens: number
}

type Prices = WrittenPrices | undefined

/** The most that one request can hold. */
function worstOf({ usage, ...meter }: MeterSection, prices: Prices): Worst {
  const usd = (price: string | number | undefined) => unitOf('usd', price ?? 0)
  const count = (most: string | number | undefined) => unitOf('count', most ?? 0)
  if (!usage || !prices) {
    const { usd_per_second: second, max_seconds: seconds, usd_per_mb: mb, max_mb: mbs } = meter
    return { cost: usd(meter.usd_per_call) + usd(second) * count(seconds) + usd(mb) * count(mbs), tokens: 0 }
  }
  const [input, output] = [count(usage.max_input), count(usage.max_output)]
  const price = heldPrice(pricesOf(prices))
  const cost = (input * price.input + output * price.output) / 1000
  return { cost, tokens: input + output }
}

/** All that a request may take is held when it is admitted. */
function lintPlans(
  { name, data }: Sound,
  { cost, tokens }: Worst,
  { plans, models }: MergedFiles,
  report: Report,
): void {
  const model = models.get(data.model)
  for (const { data: plan, node, name: slug } of plans.values()) {
    if (!plan || !model || !planIncludes(plan, model)) continue
    const say = sayer(node, report)
    const cap = typeof plan.overage === 'object' ? unitOf('usd', plan.overage.cap_usd) : 0
    const month = plan.overage === true ? Number.POSITIVE_INFINITY : unitOf('usd', plan.monthly_usd) + cap
    if (cost > month) {
      const message = `plan \`${slug}\` can never pay for \`${name}\`: up to ${cost / 1e9} USD are reserved, and a month has ${month / 1e9}`
      say(['monthly_usd'], 'error', 'route-too-dear', message, 'raise it, or lower what the `meter` reserves')
    }
    if (tokens > unitOf('count', plan.tpm)) {
      const message = `plan \`${slug}\` has fewer tokens in a minute than \`${name}\` reserves: ${tokens}`
      say(['tpm'], 'error', 'tpm-too-small', message, 'raise it, or lower `max_input` and `max_output` of the `meter`')
    }
  }
}

/** Reports what no route uses. Only of use when every route is in order. */
export function checkPassthroughUse({ models, passthrough }: MergedFiles, report: Report): void {
  const routes = [...passthrough.values()].flatMap(({ data }) => data ?? [])
  for (const { name, node, at, data } of models.values()) {
    if (data?.kind !== 'passthrough') continue
    const own = routes.filter(({ model }) => model === name)
    if (own.length === 0) {
      const message = `no route of \`passthrough\` uses model \`${name}\``
      report({ ...at, rule: 'unused-model', severity: 'warning', message, hint: 'no client can use it: add a route' })
    } else if (data.usd_per_1m && own.every(({ meter }) => !meter.usage)) {
      const message = `no route of model \`${name}\` is charged by usage`
      sayer(node, report)(
        ['usd_per_1m'],
        'error',
        'unused-price',
        message,
        'remove it, or make `usage` the meter of a route',
      )
    }
  }
}

/** Paths below /v1 that the gateway serves itself; `{id}` stands for any segment. A test compares them with its table. */
const OWN_PATHS = [
  '/v1/chat/completions',
  '/v1/responses',
  '/v1/responses/input_tokens',
  '/v1/responses/{id}',
  '/v1/responses/{id}/input_items',
  '/v1/responses/{id}/cancel',
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/v1/embeddings',
  '/v1/images/generations',
  '/v1/models',
  '/v1/account',
  '/v1/models/{id}',
  '/v1/keys/developer',
  '/v1/keys/developer/rotate',
  '/v1/keys/developer/revoke',
  '/v1/keys/guest',
  '/v1/account',
  '/v1/account/join',
  '/v1/account/notices',
  '/v1/account/notices/confirm',
  '/v1/agent-tokens',
  '/v1/requests',
]

/** Whether the gateway serves a path itself, so that nothing can be passed through there. */
export const isOwnPath = (path: string): boolean => OWN_PATHS.some(own => fits(own.split('/'), path.split('/')))

const fits = (own: readonly string[], path: readonly string[]): boolean =>
  own.length === path.length && own.every((segment, at) => segment === '{id}' || segment === path[at])
