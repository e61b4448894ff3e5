import type { Millis } from '../../policy/config.ts'

/**
 * Short-lived texts by name, for sign-ins of agents: device codes of ten minutes, and logins of a day. One facet of the Store, see
 * there for atomicity, clock and outages. They are neither backed up nor moved: people sign in again. Names are hashes, and no text
 * holds a code or a token.
 */
export interface LoginStore {
  /** Keeps a text for so long under a name that has none; false where it has one. Durable. */
  put(name: string, text: string, life: Millis): Promise<boolean>
  /** The text of a name, until its end. */
  find(name: string): Promise<string | undefined>
  /** Puts a text in place of the expected one, or removes that; false, with nothing changed, where another one is kept. The end stays. Durable. */
  replace(name: string, expected: string, next?: string): Promise<boolean>
}
