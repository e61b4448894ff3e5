import { durationText, type Unit } from '../../config/model/units.ts'
import type {
  Accepts,
  Bound,
  CanaryRules,
  Condition,
  Label,
  Meter,
  Mirror,
  Model,
  Passthrough,
  Plan,
  Price,
  Route,
  TrafficShare,
  Upgrade,
} from '../../policy/config.ts'
import type { NoticeRule } from '../../policy/limits/notice-rule.ts'
import { isIdle, type LimitRule } from '../../policy/limits/rule.ts'
import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import { mostBytes } from '../../policy/price.ts'
import { factorText } from '../../policy/traffic/canary.ts'
import { shareText } from '../../policy/traffic/share.ts'

export const shownPlan = ({ models, tools, limits, rules, monthlyNanoUsd, overage, ...plan }: Plan): Section => ({
  models: [...models.keys()],
  ...(tools.size > 0 && { tools: [...tools.keys()] }),
  ...Object.fromEntries(limits.map(({ name, most }) => [name, most])),
  monthly_usd: shownUsd(monthlyNanoUsd),
  ...(rules.length > 0 && { limits: rules.map(({ rule }) => shownRule(rule)) }),
  overage: typeof overage === 'object' ? { cap_usd: shownUsd(overage.capNanoUsd) } : overage,
  ...(plan.priority !== undefined && { priority: plan.priority }),
  ...(plan.weight !== undefined && { weight: plan.weight }),
  ...(plan.commit && { commit: plan.commit }),
})

/** A label as files have it. */
export const shownLabel = ({ ofKey, header, values, requiredBy }: Label): Section => ({
  from: [...(ofKey ? ['key'] : []), ...(header === undefined ? [] : [`header ${header}`])],
  ...(values && { values }),
  ...(requiredBy.size > 0 && { required: [...requiredBy].map(plan => `plan:${plan}`) }),
})

/** A notice as files have it. */
export const shownNotice = ({ at, of, on, to }: NoticeRule): Section => ({
  ...(of.length > 0 && { at: at.map(percent => `${percent}%`), of }),
  ...(on && { on }),
  to,
})

/** A limit as a row of `limits`. */
export const shownRule = ({ measure, most, per, of, model, lastTurn, warn }: LimitRule): Section => ({
  [measure]: measure === 'usd' ? shownUsd(nanoUsd(most)) : most,
  ...(per !== undefined && (isIdle(per) ? { idle: per.slice('idle:'.length) } : { per })),
  ...(of !== undefined && { of }),
  ...(model !== undefined && { model }),
  ...(lastTurn !== undefined && { last_turn: lastTurn }),
  ...(warn !== undefined && { warn: `append at ${warn}%` }),
})

/** A model as files have it: to write a `max_output` that none of them has would lower the caps of clients. */
export function writtenModel(model: Model): Section {
  const { max_output: _, ...written } = shownModel(model)
  return model.kind === 'chat' && !model.capsOutput ? written : shownModel(model)
}

export function shownModel(model: Model): Section {
  const { kind, tier } = model
  const common = { kind, tier, serve: shownServe(model) }
  switch (model.kind) {
    case 'chat':
      return {
        ...common,
        context: model.context,
        max_output: model.maxOutput,
        vision: model.vision,
        ...(model.vision && { image_tokens: model.imageTokens }),
        ...(model.thinking && {
          thinking: { default: model.thinking.default, min_max_tokens: model.thinking.minMaxTokens },
        }),
        ...shownAccepts(model.accepts),
        usd_per_1m: shownPrices(model.price),
        commit: model.commit,
        lossy: model.lossy,
        ...(model.mirror && { mirror: shownMirror(model.mirror) }),
      }
    case 'embedding':
      return {
        ...common,
        context: model.context,
        dimensions: model.anyDimensions ? { native: model.dimensions, any: true } : model.dimensions,
        ...(model.tokenIds && { token_ids: true }),
        ...shownAccepts(model.accepts),
        usd_per_1m: { input: shownPrice(model.price.input) },
      }
    case 'image':
      return {
        ...common,
        ...shownAccepts(model.accepts),
        usd_per_image: Object.fromEntries([...model.sizes].map(([size, nano]) => [size, shownUsd(nano)])),
      }
    case 'passthrough':
      return { ...common, ...(model.price && { usd_per_1m: shownPrices(model.price) }) }
  }
}

/** The pools of a model, those with a share with it. */
const shownServe = ({ serve, traffic = [] }: Model): readonly unknown[] =>
  serve.map(pool => {
    const share = traffic.find(each => each.pool === pool)
    return share ? shownShare(share) : pool.name
  })

const shownShare = ({ pool, millionths, canary }: TrafficShare): Section => ({
  pool: pool.name,
  share: shareText(millionths),
  ...(canary && { canary: { stop_when: shownCanary(canary) } }),
})

const shownMirror = ({ to, millionths, maxNanoUsdPerDay: most, acrossSites }: Mirror): Section => ({
  to: to.name,
  sample: shareText(millionths),
  ...(most !== undefined && { max_usd_per_day: shownUsd(most) }),
  across_sites: acrossSites,
})

