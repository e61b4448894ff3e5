import { type ChunkTerms, readChunk } from './chunk.ts'
import { SseError, SseSplitter, sseEvent } from './sse.ts'
import type { Usage } from './usage.ts'

/** What some bytes of a stream brought. Nothing after a stop is read. */
export interface StreamReading {
  /** Whole events, as they go to the client; empty when there is none. */
  readonly events: string
  readonly stop?: { readonly kind: 'done' } | { readonly kind: 'error'; readonly cause: string }
}

/** Reads a backend's stream as it comes, and keeps what commit and settlement need to know. */
export class StreamReader {
  readonly #terms: ChunkTerms
  readonly #choices: number
  readonly #splitter = new SseSplitter()
  readonly #finished = new Set<number>()
  /** Bytes of content, reasoning and tool calls so far. */
  spoken = 0
  usage: Usage | undefined

  /** `choices`: how many completions were asked for. */
  constructor(terms: ChunkTerms, choices: number) {
    this.#terms = terms
    this.#choices = choices
  }

  /** Whether every choice has its finish_reason. */
  get finished(): boolean {
    return this.#finished.size >= this.#choices
  }

  read(bytes: Buffer): StreamReading {
    try {
      return this.#read(this.#splitter.push(bytes))
    } catch (error) {
      if (!(error instanceof SseError)) throw error
      return { events: '', stop: { kind: 'error', cause: error.message } }
    }
  }

  /** The bytes ended. */
  end(): StreamReading {
    return this.#read(this.#splitter.end())
  }

  #read(data: readonly string[]): StreamReading {
    let events = ''
    for (const event of data) {
      const chunk = readChunk(event, this.#terms)
      switch (chunk.kind) {
        case 'delta':
          this.spoken += chunk.spoken
          for (const index of chunk.finished) this.#finished.add(index)
          if (chunk.usage) this.usage = chunk.usage
          if (chunk.data !== undefined) events += sseEvent(chunk.data)
          break
        case 'done':
          return { events, stop: chunk }
        case 'error':
          return { events, stop: { kind: 'error', cause: `error event: ${chunk.message}` } }
        case 'malformed':
          // Once something was said a broken event is skipped: the stream must still end well.
          if (this.spoken === 0) return { events, stop: { kind: 'error', cause: 'malformed event' } }
      }
    }
    return { events }
  }
}
