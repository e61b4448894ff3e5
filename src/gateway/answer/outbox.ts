import type { StreamEnding, StreamSink } from './live-stream.ts'

/** What is held until all of it is there, or somebody takes it: a larger answer is a fault of the backend. */
const MAX_HELD_CHARS = 67_108_864

/** Events on their way to a sink, which may come after the first of them, or after the ending. */
export class Outbox {
  #sink: StreamSink | undefined
  #held: string[] = []
  #heldChars = 0
  #ending: StreamEnding | undefined

  get ending(): StreamEnding | undefined {
    return this.#ending
  }

  /** False where more is held than any answer has. */
  write(events: string): boolean {
    if (this.#sink) {
      this.#sink.write(events)
      return true
    }
    this.#held.push(events)
    this.#heldChars += events.length
    return this.#heldChars <= MAX_HELD_CHARS
  }

  /** Hands over what was held, and from now on every event. */
  attach(sink: StreamSink): void {
    this.#sink = sink
    const held = this.#held.join('')
    this.#held = []
    if (held !== '') sink.write(held)
    if (this.#ending) sink.end(this.#ending)
  }

  /** The sink takes nothing more. */
  detach(): void {
    this.#sink = undefined
  }

  end(ending: StreamEnding): void {
    this.#ending = ending
    this.#sink?.end(ending)
  }
}
