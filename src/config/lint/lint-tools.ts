import { unitOf } from '../check/units.ts'
import type { ConfigFile, HostedToolSection, PlanSection } from '../file.ts'
import type { Report, Say } from '../problem.ts'
import type { Declaration, MergedFiles } from '../read/merge.ts'
import { DEFAULTS } from '../resolve/defaults.ts'
import { sayer } from './lint.ts'

/** Reports what cannot work, or is hardly meant, of hosted tools and of the plans that include them. */
export function lintTools(main: ConfigFile, { plans, tools }: MergedFiles, report: Report): void {
  const prefix = `${main.brand ?? DEFAULTS.brand}_`
  const time = unitOf('duration', main.limits?.tool_time ?? DEFAULTS.toolTime)
  for (const tool of tools.values()) {
    lintName(tool, prefix, report)
    if (tool.data) lintTool(tool.data, time, sayer(tool.node, report))
  }
  for (const { name, node, data } of plans.values()) if (data) lintPlan(name, data, tools, sayer(node, report))
}

/** The prefix is how a request may mark a function as one that runs here. */
function lintName({ name, at }: Declaration<unknown>, prefix: string, report: Report): void {
  if (!name.startsWith(prefix)) return
  const message = `tool \`${name}\` begins with \`${prefix}\`, which requests write before the names of hosted tools`
  const hint = `name it \`${name.slice(prefix.length) || 'tool'}\`: requests could not tell them apart`
  report({ ...at, rule: 'reserved-name', severity: 'error', message, hint })
}

function lintTool(tool: HostedToolSection, toolTime: number, say: Say): void {
  if (unitOf('usd', tool.usd_per_call ?? DEFAULTS.usdPerCall) > 10_000_000_000) {
    const hint = 'is this a price for a thousand calls?'
    say(['usd_per_call'], 'warning', 'price-high', 'more than 10 USD for a call', hint)
  }
  if (tool.timeout === undefined || unitOf('duration', tool.timeout) <= toolTime) return
  const message = 'no call can take so long: `limits.tool_time` ends all of them before'
  say(['timeout'], 'warning', 'timeout-too-long', message, 'lower it, or raise `limits.tool_time`')
}

/** All calls that a request may make of a tool are held when it is admitted. */
function lintPlan(name: string, plan: PlanSection, tools: MergedFiles['tools'], say: Say): void {
  if (plan.overage === true) return
  const cap = typeof plan.overage === 'object' ? unitOf('usd', plan.overage.cap_usd) : 0
  const month = unitOf('usd', plan.monthly_usd) + cap
  for (const { data, name: tool } of includedIn(plan, tools)) {
    const calls = unitOf('count', data?.max_calls ?? DEFAULTS.maxCalls)
    const price = unitOf('usd', data?.usd_per_call ?? DEFAULTS.usdPerCall)
    if (calls * price <= month) continue
    const message = `plan \`${name}\` can never pay for \`${tool}\`: ${calls} calls cost ${(calls * price) / 1e9} USD, and a month has ${month / 1e9}`
    say(['monthly_usd'], 'error', 'tool-too-dear', message, 'raise it, or lower `max_calls` of the tool')
  }
}

const includedIn = ({ tools: written = [] }: PlanSection, tools: MergedFiles['tools']) =>
  [...tools.values()].filter(({ name }) => written === 'all' || [written].flat().includes(name))
