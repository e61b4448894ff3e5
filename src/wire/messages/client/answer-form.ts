import { asObject, isObject, type JsonObject } from '../../json-safety.ts'
import {
  type Reasoning,
  type ReasoningField,
  type SignedThought,
  sealReasoning,
} from '../../reasoning/sealed-reasoning.ts'
import type { ToolNames } from '../../tool-names.ts'
import type { Usage } from '../../usage/usage.ts'

/** The parts of a request that give its answer its form. */
export interface AnswerForm {
  readonly names: ToolNames<string>
  /** Whether thinking is shown, or only its signature, from which the next request has it. */
  readonly thinking: 'whole' | 'sealed' | 'none'
  /** The stop sequences that were asked for. */
  readonly stops: readonly string[]
}

/** How an answer of a chat ended. */
export interface ChatEnd {
  /** `finish_reason` and, of vLLM, `stop_reason`. */
  readonly choice: JsonObject
  readonly called: boolean
  readonly refused: boolean
}

/** Members that Anthropic has in every answer, and of which no backend of chats tells anything. */
const UNTOLD_OF_END = { container: null, stop_details: null }
const UNTOLD_OF_COUNTS = { output_tokens_details: null, server_tool_use: null }

/** Agents go on by these fields alone: that tools are to be run is said whatever the backend calls its end. */
export function stopOf({ choice, called, refused }: ChatEnd, { stops }: AnswerForm): JsonObject {
  const { finish_reason: finish, stop_reason: stop } = choice
  const reason = (stop_reason: string) => ({ ...UNTOLD_OF_END, stop_reason, stop_sequence: null })
  if (finish === 'length') return reason('max_tokens')
  // A call may be cut by it.
  if (finish === 'content_filter') return reason('refusal')
  if (called) return reason('tool_use')
  if (refused) return reason('refusal')
  if (finish === 'stop' && typeof stop === 'string' && stops.includes(stop))
    return { ...UNTOLD_OF_END, stop_reason: 'stop_sequence', stop_sequence: stop }
  return reason('end_turn')
}

/**
 * The data that a backend wants back, in a block that clients keep and show to nobody; none where there is nothing. It is a block of
 * its own where the client sees no thinking, or has seen it already.
 */
export function hiddenBlocks({ text, signed, calls = [], field }: Hidden): readonly RedactedBlock[] {
  if (text === '' && signed.length === 0 && calls.length === 0) return []
  return [{ type: 'redacted_thinking', data: sealReasoning(text, signed, { calls, field }) }]
}

type Hidden = Omit<Reasoning, 'field'> & { readonly field?: ReasoningField | undefined }

export type RedactedBlock = Extract<SignedThought, { readonly type: 'redacted_thinking' }>

/** A block of text, without `citations`: the AI SDK of Vercel takes no null there, though Anthropic's types have it. */
export const textBlock = (text: string): JsonObject => ({ type: 'text', text })

/** The usage of a message. */
export const writeUsage = (usage: Usage): JsonObject => ({
  ...writeCounts(usage),
  ...{ cache_creation: null, inference_geo: null, service_tier: 'standard' },
})

/** A usage as the end of a stream tells it: tokens of a cache are counted apart. */
export function writeCounts({ inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 }: Usage): JsonObject {
  return {
    input_tokens: inputTokens - cachedTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    output_tokens: outputTokens,
    ...UNTOLD_OF_COUNTS,
  }
}

/** The arguments of a call as JSON: some backends send the object itself. */
const argumentsIn = (value: unknown): string => {
  if (typeof value === 'string') return value
  return isObject(value) ? JSON.stringify(value) : ''
}

/** A part of a call: its function, whatever a backend sent. */
export const functionIn = (call: JsonObject): { readonly name: string; readonly arguments: string } => {
  const { name, arguments: args } = asObject(call.function)
  return { name: typeof name === 'string' ? name : '', arguments: argumentsIn(args) }
}

/** Ids of calls: that of the backend, where it has one and has it once. */
export class CallIds {
  readonly #used = new Set<string>()
  readonly #newId: () => string

  constructor(newId: () => string) {
    this.#newId = newId
  }

  take(id: unknown): string {
    const taken = typeof id === 'string' && id !== '' && !this.#used.has(id) ? id : `toolu_${this.#newId()}`
    this.#used.add(taken)
    return taken
  }
}
