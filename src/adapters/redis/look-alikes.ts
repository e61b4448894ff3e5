import { type Labelled, shapeHashes } from '../../gateway/accounts/look-alikes.ts'
import type { Access } from './access.ts'
import type { StoredAccount } from './account-hash.ts'
import { chunksOf } from './layout.ts'
import { SHAPED } from './store-identity.ts'

/**
 * Shapes of labels, each with the label that had it first. A label is written under its own name before its shapes are claimed: where
 * a shape names a label that nobody has, whoever had it goes by another one since, and the shape is taken over.
 */
export class LookAlikes {
  readonly #access: Access
  readonly #find: (account: string) => Promise<StoredAccount | undefined>
  #filling: Promise<void> | undefined

  constructor(access: Access, find: (account: string) => Promise<StoredAccount | undefined>) {
    this.#access = access
    this.#find = find
  }

  /** Another account whose label looks like this one. */
  async find(asked: Labelled): Promise<Labelled | undefined> {
    for (const name of this.#namesOf(asked.label)) {
      const other = await this.#otherAt(name, asked)
      if (other) return other
    }
    return undefined
  }

  /** Claims the shapes of a label; resolves to another account whose label looks like it. */
  async claim(asked: Labelled): Promise<Labelled | undefined> {
    for (const name of this.#namesOf(asked.label)) {
      await this.#access.set('SET', name, asked.label, 'NX')
      const other = await this.#otherAt(name, asked)
      if (other) return other
      await this.#access.set('SET', name, asked.label)
    }
    return undefined
  }

  /** Claims the shapes of all labels there are, once in the life of a store: older builds wrote none. */
  async ready(): Promise<void> {
    this.#filling ??= this.#fill()
    try {
      await this.#filling
    } catch (error) {
      this.#filling = undefined
      throw error
    }
  }

  async #fill(): Promise<void> {
    const { ask, layout } = this.#access
    const done = await ask(layout.meta, client => client.hGet(layout.meta, SHAPED))
    if (done) return
    for (const beginning of ['opened:', 'label:'])
      for await (const names of this.#access.namesLike(layout.like(`${beginning}*`)))
        for (const some of chunksOf(names, CLAIMED_AT_ONCE))
          await Promise.all(some.map(name => this.#keep(layout.within(name).slice(beginning.length))))
    await this.#access.set('HSET', layout.meta, SHAPED, '1')
  }

  async #keep(label: string): Promise<void> {
    for (const name of this.#namesOf(label)) await this.#access.set('SET', name, label, 'NX')
  }

  #namesOf(label: string): readonly string[] {
    return [...new Set(shapeHashes(label))].map(hash => this.#access.layout.shape(hash))
  }

  async #otherAt(name: string, { label, account }: Labelled): Promise<Labelled | undefined> {
    const first = await this.#access.ask(name, client => client.get(name))
    if (first === null || first === label) return undefined
    const holder = await this.#holderOf(first, account)
    return holder === undefined ? undefined : { label: first, account: holder }
  }

  /** An account that has this label; one that an operator opens has it before its first key is made. */
  async #holderOf(label: string, except: string): Promise<string | undefined> {
    const { ask, layout } = this.#access
    const [opened, labelled] = [layout.opened(label), layout.labelled(label)]
    const holder = await ask(opened, client => client.get(opened))
    if (holder !== null) return holder
    const signedIn = await ask(labelled, client => client.sMembers(labelled))
    const others = signedIn.filter(account => account !== except).slice(0, LOOKED_AT)
    const found = await Promise.all(others.map(this.#find))
    return found.find(account => account?.label === label)?.account
  }
}

const CLAIMED_AT_ONCE = 200
/** Accounts that signed in under one label. */
const LOOKED_AT = 64
