import { existsSync } from 'node:fs'
import { checkStore, damageText, diskErrorOf } from '../adapters/embedded/check/store.ts'
import { lockDirectory } from '../adapters/embedded/store-directory.ts'
import type { Settings } from '../config/settings.ts'
import type { Millis } from '../policy/config.ts'
import { storeDamaged } from './failure.ts'
import { LOCK_PATIENCE_MS } from './state/open-store.ts'

/**
 * Rejects with CommandFailed where the embedded store of a gateway that starts, or of one that svcctl stands in for, is damaged, before
 * LMDB opens it and ends the process without a word. Takes CHECK_MS at most: of a store that is too large for that, a part is checked.
 */
export async function refuseDamaged({ store }: Pick<Settings, 'store'>): Promise<void> {
  if (store.kind !== 'embedded' || !existsSync(store.path)) return
  const lock = await lockDirectory(store.path, LOCK_PATIENCE_MS).catch(() => undefined)
  // Opening the store reveals who has it, or the disk's problem.
  if (!lock) return
  try {
    const check = await checkStore(store.path, CHECK_MS)
    const damage = check && damageText(check)
    if (damage) throw storeDamaged(store.path, damage, diskErrorOf(check))
  } finally {
    await lock.release()
  }
}

const CHECK_MS: Millis = 5000
