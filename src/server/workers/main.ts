import type { Registry } from 'prom-client'
import { trimLogs } from '../../adapters/decisions/rotation.ts'
import { examinedOf } from '../../config/load.ts'
import type { Loaded } from '../../config/settings.ts'
import type { Clock } from '../../gateway/ports.ts'
import { joined, type RecentOf, type Remembered, USUAL_SIZES } from '../../gateway/recent-requests.ts'
import { type ClientAddresses, clientAddresses } from '../../http/listener/client-address.ts'
import type { Millis } from '../../policy/config.ts'
import type { ShownPool } from '../../wire/admin/pool.ts'
import type { KnownProcess, WorkerState } from '../../wire/admin/process.ts'
import type { MainParts, MainPorts } from '../compose/ports.ts'
import type { LineOut } from '../log/line-out.ts'
import type { GatewayHooks } from '../parts/hooks.ts'
import { gatewayName } from '../version.ts'
import { Acceptor } from './acceptor.ts'
import { Balance } from './balance.ts'
import { BalanceRelay, nameOf } from './balance-relay.ts'
import type { MainCalls, WorkerTask } from './calls.ts'
import { ClaimedChecks } from './claimed-checks.ts'
import { CountsOfWorkers } from './client-counts.ts'
import { PoolNews, type ReplicaNews } from './pool-news.ts'
import { ProcessCounts, STORE } from './process-counts.ts'
import { SlotLeases } from './slot-leases.ts'
import type { StoreChild } from './store-child.ts'
import { vitalsReader } from './vitals.ts'
import { ANSWER_MS, forkWorker, Workers } from './workers.ts'

export interface MainHooks extends GatewayHooks {
  /** How many workers there are. */
  readonly workers: number
  /** Where the lines of this process go, and with them those of its workers. */
  readonly out: LineOut
  readonly err: LineOut
  readonly clock: Clock
}

/** The process that has the embedded store, and where it is reached. */
export interface SharedStore {
  readonly socket: string
  readonly child: StoreChild
}

