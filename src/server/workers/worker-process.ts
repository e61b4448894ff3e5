import type { Server } from 'node:http'
import { Socket } from 'node:net'
import { workerLog } from '../../adapters/decisions/rotation.ts'
import { openRemoteStore } from '../../adapters/remote/store.ts'
import { assemble } from '../../config/load.ts'
import type { Loaded } from '../../config/settings.ts'
import { hasDescriptor } from '../../gateway/descriptors.ts'
import type { ComparedOutcome } from '../../gateway/pools/pools.ts'
import { SharedBalance } from '../../gateway/pools/shared-balance.ts'
import type { Lender, Slots } from '../../gateway/pools/slots.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { RecentOf, Remembered } from '../../gateway/recent-requests.ts'
import { ConnectionRelease } from '../../http/listener/connection-release.ts'
import type { LogEntry } from '../../http/log-entry.ts'
import { poolsHere } from '../../http/shown-pools.ts'
import type { Config, Millis } from '../../policy/config.ts'
import type { WorkerApp } from '../app.ts'
import type { RunningProcess } from '../compose/gateway.ts'
import type { WorkerParts, WorkerPorts } from '../compose/ports.ts'
import { startWorker } from '../compose/worker.ts'
import { tuneCollector } from '../garbage.ts'
import { lineOut } from '../log/line-out.ts'
import { type Knowing, KnownSecrets, ProcessLog } from '../log/log.ts'
import { loadSampler } from '../machine.ts'
import { openState } from '../state/open-state.ts'
import { type AsGateway, NOTHING_NEW, slotDirectory } from '../state/open-store.ts'
import { version } from '../version.ts'
import { within, world } from '../world.ts'
import type { Client } from './acceptor.ts'
import { Attempts } from './attempts.ts'
import type { MainCalls, WorkerCalls, WorkerTask } from './calls.ts'
import { CountsElsewhere } from './client-counts.ts'
import { PassedFeed } from './passed-feed.ts'
import { type Channel, Peer } from './peer.ts'
import { PoolNews } from './pool-news.ts'
import { StartupBuffer } from './startup-buffer.ts'
import { vitalsReader } from './vitals.ts'

