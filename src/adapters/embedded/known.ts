import { type Account, type Records, readAccount, type StoredKey } from './records.ts'

/** More are looked up again. */
const MOST = 10_000

/**
 * Keys and accounts as requests look them up, each read from the files once. Only what is done in a transaction changes
 * them: as long as one is open nothing is remembered, and after it nothing is remembered from before.
 */
export class Known {
  readonly #files: Pick<Records, 'keys' | 'accounts'>
  readonly #keys = new Map<string, StoredKey>()
  readonly #accounts = new Map<string, Account>()
  #open = 0

  constructor(files: Pick<Records, 'keys' | 'accounts'>) {
    this.#files = files
  }

  /** By its hash. */
  key(hash: string): StoredKey | undefined {
    return this.#keys.get(hash) ?? this.#remember(this.#keys, hash, this.#files.keys.get(hash))
  }

  account(id: string): Account | undefined {
    return this.#accounts.get(id) ?? this.#remember(this.#accounts, id, readAccount(this.#files, id))
  }

  /** Runs what may change them. */
  async during<T>(change: () => Promise<T>): Promise<T> {
    this.#open++
    this.#forget()
    try {
      return await change()
    } finally {
      this.#open--
      this.#forget()
    }
  }

  #remember<V>(known: Map<string, V>, name: string, value: V | undefined): V | undefined {
    // What is unknown is anybody's to make up.
    if (value === undefined || this.#open > 0) return value
    if (known.size >= MOST) known.clear()
    known.set(name, value)
    return value
  }

  #forget(): void {
    this.#keys.clear()
    this.#accounts.clear()
  }
}
