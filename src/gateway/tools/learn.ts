import { decide } from '../../policy/decide.ts'
import type { Denied, ToolDenial } from '../../policy/denial.ts'
import type { ChatAsk, Facts } from '../../policy/facts.ts'
import type { Client, ToolDefinition } from '../ports.ts'
import type { InferencePorts } from '../request.ts'
import { withTimeout } from '../timers.ts'
import { promptBytesOf } from './definition.ts'

/** The definitions of the hosted tools of a request, as its model gets them, and the request with their tokens. */
export interface LearntTools {
  readonly request: ChatAsk
  readonly definitions: ReadonlyMap<string, ToolDefinition>
}

/** Asks what the tools of a request take. Undefined for a request that is refused anyway: no tool is asked. */
export async function learnTools(
  gateway: Pick<InferencePorts, 'config' | 'settings' | 'tools' | 'clock'>,
  facts: Facts,
  client: Client,
): Promise<LearntTools | Denied<ToolDenial> | undefined> {
  const { request } = facts
  const decision = decide(gateway.config, facts)
  if ('denial' in decision || !decision.tools || request.kind !== 'chat') return undefined
  const names = decision.tools.map(({ name }) => name)
  const learnt = await Promise.all(names.map(async name => [name, await learn(gateway, name, client)] as const))
  const definitions = new Map<string, ToolDefinition>()
  let promptBytes = 0
  for (const [tool, definition] of learnt) {
    if (!definition) return { denial: { code: 'TOOL_UNAVAILABLE', tool } }
    definitions.set(tool, definition)
    promptBytes += promptBytesOf(definition)
  }
  return { request: { ...request, textBytes: request.textBytes + promptBytes }, definitions }
}

function learn(
  { settings, tools, clock }: Pick<InferencePorts, 'settings' | 'tools' | 'clock'>,
  name: string,
  client: Client,
): Promise<ToolDefinition | undefined> {
  const time = settings.tools.get(name)?.timeout ?? 0
  return withTimeout({ clock, time, onCalledOff: run => client.onGone(run) }, signal => tools.define(name, signal))
}