/** Main's work for its workers. */
export class Main {
  readonly #hooks: MainHooks
  readonly #shared: SharedStore | undefined
  readonly #workers: Workers
  readonly #acceptor: Acceptor
  readonly #balance: Balance
  readonly #relay: BalanceRelay
  readonly #counts = new ProcessCounts()
  readonly #ownVitals = vitalsReader()
  readonly #leases = new SlotLeases(
    (slot, pool, places) => this.#workers.tellOne(slot, 'lend', pool, places),
    (slot, pool, forCopy) => this.#workers.tellOne(slot, 'recall', pool, forCopy),
  )
  readonly #checks: ClaimedChecks
  readonly #clients = new CountsOfWorkers((slot, others) => this.#workers.tellOne(slot, 'elsewhere', others))
  /** The serving configuration, its generation, and its proxies' addresses. */
  #serving: Loaded
  #generation = 1
  #addresses: ClientAddresses
  #parts: MainParts | undefined
  #news: PoolNews | undefined
  #isFollowed = false
  /** Operators can be answered: until then connections of clients wait. */
  #isServing = false
  /** Which worker tries an ejected replica. */
  readonly #trials = new Map<string, Trial>()

  constructor(loaded: Loaded, hooks: MainHooks, shared?: SharedStore) {
    this.#serving = loaded
    this.#addresses = clientAddresses(loaded.settings.server.trustedProxies)
    this.#hooks = hooks
    this.#shared = shared
    this.#checks = new ClaimedChecks(hooks.clock.elapsed)
    const alarm: MainHooks['alarm'] = (...what) => (this.#parts?.alarm ?? hooks.alarm)(...what)
    this.#workers = new Workers({
      count: hooks.workers,
      task: slot => this.#task(slot),
      calls: slot => this.#calls(slot),
      ready: () => this.#openDoor(),
      pinged: slot => this.#acceptor.mark(slot),
      gone: slot => this.#gone(slot),
      out: hooks.out,
      err: hooks.err,
      ...{ alarm, clock: hooks.clock, fork: forkWorker },
    })
    this.#acceptor = new Acceptor({
      next: inUseOf => (this.#isServing ? this.#workers.next(inUseOf) : undefined),
      limits: () => this.#serving.settings.listener,
      addresses: () => this.#addresses,
      alarm,
    })
    this.#relay = new BalanceRelay({
      clock: hooks.clock,
      workers: hooks.workers,
      tell: (slot, news) => this.#workers.tellOne(slot, 'takeBalance', news),
    })
    this.#balance = new Balance({
      clock: hooks.clock,
      serving: () => this.#workers.serving.map(slot => ({ slot, connections: this.#acceptor.inUseOf(slot) })),
      release: (slot, count, withStreams) => this.#workers.tellOne(slot, 'release', count, withStreams),
    })
  }

  /** The process ends: no worker is to outlive it, also where one hangs and does not see that. */
  kill(): void {
    this.#workers.kill()
  }

  ports(): MainPorts {
    const workers = this.#workers
    return {
      attach: parts => {
        this.#parts = parts
        this.#news = new PoolNews(parts.pools, news => workers.tell('news', news))
      },
      takesIn: () => this.#news?.isTakingIn ?? false,
      balance: {
        heard: (source, news) => this.#relay.add(source, news),
        arrived: () => workers.tell('welcome'),
      },
      clients: {
        listen: async () => {
          const { server, decisions } = this.#serving.settings
          await trimLogs(decisions.directory, this.#hooks.workers, decisions.files)
          const listening = await this.#acceptor.listen(server.listen)
          await workers.start()
          this.#balance.start()
          return listening
        },
        open: () => {
          this.#isServing = true
          this.#openDoor()
        },
        drain: times => {
          this.#balance.stop()
          this.#acceptor.close()
          return workers.drain(times)
        },
        cut: () => workers.cut(),
        destroy: () => {
          this.#balance.stop()
          this.#acceptor.close()
          workers.end()
        },
      },
      open: async (loaded, generation) => {
        const { commit, abort } = await workers.prepare(generation, examinedOf(loaded), loaded.fingerprint)
        const serve = () => {
          // A worker that begins from now on begins with it.
          this.#serving = loaded
          this.#generation = generation
          this.#addresses = clientAddresses(loaded.settings.server.trustedProxies)
          return commit()
        }
        return { commit: serve, abort }
      },
      registries: () => this.#registries(),
      leaving: () => workers.leave(),
      underWay: () => this.#counts.underWay,
      followed: isFollowed => {
        this.#isFollowed = isFollowed
        workers.tell('follow', isFollowed)
      },
      process: {
        poolsOfOthers: () => workers.askAll<readonly ShownPool[]>(peer => peer.ask('pools'), []),
        recent: this.#recent,
        workers: () => this.#states(),
        processes: () => this.#processes(),
      },
    }
  }

  #openDoor(): void {
    if (this.#isServing) this.#acceptor.open()
  }

  #task(slot: number): WorkerTask {
    const { workers, adminToken } = this.#hooks
    return {
      slot,
      workers,
      examined: examinedOf(this.#serving),
      generation: this.#generation,
      gateway: gatewayName,
      adminToken,
      news: this.#news?.known(Date.now()) ?? [],
      isFollowed: this.#isFollowed,
      ...(this.#shared && { socket: this.#shared.socket }),
    }
  }

  #calls(slot: number): Omit<MainCalls, 'born'> {
    return {
      passed: ({ ended, began, missed }) => {
        const { feed, current } = this.#parts ?? {}
        if (!feed || !current) return
        const { config } = current()
        for (const account of began) feed.began(account)
        for (const entry of ended) feed.tell(entry, config)
        if (missed > 0) feed.missed(missed)
      },
      alarmed: ({ message, fields }) => {
        const { alarms, incidents, feed } = this.#parts ?? {}
        const newest = alarms?.add(message, fields)
        if (!newest) return
        incidents?.hear(newest, nameOf(slot))
        feed?.alarmed(newest)
      },
      news: news => this.#heard(news, slot),
      compared: outcomes => {
        for (const outcome of outcomes) this.#parts?.canaries.add(outcome)
      },
      balanced: news => {
        this.#relay.add(nameOf(slot), news)
        this.#parts?.balance.add(nameOf(slot), news)
      },
      want: (pool, places, most) => this.#leases.want(slot, pool, places, most),
      wantSpare: (pool, most) => this.#leases.wantSpare(slot, pool, most),
      giveBack: (pool, places, wanted) => this.#leases.giveBack(slot, pool, places, wanted),
      claimCheck: check => this.#checks.claim(slot, check),
      foundVerdict: (check, verdict) => this.#checks.found(slot, check, verdict),
      taken: numbers => this.#acceptor.taken(slot, numbers),
      closed: addresses => this.#acceptor.closed(slot, addresses),
      idle: count => this.#acceptor.idle(slot, count),
      clients: counts => this.#clients.report(slot, counts, this.#workers.size),
      recentOf: async account => this.#recent.newestOf(account),
      counted: metrics => this.#counts.know(slot, metrics),
    }
  }

  /** From a worker: for the others, and for those that begin later. */
  #heard(news: ReplicaNews, slot: number): void {
    this.#news?.takeIn(news)
    this.#workers.tellOthers(slot, 'news', news)
    if (news.what !== 'breaker') return
    const { pool, replica = '' } = news
    const place = `${pool} ${replica}`
    if (news.breaker.isTried) this.#trials.set(place, this.#trials.get(place) ?? { pool, replica, slot })
    else this.#trials.delete(place)
  }

  /** A worker ended: its slots are free. */
  #gone(slot: number): void {
    this.#acceptor.end(slot)
    this.#leases.end(slot)
    this.#checks.end(slot)
    this.#clients.end(slot, this.#workers.size)
    this.#counts.end(slot)
    this.#workers.tellOthers(slot, 'lostBalance', nameOf(slot))
    this.#parts?.balance.gone(nameOf(slot))
    this.#parts?.incidents.processEnded(nameOf(slot))
    for (const [place, trial] of this.#trials) {
      if (trial.slot !== slot) continue
      this.#trials.delete(place)
      this.#parts?.pools.of(trial.pool).replica(trial.replica).breaker.abandonTrial()
    }
  }

  /** The requests that all workers remember. Those of a worker that does not answer in time may be missing. */
  readonly #recent: Remembered = {
    newest: () => this.#recentOf(undefined, USUAL_SIZES.all),
    newestOf: account => this.#recentOf(account, USUAL_SIZES.each),
    find: async requestId => {
      const found = await this.#workers.askAll(peer => peer.ask('find', requestId), undefined, REMEMBERED_MS)
      return found.find(Boolean)
    },
  }

  async #recentOf(account: string | undefined, most: number): Promise<RecentOf> {
    const nothing = { requests: [], since: Date.now() }
    return joined(await this.#workers.askAll(peer => peer.ask('recent', account), nothing, REMEMBERED_MS), most)
  }

  /** Makes all processes report their counts. */
  #recount(): Promise<void> {
    const ofStore = this.#shared?.child.metrics()
    return this.#counts.recount(
      new Map([...(ofStore ? [[STORE, ofStore] as const] : []), ...this.#workers.askEach(peer => peer.ask('metrics'))]),
      ANSWER_MS,
    )
  }

  #states(): readonly WorkerState[] {
    return this.#workers.states.map(each => ({
      ...each,
      connections: this.#acceptor.connectionsOf(each.worker),
      inFlight: this.#counts.underWayOf(each.worker),
    }))
  }

  async #processes(): Promise<readonly KnownProcess[]> {
    await this.#recount()
    const { startedAt } = this.#parts?.current().about ?? { startedAt: Date.now() }
    const others = { worker: null, state: 'serving', restarts: 0, connections: 0, inFlight: 0 } as const
    const main: KnownProcess = { ...others, process: 'main', pid: process.pid, startedAt, vitals: this.#ownVitals() }
    const workers = this.#states().map(
      (state): KnownProcess => ({ ...state, process: 'worker', vitals: this.#counts.vitalsOf(state.worker) }),
    )
    if (!this.#shared) return [main, ...workers]
    const { pid, startedAt: begun } = this.#shared.child
    return [
      main,
      ...workers,
      { ...others, process: 'store', pid, startedAt: begun, vitals: this.#counts.vitalsOf(STORE) },
    ]
  }

  async #registries(): Promise<readonly Registry[]> {
    const parts = this.#parts
    if (!parts) throw new Error('nothing serves yet')
    await this.#recount()
    const { processMetrics } = this.#hooks
    const all = this.#counts.registries(await parts.metrics.json())
    return [...all, ...(processMetrics ? [processMetrics] : [])]
  }
}

interface Trial {
  readonly pool: string
  readonly replica: string
  readonly slot: number
}

/** Thousands of requests take longer to be passed on than counts. */
const REMEMBERED_MS: Millis = 2000
