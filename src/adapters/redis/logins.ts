import type { LoginStore } from '../../gateway/store/login-store.ts'
import type { Millis } from '../../policy/config.ts'
import type { Access } from './access.ts'

/** Device codes and logins, each in the bucket of its name. Redis lets them expire. */
export class RedisLogins implements LoginStore {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  async put(name: string, text: string, life: Millis): Promise<boolean> {
    const [outcome] = await this.#access.control(name, 'login', [this.#keyOf(name)], ['put', life, text])
    return outcome === 'done'
  }

  async find(name: string): Promise<string | undefined> {
    const [outcome, text] = await this.#access.script(name, 'login', [this.#keyOf(name)], ['find'])
    return outcome === 'found' ? text : undefined
  }

  async replace(name: string, expected: string, next?: string): Promise<boolean> {
    const values = ['replace', expected, ...(next === undefined ? [] : [next])]
    const [outcome] = await this.#access.control(name, 'login', [this.#keyOf(name)], values)
    return outcome === 'done'
  }

  #keyOf(name: string): string {
    return this.#access.layout.of(name).login(name)
  }
}
