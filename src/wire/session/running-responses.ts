import type { Millis } from '../../policy/config.ts'
import { asObject, type JsonObject } from '../json-safety.ts'
import { DONE_TYPES, idIn, MOST_RESPONSES } from './usage.ts'

/** Tracks the running responses of a session, by its client's requests and its backend's events. */
export class RunningResponses {
  /** When each requested response was requested, by the id of the requesting event; removed once it begins. */
  readonly #asked = new Map<string, Millis>()
  /** When each response began, by its id. */
  readonly #begun = new Map<string, Millis>()
  #unnamed = 0

  /** The number of running responses. */
  count(now: Millis): number {
    // Oldest first.
    for (const [id, at] of this.#asked) {
      if (now - at < BEGINS_WITHIN) break
      this.#asked.delete(id)
    }
    return this.#asked.size + this.#begun.size
  }

  /** When the oldest was requested; undefined if there is none. */
  since(now: Millis): Millis | undefined {
    if (this.count(now) === 0) return undefined
    return Math.min(...this.#asked.values(), ...this.#begun.values())
  }

  /** The client requested one with an event of this id. */
  ask(eventId: string | undefined, now: Millis): void {
    const id = eventId === undefined ? `${UNNAMED}${this.#unnamed++}` : idIn(eventId)
    this.#asked.delete(id)
    this.#asked.set(id, now)
  }

  /** Reads an event of the backend. Returns when the response that it ends was requested; undefined if it ends none. */
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

  /** An error without an event id refers to a request without one, if there is any. */
  #refuse(eventId: unknown): void {
    if (typeof eventId === 'string') this.#asked.delete(idIn(eventId))
    else this.#forgetFirst(id => id.startsWith(UNNAMED))
  }

  /** Returns when it was requested. */
  #forgetFirst(fits: (id: string) => boolean): Millis | undefined {
    for (const [id, at] of this.#asked) {
      if (!fits(id)) continue
      this.#asked.delete(id)
      return at
    }
    return undefined
  }
}

/** A response that has not begun by then was refused by a backend that does not report it. */
const BEGINS_WITHIN: Millis = 30_000

const UNNAMED = '\0'
