import { MOST_ANSWER_BYTES } from '../../policy/answer-bytes.ts'
import { ruleName } from '../../policy/limits/rule.ts'
import { DEFAULTS } from '../defaults.ts'
import type { ConfigFile, IdentitySection, LimitsSection, PlanSection, ServerSection } from '../file.ts'
import { address, baseUrl, isLoopback } from '../model/formats.ts'
import { store } from '../model/store-address.ts'
import { type MapNode, nodeAt, textsOf } from '../model/tree.ts'
import { unitOf } from '../model/units.ts'
import type { Report, Say } from '../problem.ts'
import type { Declaration, MergedFiles } from '../read/merge.ts'
import { limitsOf, rowsOf } from '../resolve/limits.ts'
import { includes, lintFirstContent, sayer } from './lint.ts'

/** Reports what cannot work, or is hardly meant, in the sections of the main file. */
export function lintProcess(
  root: MapNode,
  { failover, limits = {}, server = {}, store: written }: ConfigFile,
  report: Report,
): void {
  const say = sayer(root, report)
  lintFirstContent(failover?.first_content_timeout, ['failover', 'first_content_timeout'], say)
  const { public_url: publicUrl, instances } = server
  if (publicUrl?.startsWith('http:') && !isLoopback(new URL(publicUrl).hostname)) {
    const hint = 'keys and sign-ins travel in clear text: use https://'
    say(['server', 'public_url'], 'warning', 'plain-http', 'clients reach the gateway without TLS', hint)
  }
  // A store with a mistake may have been meant to be another one.
  const embedded = written === undefined ? !root.entries.has('store') : store.read(written)?.kind === 'embedded'
  if (embedded && instances !== undefined && unitOf('count', instances) > 1) {
    const message = 'an embedded store belongs to one process'
    const hint = 'write 1, or `store: redis://…`: each would count limits of its own'
    say(['server', 'instances'], 'error', 'embedded-instances', message, hint)
  }
  lintListeners(server, say)
  lintPatience(limits, say)
  lintBodyMemory(limits, server, say)
  lintAnswerMemory(limits, server, say)
}

/** Warns where a worker's share is too small. One account gets half of that, and must be able to send the largest body. */
function lintBodyMemory(
  { body = DEFAULTS.body, body_memory: memory }: LimitsSection,
  { workers = DEFAULTS.workers }: ServerSection,
  say: Say,
): void {
  const count = workers === 'auto' ? 1 : Number(workers)
  if (memory === undefined || unitOf('size', memory) >= 2 * unitOf('size', body) * count) return
  const message = `\`body_memory\` is less than twice \`body\`${count === 1 ? '' : ` for each of ${count} workers`}`
  const hint = `one account gets half of it, and a body may be ${body}`
  say(['limits', 'body_memory'], 'error', 'body-memory-too-small', message, hint)
}

/** Warns where a worker's share is too small for the largest answer. */
function lintAnswerMemory(
  { answer_memory: memory }: LimitsSection,
  { workers = DEFAULTS.workers }: ServerSection,
  say: Say,
): void {
  const count = workers === 'auto' ? 1 : Number(workers)
  if (memory === undefined || unitOf('size', memory) >= MOST_ANSWER_BYTES * count) return
  const message = `\`answer_memory\` is less than the largest answer${count === 1 ? '' : ` for each of ${count} workers`}`
  const hint = `a backend's answer may be ${Math.ceil(MOST_ANSWER_BYTES / 1_000_000)}MB`
  say(['limits', 'answer_memory'], 'error', 'answer-memory-too-small', message, hint)
}

/** Headers are a part of their request. */
function lintPatience(limits: LimitsSection, say: Say): void {
  const { headersTimeout, requestTimeout } = DEFAULTS
  const { headers_timeout: headers = headersTimeout, request_timeout: request = requestTimeout } = limits
  if (unitOf('duration', headers) <= unitOf('duration', request)) return
  const where = limits.headers_timeout === undefined ? 'request_timeout' : 'headers_timeout'
  const message = '`headers_timeout` is longer than `request_timeout`'
  const hint = `the headers are part of the request; the defaults are ${headersTimeout} and ${requestTimeout}`
  say(['limits', where], 'error', 'headers-outlast-request', message, hint)
}

function lintListeners({ listen, admin }: ServerSection, say: Say): void {
  const clients = address.read(listen ?? DEFAULTS.listen)
  const operators = address.read(admin ?? DEFAULTS.admin)
  if (!clients || !operators) return
  if (!isLoopback(operators.host)) {
    const hint = 'set SVCCTL_TOKEN or `server.admin_token`, and let only operators reach it'
    say(['server', 'admin'], 'warning', 'admin-exposed', 'the admin listener is not on a loopback address', hint)
  }
  if (clients.port !== 0 && clients.port === operators.port && overlap(clients.host, operators.host)) {
    const where = admin === undefined ? 'listen' : 'admin'
    const message = '`listen` and `admin` are the same address'
    say(['server', where], 'error', 'same-address', message, 'give `admin` another port')
  }
}

const overlap = (one: string, other: string): boolean =>
  one === other ||
  [one, other].some(host => host === '0.0.0.0' || host === '::') ||
  (isLoopback(one) && isLoopback(other))

/** Guests may use models of this tier only (docs/accounts.md). */
const GUEST_TIER = 'guest'

