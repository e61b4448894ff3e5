import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedStore } from '../../../../src/adapters/embedded/store.ts'
import { openRedisStore } from '../../../../src/adapters/redis/store.ts'
import type { Store } from '../../../../src/gateway/store/store.ts'
import type { EpochMs } from '../../../../src/policy/config.ts'
import { removeFolder } from '../../../lanes/remove-folder.ts'
import type { Subject } from '../contract.ts'

/** A machine that is busy with other tests is no outage. */
const PATIENCE = 60_000

/** An embedded store in a directory of its own. */
export const openEmbeddedSubject = (now: () => EpochMs): Promise<Subject> =>
  subjectIn(path => openEmbeddedStore({ path, now }))

/** A store in Redis beside others, with keys of its own. */
export function openRedisSubject(url: string, now: () => EpochMs): Promise<Subject> {
  const prefix = `test-${randomBytes(6).toString('hex')}`
  const open = (stateDir: string) => openRedisStore({ url, prefix, stateDir, alarm: () => {}, now, answerMs: PATIENCE })
  return subjectIn(open, isOfCluster(url))
}

/** Whether a store lies in a cluster, which has limits that accounts share apart from the accounts. */
export const isOfCluster = (url: string): boolean => url.includes('+cluster:')

async function subjectIn(open: (directory: string) => Promise<Store>, isApart = false): Promise<Subject> {
  const directory = await mkdtemp(join(tmpdir(), 'store-'))
  let store = await open(directory)
  return {
    store,
    isApart,
    reopen: async () => {
      await store.close()
      store = await open(directory)
      return store
    },
    destroy: async () => {
      await store.close()
      await removeFolder(directory)
    },
  }
}
