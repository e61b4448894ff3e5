import { address, isLoopback } from '../check/formats.ts'
import type { ConfigFile, PlanSection } from '../file.ts'
import type { Report, Say } from '../problem.ts'
import type { Declaration, Union } from '../read/merge.ts'
import { type MapNode, nodeAt, textsOf } from '../read/tree.ts'
import { DEFAULTS } from '../resolve/defaults.ts'
import { includes, sayer } from './lint.ts'

/** Guests may use models of this tier only (docs/accounts.md). */
const GUEST_TIER = 'guest'

/** Reports what cannot work, or is hardly meant, of accounts, guests, and whose word is taken for where they call from. */
export function lintAccounts(root: MapNode, main: ConfigFile, union: Union, report: Report): void {
  const say = sayer(root, report)
  lintProxies(root, say)
  lintAudience(root, main, say)
  const { identity, guests } = main
  if (!guests) return
  if (identity?.default_plan === guests.plan) {
    const message = `\`${guests.plan}\` is the plan of guests, and of accounts too`
    const hint = 'choose another plan for accounts: limits of guests count devices, and all of them together'
    say(['identity', 'default_plan'], 'error', 'default-plan-of-guests', message, hint)
  }
  const plan = union.plans.get(guests.plan)
  if (plan?.data) lintGuestPlan(plan, plan.data, union, report)
}

function lintGuestPlan(
  { name, at, node }: Declaration<PlanSection>,
  plan: PlanSection,
  { models }: Union,
  report: Report,
): void {
  const say = sayer(node, report)
  for (const [index, by] of [plan.models].flat().entries()) {
    const paid = [...models.values()].find(model => includes(by, model) && model.data?.tier !== GUEST_TIER)
    if (!paid?.data) continue
    const message = `plan \`${name}\` reaches \`${paid.name}\`, of tier \`${paid.data.tier}\``
    const path = typeof plan.models === 'string' ? ['models'] : ['models', index]
    say(path, 'error', 'guest-reaches-paid', message, 'guests have no account: keep to `tier:guest`')
  }
  if (plan.per_day !== undefined) return
  const message = `plan \`${name}\` is for guests, and has no \`per_day\``
  const hint = 'add one, such as `per_day: 7200`: guests are told it when they get their key'
  report({ ...at, rule: 'guest-without-day-cap', severity: 'warning', message, hint })
}

function lintProxies(root: MapNode, say: Say): void {
  for (const [index, { value }] of textsOf(nodeAt(root, ['server', 'trusted_proxies'])).entries()) {
    if (!value.endsWith('/0')) continue
    const hint =
      'name the networks of your proxies: a sender that is trusted can choose the address that it seems to call from'
    say(['server', 'trusted_proxies', index], 'warning', 'trusts-everyone', `\`${value}\` is every address`, hint)
  }
}

/** Tokens are for `public_url`, which its default hardly is for others than this machine. */
function lintAudience(root: MapNode, { identity, server = {} }: ConfigFile, say: Say): void {
  if (!identity || server.public_url !== undefined || nodeAt(root, ['server', 'public_url'])) return
  const listen = address.read(server.listen ?? DEFAULTS.listen)
  if (!listen || isLoopback(listen.host)) return
  const hint = 'tokens must be for `public_url`: add it, as clients see it'
  say(['server', 'listen'], 'warning', 'needs-public-url', 'people sign in, and the gateway has no `public_url`', hint)
}
