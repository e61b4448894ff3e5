import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Loaded, Settings } from '../../config/settings.ts'
import type { Alarm, Cancel } from '../../gateway/ports.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { Millis } from '../../policy/config.ts'
import { workerCount } from '../worker-count.ts'
import { type World, within } from '../world.ts'
import {
  type AsGateway,
  closeState,
  filesIn,
  LOCK_PATIENCE_MS,
  lockState,
  openStore,
  StateTaken,
  slotDirectory,
  storeProof,
} from './open-store.ts'

/** Opens all that a gateway owns. `close` resolves with whether everything was written within `most`. */
export async function openState(
  loaded: Pick<Loaded, 'settings' | 'files'>,
  world: World,
  alarm: Alarm,
  as: AsGateway,
): Promise<OpenState> {
  const { settings } = loaded
  await closeState(loaded, alarm)
  const lock = await lockState(settings, LOCK_PATIENCE_MS)
  const store = await openStore(settings, world, alarm, as).catch(async error => {
    await lock.release()
    throw error
  })
  const left = await openLeft(settings, world, alarm, as)
  const close = async (most: Millis) => {
    const closing = Promise.all([store.close(), left()])
    const written = await within(most, closing).catch(error => {
      alarm('the store could not be closed', { error: String(error) })
      return false
    })
    // While this process still writes there, no other one may take the directory.
    if (written) await lock.release()
    return written
  }
  return { store, close, proveStore: storeProof(store, settings.store) }
}

/** The store of a gateway, and what goes with it. */
export interface OpenState {
  readonly store: Store
  readonly proveStore: ReturnType<typeof storeProof>
  close(most: Millis): Promise<boolean>
}

/**
 * Opens the store as workers did that there are no more, so that what waits in their directories is written. Resolves to
 * what closes them.
 */
async function openLeft(settings: Settings, world: World, alarm: Alarm, as: AsGateway): Promise<() => Promise<void>> {
  const slots = settings.store.kind === 'redis' ? await readdir(slotDirectory(settings, '')).catch(() => []) : []
  const count = workerCount(settings)
  const left = slots.filter(slot => count === 1 || !(Number(slot) < count))
  const closes: (() => Promise<void>)[] = []
  const waiting = new Map<string, Cancel>()
  let isOver = false
  const openSlot = async (slot: string) => {
    const server = { ...settings.server, stateDir: slotDirectory(settings, slot) }
    const [spooled, journalled] = await Promise.all(
      ['spool', 'journal'].map(name => filesIn(join(server.stateDir, name))),
    )
    if (!spooled?.length && !journalled?.length) return
    const own = { ...settings, server }
    const lock = await lockState(own, LOCK_PATIENCE_MS)
    const store = await openStore(own, world, alarm, as).catch(async error => {
      await lock.release()
      throw error
    })
    const close = async () => {
      await store.close()
      await lock.release()
    }
    if (isOver) await close()
    else closes.push(close)
  }
  const openLater = (slot: string) => {
    const again = () => openSlot(slot).catch(() => openLater(slot))
    if (!isOver) waiting.set(slot, world.clock.after(AGAIN_MS, again))
  }
  const open = (slot: string) =>
    openSlot(slot).catch(error => {
      // Its worker hangs, and has it still.
      if (!(error instanceof StateTaken)) throw error
      alarm('what a worker left is not written yet, and is tried again', { slot, error: String(error) })
      openLater(slot)
    })
  await Promise.all(left.map(open))
  return async () => {
    isOver = true
    for (const cancel of waiting.values()) cancel()
    await Promise.all(closes.map(close => close()))
  }
}

const AGAIN_MS: Millis = 5000
