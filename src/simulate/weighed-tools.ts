import type { Settings } from '../config/settings.ts'
import { definitionInFiles, promptBytesOf } from '../gateway/tools/definition.ts'
import type { Decision } from '../policy/decision.ts'
import type { Step } from '../policy/explain.ts'
import type { InferenceRequest } from '../policy/facts.ts'

/** A request with what its hosted tools weigh, as far as the files say. */
export interface Weighed {
  readonly request: InferenceRequest
  /** The definitions of MCP tools, which a simulation does not ask their servers for. */
  readonly unknown: readonly string[]
}

/** As the gateway weighs it, which does so only where the request is not refused anyway. */
export function withToolsWeighed(
  { tools }: Pick<Settings, 'tools'>,
  request: InferenceRequest,
  decision: Decision,
): Weighed {
  let promptBytes = 0
  const unknown: string[] = []
  for (const { name } of ('denial' in decision ? undefined : decision.tools) ?? []) {
    const settings = tools.get(name)
    const definition = settings && definitionInFiles(settings)
    if (definition) promptBytes += promptBytesOf(definition)
    else unknown.push(name)
  }
  return { request: promptBytes > 0 ? { ...request, textBytes: request.textBytes + promptBytes } : request, unknown }
}

/** The steps, with a line below the step of the body on the tools that were left out of the sum. */
export function namingUnweighedTools(steps: readonly Step[], unknown: readonly string[]): readonly Step[] {
  if (unknown.length === 0) return steps
  const said: Step = {
    stage: 'body',
    outcome: 'pass',
    text: `not counted: the tokens that ${unknown.join(', ')} would add, which only the MCP server knows`,
  }
  const at = steps.findLastIndex(({ stage }) => stage === 'body') + 1
  return at === 0 ? steps : steps.toSpliced(at, 0, said)
}