const shownCanary = ({ errorsOver, firstTokenP95Over, against, after }: CanaryRules): Section => ({
  ...(errorsOver !== undefined && { errors_over: shareText(errorsOver) }),
  ...(firstTokenP95Over !== undefined && { first_token_p95_over: factorText(firstTokenP95Over) }),
  against,
  after,
})

const shownAccepts = (accepts?: Accepts): Section =>
  accepts ? { accepts: Object.fromEntries([...accepts].map(([field, bound]) => [field, shownBound(bound)])) } : {}

function shownBound(bound: Bound): Section {
  switch (bound.is) {
    case 'number':
      return { min: bound.min, max: bound.max }
    case 'one_of':
      return { one_of: bound.words }
    case 'text':
      return { max_length: bound.max }
    case 'boolean':
      return { boolean: true }
    case 'json':
      return { max_size: shownSize(bound.max) }
  }
}

/** `max_body` only where something is streamed: elsewhere it would be refused. */
export const shownPassthrough = ({ name, methods, model, accepts, maxBody, meter, upgrade }: Passthrough): Section => ({
  path: name,
  methods,
  model: model.name,
  ...(methods.includes('POST') && { accepts }),
  ...(accepts.some(form => form !== 'json') && { max_body: Math.min(maxBody, mostBytes(meter)) }),
  ...(upgrade && shownUpgrade(upgrade)),
  meter: shownMeter(meter),
})

const shownUpgrade = ({ maxSession, idleTimeout, maxMessage }: Upgrade): Section => ({
  upgrade: 'websocket',
  max_session: durationText(maxSession),
  idle_timeout: durationText(idleTimeout),
  max_message: shownSize(maxMessage),
})

function shownMeter(meter: Meter): Section {
  switch (meter.by) {
    case 'call':
      return { usd_per_call: shownUsd(meter.price) }
    case 'second':
      return { usd_per_second: shownUsd(meter.price), max_seconds: meter.max }
    case 'mb':
      return { usd_per_mb: shownUsd(meter.price), max_mb: meter.max }
    case 'usage':
      return { usage: { max_input: meter.input, max_output: meter.output } }
  }
}

export const shownRoute = ({ name, when, model }: Route): Section => ({ name, when: whenOf(when), use: model.name })

/** A condition in its written form. */
function whenOf(condition: Condition): Section {
  switch (condition.is) {
    case 'all':
      return condition.of.map(whenOf).reduce(united, {})
    case 'any':
      return { any: condition.of.map(whenOf) }
    case 'not':
      return { not: whenOf(condition.of) }
    case 'signal':
      return matcherOf(condition.matcher)
    case 'has_tools':
    case 'has_images':
      return { [condition.is]: condition.value }
    case 'plan':
    case 'alias':
      return { [condition.is]: condition.names }
    case 'input_tokens':
    case 'hour':
    case 'weekday': {
      const { is, ...fields } = condition
      return { [is]: fields }
    }
  }
}

/** Several headers share one field. */
const united = (one: Section, other: Section): Section => ({
  ...one,
  ...other,
  ...(one.header && other.header ? { header: { ...one.header, ...other.header } } : {}),
})

function matcherOf(matcher: Extract<Condition, { is: 'signal' }>['matcher']): Section {
  if (matcher.kind === 'mentions') return { mentions: matcher.phrases }
  return matcher.kind === 'matches' ? { matches: matcher.pattern } : { header: { [matcher.header]: matcher.values } }
}

/** Fields as the main file of a configuration has them. */
export type Section = Readonly<Record<string, unknown>>

/** Replaces a secret. */
export const COVERED = '[redacted]'

/** Nano-USD for 1,000 tokens as US dollars for a million, as files have it. */
export const shownPrice = (nano: NanoUsd): number => nano / 1e6

export const shownPrices = ({ input, output, cachedInput, cacheWrite, cacheWrite1h }: Price): Section => ({
  input: shownPrice(input),
  output: shownPrice(output),
  ...(cachedInput !== undefined && { cached_input: shownPrice(cachedInput) }),
  ...(cacheWrite !== undefined && { cache_write: shownWrites(cacheWrite, cacheWrite1h) }),
})

const shownWrites = (short: NanoUsd, long: NanoUsd | undefined): number | Section =>
  long === undefined ? shownPrice(short) : { '5m': shownPrice(short), '1h': shownPrice(long) }

/** The value of each unit, as files have it. */
export const SHOWN: Readonly<Record<Unit['kind'], (value: number) => unknown>> = {
  count: value => value,
  duration: durationText,
  size: shownSize,
  usd: value => shownUsd(nanoUsd(value)),
  price: value => shownPrice(nanoUsd(value)),
  share: value => value / 1e6,
  percent: value => `${value / 1e4}%`,
  factor: value => `${value / 1e6}x`,
}

/** Nano-USD as US dollars. */
export const shownUsd = (nano: NanoUsd): number => nano / 1e9

/** Bytes in the largest unit that says them whole: `10MB`. */
export function shownSize(bytes: number): string | number {
  if (bytes % 1e6 === 0) return `${bytes / 1e6}MB`
  return bytes % 1e3 === 0 ? `${bytes / 1e3}KB` : bytes
}
