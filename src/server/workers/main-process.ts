import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRemoteStore } from '../../adapters/remote/store.ts'
import type { Loaded } from '../../config/settings.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { MainApp } from '../app.ts'
import type { RunningGateway } from '../compose/gateway.ts'
import { startMain } from '../compose/main.ts'
import { closeState, NOTHING_NEW } from '../state/open-store.ts'
import { version } from '../version.ts'
import { type World, within } from '../world.ts'
import { Main, type MainHooks, type SharedStore } from './main.ts'
import { startStoreProcess } from './store-child.ts'

interface TreeHooks extends Omit<MainHooks, 'clock'> {
  /** The store ended, and with it all that runs: the process is to end. */
  readonly lost: () => void
}

/** Starts a gateway of several processes: this one for operators, workers for clients, and one that has the embedded store. */
export async function startTree(loaded: Loaded, world: World, hooks: TreeHooks): Promise<RunningGateway<MainApp>> {
  const { store: settings } = loaded.settings
  if (settings.kind !== 'embedded') {
    const main = mainOf(loaded, world, hooks)
    return startMain(loaded, world, hooks, main.ports())
  }
  await mkdir(settings.path, { recursive: true, mode: 0o700 })
  const socket = socketOf(settings.path)
  const early: Alarm = (...told) => hooks.alarm(...told)
  const { stateDir } = loaded.settings.server
  const memory = { stateDir, mayBegin: hooks.newStore === true, remembers: true }
  const child = await startStoreProcess(settings, socket, memory, early)
  let isOver = false
  const lost = () => {
    if (isOver) return
    isOver = true
    hooks.lost()
  }
  void child.ended.then(lost)
  // The connection is never made anew: without it all that main asks of the store would fail, for as long as it runs.
  const store: Store = await openRemoteStore({ path: socket, version, lost })
  const close = async (most: number) => {
    isOver = true
    const closing = store.close().then(() => child.close())
    if (await within(most, closing)) return closing
    // It has the lock, for which the next gateway waits; what is on disk is whole at any moment.
    child.kill()
    return false
  }
  const main = mainOf(loaded, world, hooks, { socket, child })
  return startMain(loaded, world, hooks, {
    ...main.ports(),
    openState: async () => {
      await closeState(loaded, early)
      return { store, close, proveStore: async () => NOTHING_NEW }
    },
  })
}

function mainOf(loaded: Loaded, { clock }: World, hooks: TreeHooks, shared?: SharedStore): Main {
  const main = new Main(loaded, { ...hooks, clock }, shared)
  process.once('exit', () => main.kill())
  return main
}

/** Unix sockets have short names. */
function socketOf(path: string): string {
  const socket = join(path, 'store.sock')
  if (Buffer.byteLength(socket) <= SOCKET_PATH_MAX) return socket
  return join(tmpdir(), `store-${createHash('sha256').update(path).digest('hex').slice(0, 24)}.s.sock`)
}

const SOCKET_PATH_MAX = 92