/** Reports what cannot work, or is hardly meant, of accounts, guests, and whose word is taken for where they call from. */
export function lintAccounts(root: MapNode, main: ConfigFile, merged: MergedFiles, report: Report): void {
  const say = sayer(root, report)
  lintProxies(root, say)
  lintAudience(root, main, say)
  lintConsole(main, say)
  lintOperators(main, say)
  lintIssuers(main, say)
  const { identity, guests } = main
  if (!guests) return
  if (identity?.default_plan === guests.plan) {
    const message = `\`${guests.plan}\` is the plan of guests, and of accounts too`
    const hint = "choose another plan for accounts: guests' limits count devices, and all devices together"
    say(['identity', 'default_plan'], 'error', 'default-plan-of-guests', message, hint)
  }
  const plan = merged.plans.get(guests.plan)
  if (plan?.data) lintGuestPlan(plan, plan.data, merged, report)
}

function lintGuestPlan(
  { name, at, node }: Declaration<PlanSection>,
  plan: PlanSection,
  { models }: MergedFiles,
  report: Report,
): void {
  const say = sayer(node, report)
  for (const [index, by] of [plan.models].flat().entries()) {
    const paid = [...models.values()].find(model => includes(by, model) && model.data?.tier !== GUEST_TIER)
    if (!paid?.data) continue
    const message = `plan \`${name}\` reaches \`${paid.name}\`, of tier \`${paid.data.tier}\``
    const path = typeof plan.models === 'string' ? ['models'] : ['models', index]
    say(path, 'error', 'guest-reaches-paid', message, 'guests have no account: include only `tier:guest`')
  }
  lintGuestLimits(name, plan, say)
  if (limitsOf(plan).some(({ name }) => name === 'per_day')) return
  const message = `plan \`${name}\` is for guests, but has no \`per_day\``
  const hint = 'add one, such as `per_day: 7200`, which guests see when they receive their key'
  report({ ...at, rule: 'guest-without-day-cap', severity: 'warning', message, hint })
}

/** A device has one key, and belongs to no organization. */
function lintGuestLimits(name: string, plan: PlanSection, say: Say): void {
  for (const { rule, place } of rowsOf(plan)) {
    if (rule.of !== 'key' && rule.of !== 'org') continue
    const message = `plan \`${name}\` is for guests, but limits ${ruleName(rule)}`
    const hint =
      rule.of === 'org' ? 'guests belong to no organization: remove it' : 'a device has one key: leave out `of`'
    say(['limits', place, 'of'], 'warning', 'limit-of-guests', message, hint)
  }
}

function lintProxies(root: MapNode, say: Say): void {
  for (const [index, { value }] of textsOf(nodeAt(root, ['server', 'trusted_proxies'])).entries()) {
    if (!value.endsWith('/0')) continue
    const hint = 'name the networks of your proxies: a trusted sender can claim any client address'
    say(['server', 'trusted_proxies', index], 'warning', 'trusts-everyone', `\`${value}\` matches every address`, hint)
  }
}

/** A client at the provider is for the console that this gateway serves. */
function lintConsole({ identity, server = {} }: ConfigFile, say: Say): void {
  if (identity?.console_client_id === undefined) return
  const [own, other] = [server.public_url, server.console_url].map(url => url && baseUrl.read(url))
  const isElsewhere = own && other && other !== `${own}/console`
  if (server.console !== false && !isElsewhere) return
  const why = isElsewhere ? '`server.console_url` sends people elsewhere' : '`server.console` is false'
  const hint = 'remove `console_client_id`, or serve the console'
  say(['identity', 'console_client_id'], 'warning', 'console-client-unused', `no console is served: ${why}`, hint)
}

/** A token has one issuer, and a name one entry; guests have no tokens. */
function lintIssuers({ identity, guests }: ConfigFile, say: Say): void {
  const issuers = identity?.issuers ?? []
  const seen = new Set([identity?.issuer])
  for (const [index, { issuer, accounts }] of issuers.entries()) {
    const at = ['identity', 'issuers', index]
    if (seen.has(issuer))
      say(
        [...at, 'issuer'],
        'error',
        'duplicate-entry',
        `\`${issuer}\` is declared already`,
        'declare each issuer once',
      )
    seen.add(issuer)
    const names = new Set<string>()
    for (const [entry, { name, plan }] of accounts.entries()) {
      const place = [...at, 'accounts', entry]
      if (names.has(name))
        say(
          [...place, 'name'],
          'error',
          'duplicate-entry',
          `\`${name}\` is declared already`,
          'give each entry a name of its own',
        )
      names.add(name)
      if (guests?.plan === plan)
        say(
          [...place, 'plan'],
          'error',
          'plan-of-guests',
          `\`${plan}\` is the plan of guests`,
          'choose another plan for services',
        )
    }
  }
}

/** An operator has one role. */
function lintOperators({ identity = {} }: { readonly identity?: Partial<IdentitySection> }, say: Say): void {
  const roles = ['admins', 'support', 'viewers'] as const
  for (const [place, role] of roles.entries())
    for (const [index, account] of (identity[role] ?? []).entries()) {
      const before = roles.slice(0, place).find(other => identity[other]?.includes(account))
      if (before === undefined) continue
      const message = `${account} is among \`${before}\` too`
      say(
        ['identity', role, index],
        'error',
        'duplicate-entry',
        message,
        'an operator has one role: remove it here or there',
      )
    }
}

/** Tokens are for `public_url`, which its default hardly is for others than this machine. */
function lintAudience(root: MapNode, { identity, server = {} }: ConfigFile, say: Say): void {
  if (!identity || server.public_url !== undefined || nodeAt(root, ['server', 'public_url'])) return
  const listen = address.read(server.listen ?? DEFAULTS.listen)
  if (!listen || isLoopback(listen.host)) return
  const hint = 'tokens must be for `public_url`: add it, as clients see it'
  say(['server', 'listen'], 'warning', 'needs-public-url', 'people sign in, but the gateway has no `public_url`', hint)
}
