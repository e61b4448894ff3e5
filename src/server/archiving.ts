import type { Settings } from '../config/settings.ts'
import { withArchive } from '../gateway/archive/archived-ledger.ts'
import { Archiver, type Archiving } from '../gateway/archive/archiver.ts'
import type { Alarm } from '../gateway/ports.ts'
import type { Store } from '../gateway/store/store.ts'
import type { Millis } from '../policy/config.ts'
import { openArchive } from './open-archive.ts'
import { gatewayName } from './version.ts'
import { type World, within } from './world.ts'

interface ArchivingPorts extends Pick<World, 'clock' | 'random'> {
  /** As the files say at this moment. */
  readonly ledger: () => Settings['ledger']
  readonly alarm: Alarm
  /** Set where another process of the gateway takes rows there. */
  readonly isReader?: boolean
}

/** The archive of a gateway: its store, read together with it, and what takes rows there. */
export interface RunningArchive {
  readonly store: Store
  /** Undefined where the files name none. */
  readonly state: () => Archiving | undefined
  close(most: Millis): Promise<void>
}

/** Begins to archive where the files say so. Never connects before there is something to do. */
export async function startArchiving(
  store: Store,
  { brand, ledger: { archive: settings } }: Pick<Settings, 'brand' | 'ledger'>,
  { ledger, clock, random, alarm, isReader = false }: ArchivingPorts,
): Promise<RunningArchive> {
  if (!settings) return { store, state: () => undefined, close: async () => {} }
  const now = () => ledger().archive ?? settings
  const archive = await openArchive(settings, brand, now)
  const joined = archive.reader ? withArchive(store, archive.reader, clock.now) : store
  if (isReader)
    return { store: joined, state: () => undefined, close: async most => void (await within(most, archive.close())) }
  const holder = `${gatewayName}:${Buffer.from(random(6)).toString('hex')}`
  const archiver = new Archiver({ store: store.archive, archive, keep: () => now().keep, holder, clock, alarm })
  return {
    store: joined,
    state: () => archiver.state,
    close: async most => {
      await within(most, archiver.close())
      await within(most, archive.close()).catch(error =>
        alarm('the archive of the ledger could not be closed', { error: String(error) }),
      )
    },
  }
}

/** The store of a tool with what left it. */
export async function openArchived(
  store: Store,
  { brand, ledger: { archive: settings } }: Pick<Settings, 'brand' | 'ledger'>,
  now: World['clock']['now'],
): Promise<Store> {
  if (!settings) return store
  const archive = await openArchive(settings, brand, () => settings)
  if (!archive.reader) return store
  const close = async () => {
    await archive.close()
    await store.close()
  }
  return { ...withArchive(store, archive.reader, now), close }
}
