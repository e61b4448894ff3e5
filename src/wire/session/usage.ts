import { saidIn } from '../event-usage.ts'
import { asObject, type JsonObject } from '../json-safety.ts'
import { readPassthroughUsage } from '../passthrough.ts'
import { type LeastUsage, leastTokens, type Usage } from '../usage/usage.ts'

/** The usage of a session's response or transcription: as its backend reported it, or the least where it did not. */
export type ResponseUsage =
  | { readonly usage: Usage }
  /** `isCancelled`: its backend may have made more than it said before it was told to stop. */
  | { readonly least: LeastUsage; readonly isCancelled?: boolean }

/** Responses of a session that may run at once: as many are counted apart. */
export const MOST_RESPONSES = 64

/**
 * Reads what a session over WebSocket used, by the events of OpenAI's Realtime or Responses: each response of it reports its
 * own usage when it is done, and each transcription of what was heard. Several may run at once.
 */
export class SessionUsage {
  readonly #responses = new SaidTokens()
  readonly #transcriptions = new SaidTokens()
  /** The input tokens of the response before: a session goes on with all that it had. */
  #inputTokens: number | undefined

  /** Reads an event of the backend. Returns the usage of the response or transcription that it completes. */
  read(event: JsonObject): ResponseUsage | undefined {
    const { type } = event
    if (DONE_TYPES.has(type)) return this.#done(asObject(event.response))
    if (typeof type === 'string' && type.startsWith(TRANSCRIPTION)) return this.#transcribed(event)
    for (const [, tokens] of saidIn(event)) this.#responses.hear(idIn(event.response_id), tokens)
    return undefined
  }

  /** Tokens in unfinished parts. */
  get tokens(): number {
    return this.#responses.tokens + this.#transcriptions.tokens
  }

  /** The least usage of unfinished responses and transcriptions; undefined where none of them said anything. */
  get least(): LeastUsage | undefined {
    return this.#leastOf(this.#responses.tokens, this.#transcriptions.tokens)
  }

  /** The least usage where a response is running, whose prompt is read before it says anything. */
  get leastOfRunning(): LeastUsage {
    return this.least ?? this.#unsaid
  }

  get #unsaid(): LeastUsage {
    return { outputTokens: 0, ...(this.#inputTokens !== undefined && { inputTokens: this.#inputTokens }) }
  }

  /** Takes the least usage so far out of the unfinished ones. */
  cut(): LeastUsage | undefined {
    const { least } = this
    this.#responses.clear()
    this.#transcriptions.clear()
    return least
  }

  #done(response: JsonObject): ResponseUsage | undefined {
    const usage = readPassthroughUsage(response)
    const tokens = this.#responses.take(idIn(response.id))
    // Some report no tokens at all of a response that was cancelled in the middle.
    if (usage && (usage.inputTokens > 0 || tokens === 0)) {
      this.#inputTokens = usage.inputTokens
      return { usage }
    }
    const least = this.#leastOf(tokens, 0)
    // Its prompt was read, whatever it said.
    if (response.status === 'cancelled') return { least: least ?? this.#unsaid, isCancelled: true }
    // Nobody pays for the prompt of an answer that failed.
    return least && { least: response.status === 'failed' ? { inputTokens: 0, ...least } : least }
  }

  /** The usage of a transcription of the client's speech, which another model writes. */
  #transcribed(event: JsonObject): ResponseUsage | undefined {
    const { type, delta, transcript } = event
    const id = idIn(event.item_id)
    if (type === `${TRANSCRIPTION}delta` && typeof delta === 'string') this.#transcriptions.hear(id, leastTokens(delta))
    if (type !== `${TRANSCRIPTION}completed` && type !== `${TRANSCRIPTION}failed`) return undefined
    const said = this.#transcriptions.take(id)
    const usage = readPassthroughUsage(event)
    if (usage) return { usage }
    const tokens = said === 0 && typeof transcript === 'string' ? leastTokens(transcript) : said
    const least = this.#leastOf(0, tokens)
    return least && { least }
  }

  #leastOf(responses: number, transcriptions: number): LeastUsage | undefined {
    const outputTokens = responses + transcriptions
    if (outputTokens === 0) return undefined
    // The input of a transcription is not known.
    if (responses === 0) return { outputTokens, inputTokens: 0 }
    const inputTokens = this.#inputTokens
    if (inputTokens === undefined) return { outputTokens }
    return { outputTokens, inputTokens }
  }
}

/** Tokens that were said in what is not done, by its id; empty where a backend gives none. */
class SaidTokens {
  readonly #said = new Map<string, number>()

  get tokens(): number {
    let sum = 0
    for (const tokens of this.#said.values()) sum += tokens
    return sum
  }

  hear(id: string, tokens: number): void {
    const known = this.#said.has(id) || this.#said.size < MOST_RESPONSES ? id : ''
    this.#said.set(known, (this.#said.get(known) ?? 0) + tokens)
  }

  /** Those of the one that is done. */
  take(id: string): number {
    const known = this.#said.has(id) ? id : ''
    const tokens = this.#said.get(known) ?? 0
    this.#said.delete(known)
    return tokens
  }

  clear(): void {
    this.#said.clear()
  }
}

export const idIn = (id: unknown): string => (typeof id === 'string' ? id.slice(0, 128) : '')

/** The types of events that end a response. */
export const DONE_TYPES: ReadonlySet<unknown> = new Set([
  'response.done',
  'response.completed',
  'response.incomplete',
  'response.failed',
])

const TRANSCRIPTION = 'conversation.item.input_audio_transcription.'
