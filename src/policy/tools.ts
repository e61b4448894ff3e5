import { type Config, type HostedTool, type Model, type Plan, placeOf } from './config.ts'
import { type Claims, type DeniedAt, invalidAt } from './decision.ts'
import type { InferenceRequest } from './facts.ts'
import { type NanoUsd, nanoUsd, ONE_NANO_USD } from './nano-usd.ts'

/** The hosted tools that a request lists, where the files declare them and the plan includes them all. */
export function hostedTools(
  config: Pick<Config, 'tools'>,
  plan: Plan,
  model: Model,
  request: InferenceRequest,
): readonly HostedTool[] | DeniedAt {
  if (request.kind !== 'chat' || !request.hosted || request.hosted.length === 0) return NONE
  const tools: HostedTool[] = []
  for (const name of request.hosted) {
    const tool = config.tools.get(name)
    if (!tool) return unknownTool(config, name)
    if (!plan.tools.has(name)) return notIncluded(plan, model, tool)
    tools.push(tool)
  }
  return tools
}

const NONE: readonly HostedTool[] = []

function unknownTool({ tools }: Pick<Config, 'tools'>, name: string): DeniedAt {
  const there = tools.size === 0 ? 'there are none' : `there are ${[...tools.keys()].join(', ')}`
  return invalidAt('body', 'tools', `no such hosted tool \`${name}\`; ${there}`)
}

const notIncluded = (plan: Plan, { name: model }: Model, { name: tool }: HostedTool): DeniedAt => ({
  denial: { code: 'rate_limit_exceeded', type: 'plan_limit', model, plan: plan.name, tool },
  stage: 'gate',
  at: placeOf(plan, 'tools'),
})

/** Calls so far, by name of the tool. */
export type ToolCalls = Readonly<Record<string, number>>

/** A tool may be named as what every object has, such as `constructor`. */
export const callsOf = (calls: ToolCalls, name: string): number => (Object.hasOwn(calls, name) ? (calls[name] ?? 0) : 0)

/** The most that further calls of tools may cost. */
export const toolsWorst = (tools: readonly HostedTool[], calls: ToolCalls = {}): NanoUsd =>
  nanoUsd(
    tools.reduce((sum, { name, maxCalls, price }) => sum + Math.max(0, maxCalls - callsOf(calls, name)) * price, 0),
  )

/** The cost of calls of tools. */
export const toolsCost = (tools: readonly HostedTool[], calls: ToolCalls): NanoUsd =>
  nanoUsd(tools.reduce((sum, { name, price }) => sum + callsOf(calls, name) * price, 0))

/** The cost of each tool that was called, by its name. */
export const costsOfTools = (tools: readonly HostedTool[], calls: ToolCalls): Readonly<Record<string, NanoUsd>> =>
  Object.fromEntries(
    tools.flatMap(({ name, price }) => {
      const made = callsOf(calls, name)
      return made > 0 ? [[name, nanoUsd(made * price)]] : []
    }),
  )

/** Claims for a request with tools: all that may be called is held before any of it is. */
export function withTools(claims: Claims, tools: readonly HostedTool[]): Claims {
  if (tools.length === 0) return claims
  const { spend } = claims
  return { ...claims, spend: { ...spend, price: { ...spend.price, item: ONE_NANO_USD }, items: toolsWorst(tools) } }
}
