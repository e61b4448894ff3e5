import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Lock, lockDirectory } from '../../adapters/embedded/store-directory.ts'
import type { Settings, StoreSettings } from '../../config/settings.ts'
import { type Moved, MoveFailed, move } from '../../gateway/moving/move.ts'
import { SwitchableStore } from '../../gateway/moving/switchable-store.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import { storeText } from '../failure.ts'
import type { World } from '../world.ts'
import { openFilling } from './fill-store.ts'
import { writeMoveNote } from './move-journal.ts'
import { type AsGateway, lockState, type OpenedStore, openStore, slotDirectory, storeProof } from './open-store.ts'

/** What is asked of a move. */
export interface MoveAsked {
  readonly to: StoreSettings
  /** Whether what the other store has is to go. */
  readonly replace: boolean
  /** What the gateway is called in the fleet. */
  readonly self: string
  readonly say: (text: string) => void
  readonly signal: AbortSignal
}

interface Begun {
  readonly settings: Settings
  readonly store: OpenedStore
  /** Of `state_dir`, where the store is in Redis. */
  readonly lock: Lock
}

interface MoverPorts {
  readonly world: World
  readonly alarm: Alarm
  readonly as: AsGateway
}

/** The store of a gateway of one process, which can be moved to another one while it serves. */
export class StoreMover {
  readonly store: SwitchableStore
  readonly #ports: MoverPorts
  readonly #settings: Settings
  #serving: StoreSettings
  #lock: Lock
  #prove: ReturnType<typeof storeProof>
  #isMoving = false
  /** Ends the store that served before. */
  #retire: (() => Promise<void>) | undefined

  constructor({ settings, store, lock }: Begun, ports: MoverPorts) {
    this.store = new SwitchableStore(store)
    this.#ports = ports
    this.#settings = settings
    this.#serving = settings.store
    this.#lock = lock
    this.#prove = storeProof(store, settings.store)
  }

  readonly proveStore: ReturnType<typeof storeProof> = next => this.#prove(next)

  async close(): Promise<void> {
    await this.#retire?.()
    await this.store.close()
  }

  /** Lets go of what the store does not let go of by itself. */
  release(): Promise<void> {
    return this.#lock.release()
  }

  /** Rejects with MoveFailed, or as the stores do; then nothing changed. */
  readonly move = async (asked: MoveAsked): Promise<Moved> => {
    await this.#retire?.()
    if (this.#isMoving) throw new MoveFailed('the store is being moved already')
    this.#isMoving = true
    try {
      await this.#refuse(asked.to)
      return await this.#move(asked)
    } finally {
      this.#isMoving = false
    }
  }

  async #refuse(to: StoreSettings): Promise<void> {
    const { ledger, server } = this.#settings
    const from = this.#serving
    if (from.kind === to.kind)
      throw new MoveFailed('a store is moved from embedded to Redis, or back: copy others while the gateway is stopped')
    if ([from, to].some(each => each.kind === 'redis' && /^rediss?\+cluster:/.test(each.shown)))
      throw new MoveFailed('a store in a cluster is copied while the gateway is stopped')
    if (ledger.archive) throw new MoveFailed('rows leave for an archive meanwhile: copy while the gateway is stopped')
    const spool = join(server.stateDir, 'spool')
    const slots = await readdir(slotDirectory(this.#settings, '')).catch(() => [])
    const kept = slots.flatMap(slot =>
      ['spool', 'journal'].map(name => join(slotDirectory(this.#settings, slot), name)),
    )
    const files = await Promise.all(kept.map(directory => readdir(directory).catch(() => [])))
    const waits = ['spool.ndjson', 'spool.telling.ndjson'].some(name => existsSync(join(spool, name)))
    if (waits || files.flat().length > 0)
      throw new MoveFailed(`settlements wait for a store in ${server.stateDir}: try it when they are written`)
  }

  async #move({ to, replace, self, say, signal }: MoveAsked): Promise<Moved> {
    const { world, alarm, as } = this.#ports
    const { stateDir } = this.#settings.server
    const settings = { ...this.#settings, store: to }
    const source = this.store.current
    const from = this.#serving
    const own = to.kind === 'embedded' ? to.path : stateDir
    await mkdir(own, { recursive: true, mode: 0o700 })
    // An embedded store in state_dir has the lock that a gateway on Redis has.
    const isSame = (await realpath(own)) === (await realpath(from.kind === 'embedded' ? from.path : stateDir))
    const lock = isSame ? this.#lock : to.kind === 'embedded' ? await lockDirectory(own) : await lockState(settings)
    const id = randomBytes(9).toString('base64url')
    const at = world.clock.now()
    const note = { id, from: storeText(from), to: storeText(to) }
    let moved: Moved
    try {
      if (to.kind === 'redis') await forgetRedis(stateDir)
      moved = await move({
        ...{ store: this.store, clock: world.clock, say, signal },
        marks: {
          moved: { state: 'moved', id, other: note.to, at },
          copy: { state: 'copy', id, other: note.from, at },
        },
        fill: () => openFilling(settings, world, replace, lock),
        open: () => openStore(settings, world, alarm, as, { lock }),
        journal: {
          begin: () => writeMoveNote(stateDir, { ...note, state: 'moving' }),
          commit: () => writeMoveNote(stateDir, { ...note, state: 'moved' }),
          end: () => writeMoveNote(stateDir, undefined),
        },
      })
    } catch (error) {
      if (!isSame) await lock.release()
      throw error
    }
    const next = this.store.current as OpenedStore
    this.#serving = to
    this.#prove = storeProof(next, to)
    this.#retireLater({ source, from, lock, isSame })
    // Else the store that was left has a gateway until that is forgotten.
    await source.fleet.leave(self).catch(() => {})
    try {
      await next.setMark(undefined)
      await writeMoveNote(stateDir, undefined)
    } catch (error) {
      // The next start does it, by the note.
      alarm('what the move of the store left behind is still there', { error: String(error) })
    }
    return moved
  }

  /** Those that read many records of it have some time for it. */
  #retireLater({
    source,
    from,
    lock,
    isSame,
  }: {
    source: { close(): Promise<void> }
    from: StoreSettings
    lock: Lock
    isSame: boolean
  }): void {
    const { stateDir } = this.#settings.server
    const before = this.#lock
    // An embedded store lets go of its own lock.
    this.#lock = from.kind === 'embedded' ? lock : { release: async () => {} }
    const timer = setTimeout(() => void this.#retire?.(), READERS_MS)
    timer.unref()
    let retired: Promise<void> | undefined
    const retire = async () => {
      clearTimeout(timer)
      await source
        .close()
        .catch(error => this.#ports.alarm('the store that was moved could not be closed', { error: String(error) }))
      if (from.kind === 'redis') {
        await forgetRedis(stateDir)
        if (!isSame) await before.release()
      } else if (isSame) this.#lock = await lockDirectory(stateDir)
    }
    this.#retire = () => {
      retired ??= retire()
      return retired
    }
  }
}

const READERS_MS: Millis = 5000

/** Which Redis it was, and what that acknowledged, is of no use to another one. */
async function forgetRedis(stateDir: string): Promise<void> {
  await rm(join(stateDir, 'store-epoch'), { force: true })
  await rm(join(stateDir, 'journal'), { recursive: true, force: true })
}
