import type { Millis } from '../../policy/config.ts'
import { asObject, type JsonObject } from '../json-safety.ts'
import { DONE_TYPES, idIn, MOST_RESPONSES } from './session-usage.ts'

/** How many responses of a session are running, by what its client asks for and what its backend says. */
export class RunningResponses {
  /** Those that were asked for and have not begun: when, by the ids of the events that ask for them. */
  readonly #asked = new Map<string, Millis>()
  readonly #begun = new Set<string>()
  #unnamed = 0

  /** How many there are at this moment. */
  count(now: Millis): number {
    // In order: the oldest first.
    for (const [id, at] of this.#asked) {
      if (now - at < BEGINS_WITHIN) break
      this.#asked.delete(id)
    }
    return this.#asked.size + this.#begun.size
  }

  /** One is asked for, by an event with this id. */
  ask(eventId: string | undefined, now: Millis): void {
    const id = eventId === undefined ? `${UNNAMED}${this.#unnamed++}` : idIn(eventId)
    this.#asked.delete(id)
    this.#asked.set(id, now)
  }

  /** Reads an event of the backend. */
  read({ type, response, error }: JsonObject): void {
    if (type === 'response.created') this.#begin(idIn(asObject(response).id))
    else if (DONE_TYPES.has(type)) this.#end(idIn(asObject(response).id))
    else if (type === 'error') this.#refuse(asObject(error).event_id)
  }

  #begin(id: string): void {
    this.#forgetFirst(() => true)
    if (this.#begun.size < MOST_RESPONSES) this.#begun.add(id)
  }

  #end(id: string): void {
    // Not every backend says that one has begun.
    if (!this.#begun.delete(id)) this.#forgetFirst(() => true)
  }

  /** An error that names no event is about one that has no name, if any. */
  #refuse(eventId: unknown): void {
    if (typeof eventId === 'string') this.#asked.delete(idIn(eventId))
    else this.#forgetFirst(id => id.startsWith(UNNAMED))
  }

  #forgetFirst(fits: (id: string) => boolean): void {
    for (const id of this.#asked.keys()) {
      if (!fits(id)) continue
      this.#asked.delete(id)
      return
    }
  }
}

/** What was asked for and has not begun by then was refused, by a backend that does not say so. */
const BEGINS_WITHIN: Millis = 30_000

const UNNAMED = '\0'
