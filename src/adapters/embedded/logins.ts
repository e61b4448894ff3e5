import type { LoginStore } from '../../gateway/store/login-store.ts'
import type { Millis } from '../../policy/config.ts'
import type { StoreState } from './store-state.ts'

/** Device codes and logins, in the files: a restart signs nobody out. */
export class EmbeddedLogins implements LoginStore {
  readonly #state: () => StoreState

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  async put(name: string, text: string, life: Millis): Promise<boolean> {
    const { records, now } = this.#state()
    const { logins, loginEnds } = records
    return records.change(() => {
      const at = now()
      for (const end of [...loginEnds.getKeys({ end: [at, '\uffff'], limit: REMOVED_AT_ONCE })]) {
        logins.remove(end[1])
        loginEnds.remove(end)
      }
      const [, until] = logins.get(name) ?? NONE
      if (until > at) return false
      loginEnds.remove([until, name])
      logins.put(name, [text, at + life])
      loginEnds.put([at + life, name], true)
      return true
    })
  }

  async find(name: string): Promise<string | undefined> {
    const { records, now } = this.#state()
    const [text, until] = records.logins.get(name) ?? NONE
    return until > now() ? text : undefined
  }

  async replace(name: string, expected: string, next?: string): Promise<boolean> {
    const { records, now } = this.#state()
    const { logins, loginEnds } = records
    return records.change(() => {
      const [text, until] = logins.get(name) ?? NONE
      if (text !== expected || until <= now()) return false
      if (next !== undefined) logins.put(name, [next, until])
      else {
        logins.remove(name)
        loginEnds.remove([until, name])
      }
      return true
    })
  }
}

const NONE = ['', 0] as const

/** More than is written, so that those of a busy day go soon, in small commits. */
const REMOVED_AT_ONCE = 16
