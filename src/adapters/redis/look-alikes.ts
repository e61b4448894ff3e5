import { type Labelled, shapeHashes } from '../../gateway/accounts/look-alikes.ts'
import type { EpochMs } from '../../policy/config.ts'
import { dayAt } from '../../policy/counters/account-counters.ts'
import type { Access } from './access.ts'
import type { StoredAccount } from './account-hash.ts'
import { chunksOf } from './layout.ts'
import { SHAPED, SHAPED_ON } from './store-identity.ts'

/**
 * Shapes of labels, each with the first label of that shape. A label is stored under its own name before its shapes are
 * claimed: if a shape names a label that no account has, its account was renamed since, and the shape is taken over.
 */
export class LookAlikes {
  readonly #access: Access
  readonly #find: (account: string) => Promise<StoredAccount | undefined>
  #filling: Promise<EpochMs> | undefined
  /** When all labels are to be looked at. */
  #dueAt: EpochMs = 0

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

  /**
   * Claims the shapes of all labels there are: when a build that knows shapes first opens an account, and once more days later,
   * since older builds may go on beside it for a while and write labels without shapes.
   */
  async ready(): Promise<void> {
    if (this.#dueAt === NEVER) return
    const now = await this.#access.now()
    if (now < this.#dueAt) return
    this.#filling ??= this.#fillWhereDue(now)
    try {
      this.#dueAt = await this.#filling
    } finally {
      this.#filling = undefined
    }
  }

  /** Answers when it is due the next time. */
  async #fillWhereDue(now: EpochMs): Promise<EpochMs> {
    const { ask, layout } = this.#access
    const [shaped, day] = await ask(layout.meta, client => client.hmGet(layout.meta, [SHAPED, SHAPED_ON]))
    if (shaped === COMPLETE) return NEVER
    // A build that noted no day did it long ago.
    const isFirst = !shaped
    const dueOn = Number(day ?? 0) + DAYS_BETWEEN
    if (!isFirst && dayAt(now) < dueOn) return dueOn * DAY_MS
    await this.#fill()
    const noted = isFirst ? [SHAPED, ONCE, SHAPED_ON, String(dayAt(now))] : [SHAPED, COMPLETE]
    await this.#access.set('HSET', layout.meta, ...noted)
    return isFirst ? (dayAt(now) + DAYS_BETWEEN) * DAY_MS : NEVER
  }

  async #fill(): Promise<void> {
    const { layout } = this.#access
    for (const beginning of ['opened:', 'label:'])
      for await (const names of this.#access.namesLike(layout.like(`${beginning}*`)))
        for (const some of chunksOf(names, CLAIMED_AT_ONCE))
          await Promise.all(some.map(name => this.#keep(layout.within(name).slice(beginning.length))))
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

/** Values of SHAPED: all labels were looked at, and no older build may write any more. */
const ONCE = '1'
const COMPLETE = '2'
const NEVER: EpochMs = Number.POSITIVE_INFINITY
/** How long gateways may take to be upgraded one by one. */
const DAYS_BETWEEN = 7
const DAY_MS = 86_400_000

const CLAIMED_AT_ONCE = 200
/** Accounts that signed in under one label. */
const LOOKED_AT = 64
