import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Counted, MergedMetrics } from '../../adapters/metrics/merged.ts'
import { openRemoteStore } from '../../adapters/remote/remote-store.ts'
import { examinedOf } from '../../config/load.ts'
import type { Loaded } from '../../config/settings.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { ShownPool } from '../../wire/admin/pool.ts'
import { type GatewayHooks, type RunningGateway, startGateway } from '../gateway.ts'
import type { MainPart, Parts } from '../part.ts'
import { gatewayName, version } from '../version.ts'
import { type World, within } from '../world.ts'
import type { MainCalls, WorkerTask } from './calls.ts'
import { Door } from './door.ts'
import { Places } from './places.ts'
import { PoolNews, type ReplicaNews } from './pool-news.ts'
import { LineRelay } from './relay.ts'
import { type StoreChild, startStoreProcess } from './store-child.ts'
import { Workers } from './workers.ts'

export interface MainHooks extends GatewayHooks {
  readonly workers: number
  /** The store ended, and with it all that runs: the process is to end. */
  readonly lost: () => void
}

/** Starts a gateway of several processes: this one for operators, workers for clients, and one that has the embedded store. */
export async function startMain(loaded: Loaded, world: World, hooks: MainHooks): Promise<RunningGateway> {
  const { store: settings } = loaded.settings
  const early: Alarm = (...told) => hooks.alarm(...told)
  if (settings.kind !== 'embedded')
    return startGateway(loaded, world, { ...hooks, part: new Main(loaded, hooks).part() })
  await mkdir(settings.path, { recursive: true, mode: 0o700 })
  const socket = socketOf(settings.path)
  const child = await startStoreProcess(settings, socket, early)
  let isLeaving = false
  void child.ended.then(() => isLeaving || hooks.lost())
  const store = await openRemoteStore({ path: socket, version, lost: () => {} })
  const close = async () => {
    isLeaving = true
    await store.close()
    return child.close()
  }
  const main = new Main(loaded, hooks, { socket, store, child, close })
  return startGateway(loaded, world, { ...hooks, part: main.part() })
}

/** Unix sockets have short names. */
function socketOf(path: string): string {
  const socket = join(path, 'store.sock')
  if (Buffer.byteLength(socket) <= SOCKET_PATH_MAX) return socket
  return join(tmpdir(), `store-${createHash('sha256').update(path).digest('hex').slice(0, 24)}.s.sock`)
}

const SOCKET_PATH_MAX = 92

interface SharedStore {
  readonly socket: string
  readonly store: Store
  readonly child: StoreChild
  readonly close: () => Promise<boolean>
}

/** What main does for its workers. */
class Main {
  readonly #hooks: MainHooks
  readonly #shared: SharedStore | undefined
  readonly #workers: Workers
  readonly #door: Door
  readonly #metrics = new MergedMetrics()
  readonly #places = new Places(
    (slot, pool, places) => this.#workers.tellOne(slot, 'lend', pool, places),
    (slot, pool) => this.#workers.tellOthers(slot, 'recall', pool),
  )
  readonly #relay = new LineRelay(process.stdout)
  /** What serves, and its generation. */
  #serving: Loaded
  #generation = 1
  #parts: Parts | undefined
  #news: PoolNews | undefined
  /** What a worker that begins has to know of replicas. */
  readonly #known = new Map<string, ReplicaNews>()

  constructor(loaded: Loaded, hooks: MainHooks, shared?: SharedStore) {
    this.#serving = loaded
    this.#hooks = hooks
    this.#shared = shared
    this.#workers = new Workers({
      count: hooks.workers,
      task: slot => this.#task(slot),
      calls: slot => this.#calls(slot),
      ready: () => this.#door.open(),
      gone: slot => {
        this.#places.end(slot)
        void this.#metrics.end(slot)
      },
      out: this.#relay,
      alarm: (...told) => (this.#parts?.alarm ?? hooks.alarm)(...told),
    })
    this.#door = new Door(this.#workers)
  }

  part(): MainPart {
    const workers = this.#workers
    return {
      kind: 'main',
      ...(this.#shared && {
        state: { store: this.#shared.store, close: most => this.#closed(most), proveStore: async () => () => {} },
      }),
      attach: parts => {
        this.#parts = parts
        this.#news = new PoolNews(parts.pools, news => this.#heard(news, MAIN))
      },
      changed: (pool, replica) => this.#news?.changed(pool, replica, Date.now()) ?? true,
      clients: {
        listen: async () => {
          const listening = await this.#door.listen(this.#serving.settings.server.listen)
          await workers.start()
          return listening
        },
        drain: times => {
          this.#door.close()
          return workers.drain(times)
        },
        cut: () => workers.cut(),
        destroy: () => this.#door.close(),
      },
      open: async (loaded, generation) => {
        const { commit, abort } = await workers.prepare(generation, examinedOf(loaded), loaded.fingerprint)
        return {
          commit: () => {
            // A worker that begins from now on begins with it.
            this.#serving = loaded
            this.#generation = generation
            return commit()
          },
          abort,
        }
      },
      exposition: () => this.#exposition(),
      process: { poolsOfOthers: () => workers.askAll<readonly ShownPool[]>(peer => peer.ask('pools'), []) },
    }
  }

  async #closed(most: number): Promise<boolean> {
    const closing = this.#shared?.close() ?? Promise.resolve(true)
    return (await within(most, closing)) && closing
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
      news: [...this.#known.values()],
      ...(this.#shared && { socket: this.#shared.socket }),
    }
  }

  #calls(slot: number): Omit<MainCalls, 'born'> {
    return {
      ended: entries => {
        const parts = this.#parts
        if (!parts) return
        const { config } = parts.current()
        for (const entry of entries) {
          parts.recent.add(entry)
          parts.feed.tell(entry, config)
        }
      },
      alarmed: ({ message, fields }) => {
        const newest = this.#parts?.alarms.add(message, fields)
        if (newest) this.#parts?.feed.alarmed(newest)
      },
      news: news => this.#heard(news, slot),
      want: (pool, places, most) => this.#places.want(slot, pool, places, most),
      giveBack: (pool, places) => this.#places.giveBack(slot, pool, places),
      counted: counted => this.#metrics.know(slot, counted as Counted),
    }
  }

  /** From a worker, or from this process itself. */
  #heard(news: ReplicaNews, from: number): void {
    const place = `${news.what === 'drained' ? 'drained' : 'breaker'} ${news.pool} ${news.replica ?? ''}`
    this.#known.set(place, news)
    if (from !== MAIN) this.#news?.takeIn(news)
    this.#workers.tellOthers(from, 'news', news)
  }

  async #exposition() {
    const parts = this.#parts
    if (!parts) throw new Error('nothing serves yet')
    const [counted, stored] = await Promise.all([
      this.#workers.askAll(peer => peer.ask('metrics'), [] as readonly object[]),
      this.#shared?.child.metrics().catch(() => []),
    ])
    counted.forEach((each, slot) => {
      this.#metrics.know(slot, each as Counted)
    })
    if (stored) this.#metrics.know(STORE, stored)
    const { processMetrics } = this.#hooks
    const text = await this.#metrics.text(await parts.metrics.json(), processMetrics ? [processMetrics] : [])
    return { type: 'text/plain; version=0.0.4; charset=utf-8', text }
  }
}

/** In place of a slot. */
const MAIN = -1
const STORE = -2
