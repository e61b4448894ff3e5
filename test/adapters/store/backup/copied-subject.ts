import { randomBytes } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { loadRecords } from '../../../../src/adapters/embedded/backup/load.ts'
import { openEmbeddedStore } from '../../../../src/adapters/embedded/store.ts'
import { loadRedis } from '../../../../src/adapters/redis/backup/load.ts'
import { openRedisStore } from '../../../../src/adapters/redis/store.ts'
import { checkBackup as check } from '../../../../src/gateway/backup/check.ts'
import { readBackup } from '../../../../src/gateway/backup/read.ts'
import { type BackupHeader, backupBytes } from '../../../../src/gateway/backup/write.ts'
import type { StoreRecord } from '../../../../src/gateway/store/record.ts'
import type { Store } from '../../../../src/gateway/store/store.ts'
import type { EpochMs } from '../../../../src/policy/config.ts'
import { removeFolder } from '../../../lanes/remove-folder.ts'
import { isOfCluster } from '../aspects/subjects.ts'
import type { Subject } from '../contract.ts'

const checkBackup = (file: string) => check(file, { unsigned: true })

export type Kind = 'embedded' | 'redis'

/** A machine that is busy with other tests is no outage. */
const PATIENCE = 60_000

/** A store that is another one after each time it is opened again, with a copy of its records: of these kinds in turn. */
export async function openCopiedSubject(
  url: () => string,
  now: () => EpochMs,
  kinds: readonly Kind[],
): Promise<Subject> {
  const directory = await mkdtemp(join(tmpdir(), 'store-'))
  let turn = 0
  let store = await openCopy(await placeOf(kinds[0] ?? 'embedded', directory, url), now)
  return {
    store,
    isApart: !kinds.includes('embedded') && isOfCluster(url()),
    reopen: async () => {
      const file = join(directory, `backup-${turn}`)
      await writeFile(file, backupBytes(headerAt(now()), store.dump()))
      await store.close()
      expect(await checkBackup(file)).toMatchObject({ wrong: [] })
      const place = await placeOf(kinds[++turn % kinds.length] ?? 'embedded', directory, url)
      await fillCopy(place, (await readBackup(file, { unsigned: true })).records, now)
      store = await openCopy(place, now)
      return store
    },
    destroy: async () => {
      await store.close()
      await removeFolder(directory)
    },
  }
}

/** A place without a store. */
export interface Place {
  readonly kind: Kind
  readonly path: string
  readonly url: string
  readonly prefix: string
}

export async function placeOf(kind: Kind, directory: string, url: () => string): Promise<Place> {
  const path = await mkdtemp(join(directory, `${kind}-`))
  return { kind, path, url: kind === 'redis' ? url() : '', prefix: `test-${randomBytes(6).toString('hex')}` }
}

export function fillCopy(
  place: Place,
  records: AsyncIterable<StoreRecord>,
  now: () => EpochMs,
  replace = false,
): Promise<void> {
  const restoring = { records, replace }
  if (place.kind === 'embedded') return loadRecords(place.path, restoring)
  const { url, prefix } = place
  return loadRedis({ server: { url }, prefix, shown: url, now }, restoring)
}

export function openCopy({ kind, path, url, prefix }: Place, now: () => EpochMs): Promise<Store> {
  if (kind === 'embedded') return openEmbeddedStore({ path, now })
  const own = now === Date.now ? {} : { now }
  return openRedisStore({ url, prefix, stateDir: path, alarm: () => {}, ...own, answerMs: PATIENCE })
}

export const headerAt = (now: EpochMs): BackupHeader => ({
  ...{ svc_backup: 1, gateway: '0.0.0', began: now, store: 'embedded', rows_since: 0 },
  config: { revision: 'r1', files: [] },
})
