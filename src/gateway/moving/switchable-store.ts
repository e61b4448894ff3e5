import { UnderWay } from '../lifetimes.ts'
import type { KeptBounds, KeptResponse } from '../store/response-store.ts'
import type { MovableStore, Store } from '../store/store.ts'

type Facets = Omit<Store, 'dump' | 'proveWritable' | 'close'>

/**
 * The store of a gateway, in whose place another one can be put while requests are served. While it is paused calls wait; reads of
 * many records go on where they are.
 */
export class SwitchableStore implements Store {
  readonly keys: Store['keys']
  readonly accounts: Store['accounts']
  readonly orgs: Store['orgs']
  readonly holds: Store['holds']
  readonly ledger: Store['ledger']
  readonly archive: Store['archive']
  readonly budgets: Store['budgets']
  readonly responses: Store['responses']
  readonly fleet: Store['fleet']
  readonly series: Store['series']
  #store: MovableStore
  #underWay = new UnderWay()
  #gate: Promise<void> | undefined
  #open = () => {}
  #news: News | undefined

  constructor(store: MovableStore) {
    this.#store = store
    const { holds, ledger, responses, ...others } = this.#facets()
    const current = () => this.#store
    this.keys = { ...others.keys, recallCaller: hash => this.#store.keys.recallCaller(hash) }
    this.accounts = {
      ...others.accounts,
      get scanOrders() {
        return current().accounts.scanOrders
      },
      readAll: () => this.#store.accounts.readAll(),
      scan: asked => this.#store.accounts.scan(asked),
      readAudit: query => this.#store.accounts.readAudit(query),
      readAuditBack: query => this.#store.accounts.readAuditBack(query),
    }
    this.orgs = { ...others.orgs, readAll: () => this.#store.orgs.readAll() }
    this.holds = {
      ...holds,
      settle: settlement => {
        this.#news?.ended(settlement.hold)
        return holds.settle(settlement)
      },
      refund: hold => {
        this.#news?.ended(hold)
        return holds.refund(hold)
      },
      // A row that nothing here caused would be missed, and one that is gone would be copied.
      sweep: async () => (this.#news ? 0 : holds.sweep()),
    }
    this.ledger = {
      ...ledger,
      recordWaste: rows => {
        for (const { bill } of rows) this.#news?.ended(bill)
        return ledger.recordWaste(rows)
      },
      trim: async (...asked) => (this.#news ? 0 : ledger.trim(...asked)),
      readRows: query => this.#store.ledger.readRows(query),
      readRecent: query => this.#store.ledger.readRecent(query),
      readTotals: query => this.#store.ledger.readTotals(query),
      readTools: query => this.#store.ledger.readTools(query),
      readWaste: query => this.#store.ledger.readWaste(query),
    }
    this.archive = others.archive
    this.budgets = others.budgets
    this.responses = {
      ...responses,
      keep: (response, bounds) => {
        this.#news?.kept(response, bounds)
        return responses.keep(response, bounds)
      },
      remove: (account, id) => {
        this.#news?.removed(account, id)
        return responses.remove(account, id)
      },
      sweep: async () => (this.#news ? 0 : responses.sweep()),
    }
    this.fleet = others.fleet
    this.series = others.series
  }

  get current(): MovableStore {
    return this.#store
  }

  /** From now on what ends is noted; what began before has ended once this resolves. */
  async watch(): Promise<News> {
    const news = new News()
    this.#news = news
    await this.begunBefore()
    return news
  }

  unwatch(): void {
    this.#news = undefined
  }

  /** Resolves once all calls are over that began before. */
  async begunBefore(): Promise<void> {
    const earlier = this.#underWay
    this.#underWay = new UnderWay()
    await earlier.none()
  }

  /** Calls that begin from now on wait until `resume`. Resolves once those before are over. */
  pause(): Promise<void> {
    this.#gate = new Promise(resolve => {
      this.#open = resolve
    })
    return this.begunBefore()
  }

  /** What waits goes on, on another store where there is one. */
  resume(next?: MovableStore): void {
    if (next) this.#store = next
    this.#gate = undefined
    this.#open()
  }

  dump: Store['dump'] = part => this.#store.dump(part)

  proveWritable(): Promise<void> {
    return this.#call(store => store.proveWritable())
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  #call<T>(run: (store: Store) => Promise<T>): Promise<T> {
    if (this.#gate) return this.#gate.then(() => this.#call(run))
    const underWay = this.#underWay
    const answer = run(this.#store)
    underWay.begin()
    const over = () => underWay.end()
    answer.then(over, over)
    return answer
  }

  /** The calls of each facet, by their names. */
  #facets(): Calls {
    const facets = Object.entries(CALLS).map(([facet, names]) => {
      const calls = Object.keys(names).map(name => {
        const call = (...asked: readonly unknown[]) =>
          this.#call(store => (store as unknown as Callable)[facet]?.[name]?.(...asked) as Promise<unknown>)
        return [name, call]
      })
      return [facet, Object.fromEntries(calls)]
    })
    return Object.fromEntries(facets) as Calls
  }
}

type Callable = Readonly<Record<string, Readonly<Record<string, (...asked: readonly unknown[]) => unknown>>>>

/** What happened to a store since it was copied. */
export class News {
  /** Accounts of requests that ended, by their ids. */
  #requests = new Map<string, string>()
  /** In their order. */
  readonly responses: ((to: Store['responses']) => Promise<unknown>)[] = []
  #bytes = 0

  ended({ requestId, account }: { readonly requestId: string; readonly account: string }): void {
    this.#requests.set(requestId, account)
  }

  kept(response: KeptResponse, bounds: KeptBounds): void {
    this.#bytes += response.sealed.length
    this.responses.push(to => to.keep(response, bounds))
  }

  removed(account: string, id: string): void {
    this.responses.push(to => to.remove(account, id))
  }

  /** Kept responses that wait to be kept again. */
  get bytes(): number {
    return this.#bytes
  }

  /** Requests that ended since the last call. */
  take(): ReadonlyMap<string, string> {
    const taken = this.#requests
    this.#requests = new Map()
    return taken
  }
}

/** Names of the methods of a facet that give a promise. */
type CallsOf<Facet> = {
  [Name in keyof Facet]: Facet[Name] extends (...asked: never[]) => Promise<unknown> ? Name : never
}[keyof Facet]

type Calls = { readonly [Name in keyof Facets]: Pick<Facets[Name], CallsOf<Facets[Name]>> }

/** The compiler asks for what a facet has. */
const CALLS: { readonly [Name in keyof Facets]: Readonly<Record<CallsOf<Facets[Name]>, true>> } = {
  keys: {
    findCaller: true,
    mint: true,
    rotate: true,
    revoke: true,
    list: true,
    listOf: true,
    findGuest: true,
    mintGuest: true,
    keepMintSecret: true,
    noteUses: true,
  },
  accounts: {
    signIn: true,
    find: true,
    findByLabel: true,
    changeTerms: true,
    noteChange: true,
    readSpend: true,
    readUsage: true,
    countEvent: true,
  },
  orgs: { open: true, find: true, changeTerms: true },
  holds: {
    admit: true,
    beginCounters: true,
    readRules: true,
    extend: true,
    heartbeat: true,
    settle: true,
    refund: true,
    sweep: true,
  },
  ledger: { recordWaste: true, readNewest: true, readPast: true, index: true, readRequest: true, trim: true },
  archive: { lease: true, release: true, readLeaving: true, remove: true, readWaiting: true },
  budgets: { take: true, amend: true, read: true },
  responses: { keep: true, sizeOf: true, read: true, readTotal: true, findByItem: true, remove: true, sweep: true },
  fleet: { announce: true, leave: true, read: true, setDrained: true, setChange: true, readChange: true },
  series: { write: true, read: true },
}
