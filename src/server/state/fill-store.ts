import { loadRecords } from '../../adapters/embedded/backup/load.ts'
import type { Settings } from '../../config/settings.ts'
import type { Restoring } from '../../gateway/backup/restore.ts'
import type { World } from '../world.ts'
import { serverOf } from './open-store.ts'

/** Fills the store of a configuration, which no gateway may use meanwhile. Rejects with what `storeFailure` explains, or as the records do. */
export async function fillStore(
  { store, brand }: Pick<Settings, 'store' | 'brand'>,
  { clock }: World,
  restoring: Restoring,
): Promise<void> {
  if (store.kind === 'embedded') return loadRecords(store.path, restoring)
  const { loadRedis } = await import('../../adapters/redis/backup/load.ts')
  const { shown } = store
  return loadRedis({ server: serverOf(store), prefix: brand, shown, now: clock.now }, restoring)
}
