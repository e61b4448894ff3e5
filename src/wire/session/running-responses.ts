import type { Millis } from '../../policy/config.ts'
import { asObject, type JsonObject } from '../json-safety.ts'
import { DONE_TYPES, idIn, MOST_RESPONSES } from './usage.ts'

/** How many responses of a session are running, by what its client asks for and what its backend says. */
export class RunningResponses {
  /** Those that were asked for and have not begun: when, by the ids of the events that ask for them. */
  readonly #asked = new Map<string, Millis>()
  /** Since when, by their ids. */
  readonly #begun = new Map<string, Millis>()
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

  /** Since when the oldest of them is asked for; undefined where there is none. */
  since(now: Millis): Millis | undefined {
    if (this.count(now) === 0) return undefined
    return Math.min(...this.#asked.values(), ...this.#begun.values())
  }

  /** One is asked for, by an event with this id. */
  ask(eventId: string | undefined, now: Millis): void {
    const id = eventId === undefined ? `${UNNAMED}${this.#unnamed++}` : idIn(eventId)
    this.#asked.delete(id)
    this.#asked.set(id, now)
  }

  /** Reads an event of the backend. Since when the response is asked for that it ends; undefined where it ends none. */
  read({ type, response, error }: JsonObject, now: Millis): Millis | undefined {
    if (type === 'response.created') this.#begin(idIn(asObject(response).id), now)
    else if (DONE_TYPES.has(type)) return this.#end(idIn(asObject(response).id))
    else if (type === 'error') this.#refuse(asObject(error).event_id)
    return undefined
  }

  #begin(id: string, now: Millis): void {
    const askedAt = this.#forgetFirst(() => true)
    if (this.#begun.size < MOST_RESPONSES) this.#begun.set(id, askedAt ?? now)
  }

  #end(id: string): Millis | undefined {
    const since = this.#begun.get(id)
    // Some backends do not announce the start of one.
    if (!this.#begun.delete(id)) return this.#forgetFirst(() => true)
    return since
  }

  /** An error that names no event is about one that has no name, if any. */
  #refuse(eventId: unknown): void {
    if (typeof eventId === 'string') this.#asked.delete(idIn(eventId))
    else this.#forgetFirst(id => id.startsWith(UNNAMED))
  }

  /** Since when that one was asked for. */
  #forgetFirst(fits: (id: string) => boolean): Millis | undefined {
    for (const [id, at] of this.#asked) {
      if (!fits(id)) continue
      this.#asked.delete(id)
      return at
    }
    return undefined
  }
}

/** A response that has not begun by then was refused, by a backend that does not say so. */
const BEGINS_WITHIN: Millis = 30_000

const UNNAMED = '\0'
