import { type Config, type HostedTool, type Model, type Plan, placeOf } from './config.ts'
import type { Claims, Step } from './decision.ts'
import type { InferenceRequest } from './facts.ts'
import { type NanoUsd, nanoUsd, ONE_NANO_USD } from './nano-usd.ts'
import { type Refused, type Ruling, refused, ruled } from './ruling.ts'

const NONE: readonly HostedTool[] = []

/** The hosted tools that a request lists, where the files declare them and the plan includes them all. */
export function hostedTools(
  config: Pick<Config, 'tools'>,
  plan: Plan,
  model: Model,
  request: InferenceRequest,
  why: Step[],
): { readonly value: readonly HostedTool[] } | Refused {
  if (request.kind !== 'chat' || !request.hosted || request.hosted.length === 0) return { value: NONE }
  const tools: HostedTool[] = []
  for (const name of request.hosted) {
    const tool = config.tools.get(name)
    const ruling = ruled(why, tool ? gate(plan, model, tool) : unknownTool(config, name))
    if ('denial' in ruling) return ruling
    tools.push(ruling.value)
  }
  return { value: tools }
}

function unknownTool({ tools }: Pick<Config, 'tools'>, name: string): Refused {
  const there = tools.size === 0 ? 'there are none' : `there are ${[...tools.keys()].join(', ')}`
  return refused('body', 'tools', `no such hosted tool \`${name}\`; ${there}`)
}

function gate(plan: Plan, { name: model }: Model, tool: HostedTool): Ruling<HostedTool> {
  const { name } = tool
  const included = plan.tools.get(name)
  if (included) {
    const text = `plan ${plan.name} includes the tool ${name} by ${included.by}`
    return { step: { stage: 'gate', outcome: 'pass', text, at: included.at }, value: tool }
  }
  const text = `plan ${plan.name} does not include the tool ${name}`
  return {
    step: { stage: 'gate', outcome: 'deny', text, at: placeOf(plan, 'tools') },
    denial: { code: 'rate_limit_exceeded', type: 'plan_limit', model, plan: plan.name, tool: name },
  }
}

/** Calls so far, by name of the tool. */
export type ToolCalls = Readonly<Record<string, number>>

/** A tool may be named as what every object has, such as `constructor`. */
export const callsOf = (calls: ToolCalls, name: string): number => (Object.hasOwn(calls, name) ? (calls[name] ?? 0) : 0)

/** What calls of tools may still cost. */
export const toolsWorst = (tools: readonly HostedTool[], calls: ToolCalls = {}): NanoUsd =>
  nanoUsd(
    tools.reduce((sum, { name, maxCalls, price }) => sum + Math.max(0, maxCalls - callsOf(calls, name)) * price, 0),
  )

/** What calls of tools have cost. */
export const toolsCost = (tools: readonly HostedTool[], calls: ToolCalls): NanoUsd =>
  nanoUsd(tools.reduce((sum, { name, price }) => sum + callsOf(calls, name) * price, 0))

/** Claims for a request with tools: all that may be called is held before any of it is. */
export function withTools(claims: Claims, tools: readonly HostedTool[]): Claims {
  if (tools.length === 0) return claims
  const { spend } = claims
  return { ...claims, spend: { ...spend, price: { ...spend.price, item: ONE_NANO_USD }, items: toolsWorst(tools) } }
}
