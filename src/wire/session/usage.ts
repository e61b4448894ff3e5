import { saidIn } from '../event-usage.ts'
import { asObject, type JsonObject } from '../json-safety.ts'
import { readPassthroughUsage } from '../passthrough.ts'
import { type LeastUsage, leastTokens, type Usage } from '../usage/usage.ts'

/** The usage of a session's response or transcription: as its backend reported it, or else a lower bound. */
export type ResponseUsage =
  | { readonly usage: Usage }
  /** `isCancelled`: its backend may have generated more than it sent before it was told to stop. */
  | { readonly least: LeastUsage; readonly isCancelled?: boolean }

/** The maximum of concurrent responses of a session that are counted separately. */
export const MOST_RESPONSES = 64

/**
 * Reads the usage of a WebSocket session from the events of OpenAI's Realtime or Responses API. Each response reports
 * its usage when it is done, and so does each transcription of the client's speech. Several may run at once.
 */
export class SessionUsage {
  readonly #responses = new SaidTokens()
  readonly #transcriptions = new SaidTokens()
  /** The input tokens of the previous response, which the next one reads again. */
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

  /** A lower bound of the usage of unfinished responses and transcriptions; undefined if none has produced output. */
  get least(): LeastUsage | undefined {
    return this.#leastOf(this.#responses.tokens, this.#transcriptions.tokens)
  }

  /** A lower bound of the usage while a response runs: its prompt is read before it produces output. */
  get leastOfRunning(): LeastUsage {
    return this.least ?? this.#unsaid
  }

  get #unsaid(): LeastUsage {
    return { outputTokens: 0, ...(this.#inputTokens !== undefined && { inputTokens: this.#inputTokens }) }
  }

  /** Takes the lower bound of the unfinished ones, and restarts their counts. */
  cut(): LeastUsage | undefined {
    const { least } = this
    this.#responses.clear()
    this.#transcriptions.clear()
    return least
  }

  #done(response: JsonObject): ResponseUsage | undefined {
    const usage = readPassthroughUsage(response)
    const tokens = this.#responses.take(idIn(response.id))
    // Some report no tokens for a response that was cancelled midway.
    if (usage && (usage.inputTokens > 0 || tokens === 0)) {
      this.#inputTokens = usage.inputTokens
      return { usage }
    }
    const least = this.#leastOf(tokens, 0)
    // Its prompt was read, whether or not it produced output.
    if (response.status === 'cancelled') return { least: least ?? this.#unsaid, isCancelled: true }
    // The prompt of a failed answer is free.
    return least && { least: response.status === 'failed' ? { inputTokens: 0, ...least } : least }
  }

  /** The usage of a transcription of the client's speech, which another model produces. */
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
    // The input of a transcription is unknown.
    if (responses === 0) return { outputTokens, inputTokens: 0 }
    const inputTokens = this.#inputTokens
    if (inputTokens === undefined) return { outputTokens }
    return { outputTokens, inputTokens }
  }
}

/** Counts output tokens of unfinished items, by id; the id is empty if the backend gives none. */
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

  /** Removes and returns the count of a finished item. */
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
