import { DEFAULTS } from './defaults.ts'
import type { ConfigFile, ModelSection, PlanSection, PoolSection } from './file.ts'
import { address, isLoopback } from './formats.ts'
import type { Problem } from './problem.ts'
import type { Report } from './source.ts'
import { type MapNode, type Node, nodeAt, type Path, shown } from './tree.ts'
import type { Union } from './unite.ts'
import { unitOf } from './units.ts'

/** The least tokens a request of any use takes: 16 of output, 16 for its message, and a word. */
const LEAST_REQUEST = 16 + 16 + 1
/** The openai SDK gives up after as long. */
const SDK_TIMEOUT_MS = 600_000
/** `n` goes up to 4, so that a request may cost four times its output. */
const MOST_CHOICES = 4

/** Reports at a path below a node, or at the node when the path leads nowhere. */
type Say = (path: Path, severity: Problem['severity'], rule: string, message: string, hint: string) => void

/** Reports what the schema allows and what still cannot work, or is hardly meant. */
export function lint(union: Union, report: Report): void {
  for (const { name, at } of union.aliases.values()) {
    if (!union.models.has(name)) continue
    const message = `alias \`${name}\` is named like a model`
    const hint = 'rename the alias: clients could not tell them apart'
    report({ ...at, rule: 'alias-shadows-model', severity: 'error', message, hint })
  }
  for (const { name, node, data } of union.plans.values()) if (data) lintPlan(name, data, sayer(node, report))
  for (const { name, node, data } of union.models.values()) if (data) lintModel(name, data, sayer(node, report))
  for (const { name, node, data } of union.pools.values()) if (data) lintPool(name, data, node, sayer(node, report))
}

const sayer =
  (node: Node, report: Report): Say =>
  (path, severity, rule, message, hint) =>
    report({ ...(nodeAt(node, path) ?? node).span, severity, rule, message, hint })

function lintPlan(name: string, { tpm }: PlanSection, say: Say): void {
  if (unitOf('count', tpm) >= LEAST_REQUEST) return
  const message = `plan \`${name}\` allows fewer tokens in a minute than any request needs`
  say(['tpm'], 'error', 'tpm-too-small', message, `the smallest useful request takes ${LEAST_REQUEST}`)
}

function lintModel(name: string, model: ModelSection, say: Say): void {
  const context = unitOf('count', model.context)
  const maxOutput = unitOf('count', model.max_output ?? DEFAULTS.maxOutput)
  if (maxOutput >= context) {
    const where = model.max_output === undefined ? 'context' : 'max_output'
    const message = `model \`${name}\` leaves no room for a prompt: max_output ${maxOutput} of context ${context}`
    say([where], 'error', 'no-room-for-prompt', message, 'max_output must be smaller than context')
  }
  if (model.image_tokens !== undefined && !model.vision) {
    const message = `model \`${name}\` has \`image_tokens\`, but no \`vision\``
    say(['image_tokens'], 'error', 'needs-vision', message, 'add `vision: true`, or remove it')
  }
  lintThinking(name, model, Math.min(maxOutput, context), say)
  lintPrice(model, context, say)
}

function lintThinking(name: string, { thinking }: ModelSection, most: number, say: Say): void {
  if (!thinking || unitOf('count', thinking.min_max_tokens) <= most) return
  const message = `model \`${name}\` wants more tokens for thinking than it may put out`
  say(['thinking', 'min_max_tokens'], 'error', 'thinking-too-large', message, `max_output and context allow ${most}`)
}

function lintPrice({ usd_per_1m: price }: ModelSection, context: number, say: Say): void {
  for (const side of ['input', 'output'] as const) {
    const nano = unitOf('price', price[side])
    const path = ['usd_per_1m', side]
    if (context * MOST_CHOICES * nano > Number.MAX_SAFE_INTEGER) {
      say(
        path,
        'error',
        'cost-too-large',
        'a full context at this price is more than the ledger can count',
        'lower it, or `context`',
      )
    } else if (nano > 200_000_000) {
      say(
        path,
        'warning',
        'price-high',
        'more than 200 USD for a million tokens',
        'is this a price for a thousand tokens?',
      )
    } else if (nano > 0 && nano < 100) {
      say(
        path,
        'warning',
        'price-low',
        'less than 0.0001 USD for a million tokens',
        'is this a price for a single token?',
      )
    }
  }
}

function lintPool(name: string, pool: PoolSection, node: Node, say: Say): void {
  lintFirstContent(pool.first_content_timeout, ['first_content_timeout'], say)
  const seen = new Set<string>()
  for (const [index, url] of pool.replicas.entries()) {
    const base = url.replace(/\/+$/, '')
    if (seen.has(base)) {
      const message = `\`${shown(nodeAt(node, ['replicas', index]))}\` stands twice in \`replicas\``
      say(
        ['replicas', index],
        'error',
        'duplicate-entry',
        message,
        `pool \`${name}\` would send to it twice as often: remove one`,
      )
    }
    seen.add(base)
  }
}

function lintFirstContent(written: string | undefined, path: Path, say: Say): void {
  if (written === undefined || unitOf('duration', written) <= SDK_TIMEOUT_MS) return
  say(path, 'warning', 'timeout-too-long', 'stock SDKs give up after 600s', 'clients will have left before this passes')
}

/** The same for the sections of the main file. */
export function lintProcess(root: MapNode, data: ConfigFile, report: Report): void {
  const say = sayer(root, report)
  lintFirstContent(data.failover?.first_content_timeout, ['failover', 'first_content_timeout'], say)
  const { public_url: publicUrl, listen, admin } = data.server ?? {}
  if (publicUrl?.startsWith('http:') && !isLoopback(new URL(publicUrl).hostname)) {
    const hint = 'keys travel in clear text: use https://'
    say(['server', 'public_url'], 'warning', 'plain-http', 'clients reach the gateway without TLS', hint)
  }
  const clients = address.read(listen ?? DEFAULTS.listen)
  const operators = address.read(admin ?? DEFAULTS.admin)
  if (operators && !isLoopback(operators.host)) {
    const hint = 'set SVCCTL_TOKEN, and let only operators reach it'
    say(['server', 'admin'], 'warning', 'admin-exposed', 'the admin listener is not on a loopback address', hint)
  }
  if (
    clients &&
    operators &&
    clients.port !== 0 &&
    clients.port === operators.port &&
    overlap(clients.host, operators.host)
  ) {
    const where = admin === undefined ? 'listen' : 'admin'
    say(
      ['server', where],
      'error',
      'same-address',
      '`listen` and `admin` are the same address',
      'give `admin` another port',
    )
  }
}

const overlap = (one: string, other: string): boolean =>
  one === other ||
  [one, other].some(host => host === '0.0.0.0' || host === '::') ||
  (isLoopback(one) && isLoopback(other))