/** A process that serves clients, for main, which started it. It ends with main, and with the store. */
let gateway: RunningProcess<WorkerApp> | undefined
let parts: WorkerParts | undefined
let news: PoolNews | undefined
let balance: SharedBalance | undefined
let feed: PassedFeed | undefined
let elsewhere: CountsElsewhere | undefined
const vitals = vitalsReader()
const attempts = new Attempts()
const startup = new StartupBuffer()
const release = new ConnectionRelease()
let begun: Promise<unknown> = Promise.resolve()
const calls: WorkerCalls = {
  start: task => {
    const listening = start(task)
    begun = listening
    return listening
  },
  prepare: async (attempt, generation, examined) => {
    const loaded = assemble(examined)
    await attempts.open(attempt, async () => {
      await begun
      if (!parts) throw new Error('it does not serve')
      return parts.open(loaded, generation)
    })
    return loaded.fingerprint
  },
  commit: attempt => attempts.serve(attempt),
  abort: attempt => attempts.drop(attempt),
  metrics: async () => ({
    counted: (await parts?.metrics.json()) ?? [],
    vitals: vitals(),
    underWay: parts?.underWay() ?? 0,
  }),
  recent: account => remembered(account),
  find: requestId => parts?.recent.find(requestId),
  follow: isFollowed =>
    startup.hear(() => {
      if (feed) feed.isFollowed = isFollowed
    }),
  elsewhere: others => elsewhere?.know(others),
  pools: () => (parts ? poolsHere(parts.current()) : []),
  news: found => startup.hear(() => news?.takeIn(found)),
  // Before it serves it has no use for them.
  takeBalance: all => {
    for (const { source, news: found } of all) balance?.takeIn(source, found)
  },
  lostBalance: source => {
    balance?.gone(source)
    balance?.welcome()
  },
  welcome: () => balance?.welcome(),
  lend: (where, places) => startup.hear(() => lendAt(where, places)),
  recall: (where, forCopy) => startup.hear(() => slotsOfMain(where)?.recall(forCopy)),
  unready: () => startup.hear(() => parts?.unready()),
  release: (count, withStreams) => release.release(count, withStreams),
  drain: async times => {
    const written = (await gateway?.leave(times)) ?? true
    main.tell('counted', await calls.metrics())
    setImmediate(() => process.exit(0))
    return written
  },
  cut: () => gateway?.cut(),
  // Behind what this turn still has to say: then main knows that all it sent before has come, or never will.
  ping: () => new Promise(resolve => setImmediate(resolve)),
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
  const log = openLog(task, secrets, () => {
    secrets.know(current())
    return current().settings.log
  })
  const alarm: Alarm = (...told) => log.alarm(...told)
  const ports: WorkerPorts = {
    instance: `${task.gateway}/${slot}`,
    workers,
    openState: as => openShared(task, loaded, { alarm, as }),
    attach: attached => attach(attached, task),
    takesIn: () => news?.isTakingIn ?? false,
    recent: remembersAll,
    listen: serveHanded,
    decisions: all => ({
      ...all,
      directory: workerLog(all.directory, slot),
      files: Math.max(LEAST_FILES, Math.floor(all.files / workers)),
    }),
    feed: ports => {
      const most = Math.ceil(FEED_MOST / workers)
      feed = new PassedFeed(ports, { pass: passed => main.tell('passed', passed), most, isFollowed: task.isFollowed })
      return feed
    },
    elsewhere: new CountsElsewhere(
      counts => main.tell('clients', counts),
      () => current().settings.listener.connectionsPerAddress / (2 * workers),
    ),
    release,
    healthChecks: {
      // Without main this process ends; until then it checks by itself.
      claim: check => main.ask('claimCheck', check).catch(() => undefined),
      found: (check, verdict) => main.tell('foundVerdict', check, verdict),
    },
    alarmed: raised => main.tell('alarmed', raised),
  }
  elsewhere = ports.elsewhere as CountsElsewhere
  const hooks = {
    log: (entry: LogEntry, config: Config) => log.request(entry, config),
    alarm,
    clean: (text: string) => secrets.without(text),
    sample: loadSampler(),
    hasDescriptor,
    droppedLines: () => log.dropped,
  }
  gateway = await startWorker(loaded, world, hooks, ports)
  const running = gateway
  current = () => running.app
  let idle = 0
  setInterval(() => {
    const before = idle
    idle = release.idle
    if (idle !== before) main.tell('idle', idle)
  }, IDLE_TOLD_MS).unref()
  setInterval(async () => {
    main.tell('counted', await calls.metrics())
  }, COUNTED_MS).unref()
}

function openLog(
  { gateway, slot }: WorkerTask,
  secrets: KnownSecrets,
  settings: () => Loaded['settings']['log'],
): ProcessLog {
  const { clock } = world
  return new ProcessLog({
    out: lineOut(process.stdout, { clock }),
    err: lineOut(process.stderr, { clock, atOnce: true }),
    settings,
    secrets,
    gateway,
    worker: slot,
    now: clock.now,
  })
}

/** From here on what main sends reaches the parts of this process. */
function attach(attached: WorkerParts, task: WorkerTask): void {
  parts = attached
  // A budget that several processes share is used only as far as it is lent.
  const lenderOf = (pool: string, replica?: string) => mainAsLender(replica === undefined ? pool : `${pool} ${replica}`)
  news = new PoolNews(attached.pools, found => main.tell('news', found), lenderOf)
  for (const found of task.news) news.takeIn(found)
  balance = new SharedBalance({
    pools: attached.pools,
    clock: world.clock,
    poolOf: name => attached.current().config.pools.get(name),
    say: found => main.tell('balanced', found),
    isHeard: () => true,
    isTakingIn: () => news?.isTakingIn ?? false,
  })
  attached.pools.followOutcomes(gathered<ComparedOutcome>(outcomes => main.tell('compared', outcomes)))
  startup.open()
}

