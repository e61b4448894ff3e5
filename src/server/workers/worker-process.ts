import { Socket } from 'node:net'
import { join } from 'node:path'
import { openRemoteStore } from '../../adapters/remote/remote-store.ts'
import { assemble } from '../../config/load.ts'
import type { Loaded } from '../../config/settings.ts'
import { hasDescriptor } from '../../gateway/descriptors.ts'
import type { Alarm } from '../../gateway/ports.ts'
import { poolsHere } from '../../http/admin/admin-pools.ts'
import type { LogEntry } from '../../http/log-entry.ts'
import { type RunningGateway, startGateway } from '../gateway.ts'
import { lineOut } from '../log/line-out.ts'
import { type Knowing, KnownSecrets, ProcessLog } from '../log/log.ts'
import { loadSampler, tuneCollector } from '../machine.ts'
import { storedFor } from '../open-archive.ts'
import { openStore, storeProof } from '../open-store.ts'
import type { Parts, WorkerPart } from '../part.ts'
import type { Opened } from '../reloader.ts'
import { version } from '../version.ts'
import { within, world } from '../world.ts'
import type { MainCalls, WorkerCalls, WorkerTask } from './calls.ts'
import { CLIENT } from './door.ts'
import { type Channel, Peer } from './peer.ts'
import { PoolNews } from './pool-news.ts'

/** A process that serves clients, for main, which started it. It ends with main, and with the store. */
let gateway: RunningGateway | undefined
let parts: Parts | undefined
let news: PoolNews | undefined
const prepared = new Map<number, Opened>()
let begun: Promise<unknown> = Promise.resolve()
const calls: WorkerCalls = {
  start: task => {
    const listening = start(task)
    begun = listening
    return listening
  },
  prepare: async (generation, examined) => {
    await begun
    if (!parts) throw new Error('it does not serve')
    const loaded = assemble(examined)
    prepared.set(generation, await parts.open(loaded, generation))
    return loaded.fingerprint
  },
  commit: async generation => {
    const opened = prepared.get(generation)
    prepared.delete(generation)
    await opened?.serve()
  },
  abort: generation => {
    prepared.get(generation)?.drop()
    prepared.delete(generation)
  },
  metrics: async () => (await parts?.metrics.json()) ?? [],
  pools: () => (parts ? poolsHere(parts.current()) : []),
  news: told => news?.takeIn(told),
  lend: (pool, places) => parts?.pools.of(pool).slots.lend(places),
  recall: pool => parts?.pools.of(pool).slots.recall(),
  drain: async times => {
    const written = (await gateway?.leave(times)) ?? true
    setImmediate(() => process.exit(0))
    return written
  },
  cut: () => gateway?.cut(),
  ping: () => {},
}
const main = new Peer<MainCalls>(process as Channel, calls)
// Signals go to all processes of a terminal: main says what is to be done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit(1))
main.tell('born')

async function start(task: WorkerTask): Promise<void> {
  tuneCollector()
  const { slot, workers, adminToken } = task
  const loaded = assemble(task.examined)
  let current = (): Knowing => loaded
  const secrets = new KnownSecrets(adminToken)
  const { clock } = world
  const known = () => {
    secrets.know(current())
    return current().settings.log
  }
  const log = new ProcessLog({
    out: lineOut(process.stdout, { clock }),
    err: lineOut(process.stderr, { clock, atOnce: true }),
    settings: known,
    secrets,
    gateway: task.gateway,
    now: clock.now,
  })
  const alarm: Alarm = (...told) => log.alarm(...told)
  const store = await openShared(task, loaded, alarm)
  const ended = batches()
  const part: WorkerPart = {
    kind: 'worker',
    state: {
      store,
      close: most => within(most, store.close()),
      proveStore: storeProof(store, loaded.settings.store),
    },
    attach: attached => {
      parts = attached
      // Of what several processes may use together only what is lent.
      attached.pools.borrow(pool => ({
        want: (places, most) => main.tell('want', pool, places, most),
        giveBack: places => main.tell('giveBack', pool, places),
      }))
      news = new PoolNews(attached.pools, told => main.tell('news', told))
      for (const told of task.news) news.takeIn(told)
    },
    changed: (pool, replica) => news?.changed(pool, replica, clock.now()) ?? true,
    listen: server => {
      process.on('message', (message, socket) => {
        if (message !== CLIENT || !(socket instanceof Socket)) return
        // As node's own connections of HTTP: a client may end its side before it has its answer.
        socket.allowHalfOpen = true
        server.emit('connection', socket)
      })
      // With this node looks for requests that take too long.
      server.emit('listening')
    },
    decisions: all => ({
      ...all,
      directory: join(all.directory, `worker-${slot}`),
      files: Math.max(2, Math.floor(all.files / workers)),
    }),
    ended,
    alarmed: told => main.tell('alarmed', told),
  }
  gateway = await startGateway(loaded, world, {
    adminToken,
    part,
    log: (entry, config) => log.request(entry, config),
    alarm,
    clean: text => secrets.without(text),
    sample: loadSampler(),
    hasDescriptor,
    droppedLines: () => log.dropped,
  })
  const running = gateway
  current = () => running.app
  setInterval(async () => main.tell('counted', await calls.metrics()), COUNTED_MS).unref()
}

function openShared({ socket, slot }: WorkerTask, loaded: Loaded, alarm: Alarm) {
  // Without the store nothing is known of what runs.
  if (socket !== undefined) return openRemoteStore({ path: socket, version, lost: () => process.exit(1) })
  const { settings } = loaded
  const server = { ...settings.server, stateDir: join(settings.server.stateDir, 'workers', String(slot)) }
  return openStore({ ...settings, server }, world, alarm, { keep: () => storedFor(settings.ledger), wrote: () => {} })
}

/** Passes on the requests that are over together: ten times a second, and no more of them than operators can read. */
function batches(): (entries: readonly LogEntry[]) => void {
  let waiting: LogEntry[] = []
  let missed = 0
  let isDue = false
  const tell = () => {
    isDue = false
    main.tell('ended', waiting, missed)
    waiting = []
    missed = 0
  }
  return entries => {
    const room = MOST_ENTRIES - waiting.length
    waiting.push(...entries.slice(0, room))
    missed += Math.max(0, entries.length - room)
    if (isDue) return
    isDue = true
    setTimeout(tell, ENTRIES_MS)
  }
}

const COUNTED_MS = 1000
const ENTRIES_MS = 100
const MOST_ENTRIES = 250