const lenders = new Map<string, Lender>()

function mainAsLender(where: string): Lender {
  const known = lenders.get(where)
  if (known) return known
  const lender: Lender = {
    want: (places, most) => main.ask('want', where, places, most),
    wantSpare: most => main.ask('wantSpare', where, most),
    giveBack: (places, wanted) => main.tell('giveBack', where, places, wanted),
  }
  lenders.set(where, lender)
  return lender
}

/** The slots there, where main lends them: those that the store leases are none of its business. */
function slotsOfMain(where: string): Slots | undefined {
  const slots = slotsAt(where)
  return slots?.borrowsFrom(mainAsLender(where)) ? slots : undefined
}

function lendAt(where: string, places: number): void {
  const slots = slotsOfMain(where)
  if (slots) slots.lend(places)
  else main.tell('giveBack', where, places, 0)
}

/** The slots of a pool, or of one of its replicas. Neither a name nor a URL has a space in it. */
function slotsAt(where: string): Slots | undefined {
  const [pool = '', replica] = where.split(' ')
  const state = parts?.pools.of(pool)
  return replica === undefined ? state?.slots : state?.replica(replica).slots
}

/** The store of all, or the worker's own way to Redis, with what waits for it in a directory of the slot. */
async function openShared({ socket, slot }: WorkerTask, loaded: Loaded, { alarm, as }: Opening) {
  const { settings } = loaded
  if (socket === undefined) {
    const server = { ...settings.server, stateDir: slotDirectory(settings, slot) }
    const own = { settings: { ...settings, server }, files: loaded.files }
    return openState(own, world, alarm, as)
  }
  // Without the store nothing is known of what runs.
  const store = await openRemoteStore({ path: socket, version, lost: () => process.exit(1) })
  return {
    store,
    close: (most: Millis) => within(most, store.close()),
    // How main reaches the store is main's affair.
    proveStore: async () => NOTHING_NEW,
  }
}

interface Opening {
  readonly alarm: Alarm
  readonly as: AsGateway
}

/** Serves the connections that main hands over, and says when they are closed. */
function serveHanded(server: Server): void {
  const taken = gathered<number>(numbers => main.tell('taken', numbers))
  const closed = gathered<string>(addresses => main.tell('closed', addresses))
  process.on('message', (message: Client, socket) => {
    if (!(socket instanceof Socket)) return
    taken(message.number)
    socket.once('close', () => closed(message.client))
    // As connections that node itself takes for HTTP: a client may end its side before it has its answer.
    socket.allowHalfOpen = true
    server.emit('connection', socket)
  })
  // With this node looks for requests that take too long.
  server.emit('listening')
}

/** Passes on the messages of one turn together. */
function gathered<T>(pass: (all: readonly T[]) => void): (one: T) => void {
  let all: T[] = []
  return one => {
    if (all.push(one) > 1) return
    setImmediate(() => {
      pass(all)
      all = []
    })
  }
}

const remembered = (account: string | undefined): RecentOf => {
  if (!parts) return { requests: [], since: Date.now() }
  return account === undefined ? parts.recent.newest() : parts.recent.newestOf(account)
}

/** An account sees what all workers remember of it. */
const remembersAll: Remembered = {
  newest: () => remembered(undefined),
  newestOf: account => main.ask('recentOf', account).catch(() => remembered(account)),
  find: requestId => parts?.recent.find(requestId),
}

const COUNTED_MS = 1000
/** As often as main compares its workers. */
const IDLE_TOLD_MS = 500
/** The least number of files of the decision log. */
const LEAST_FILES = 2
/** Requests that operators see in a tenth of a second, of all workers. */
const FEED_MOST = 1000
