import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedStore, openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { openRemoteStore } from '../../../src/adapters/remote/store.ts'
import { StoreServer } from '../../../src/adapters/remote/store-server.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import type { EpochMs } from '../../../src/policy/config.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { storeContract } from './contract.ts'

const VERSION = '1.0.0'

/** One worker's view of its own calls must include the other worker's too. */
storeContract('remote, of two workers by turns', subjectOf)

const WORKERS = 2

async function subjectOf(now: () => EpochMs) {
  const directory = await mkdtemp(join(tmpdir(), 'remote-'))
  let served = await serve(directory, now)
  return {
    store: served.store,
    reopen: async () => {
      await served.close()
      served = await serve(directory, now)
      return served.store
    },
    isApart: false,
    destroy: async () => {
      await served.close()
      await removeFolder(directory)
    },
  }
}

async function serve(directory: string, now: () => EpochMs) {
  const path = join(directory, 'store.sock')
  const own: EmbeddedStore = await openEmbeddedStore({ path: join(directory, 'data'), now })
  const server = new StoreServer({ store: own, abandon: ids => own.abandon(ids), version: VERSION, alarm: () => {} })
  await server.listen(path)
  const open = () => openRemoteStore({ path, version: VERSION, lost: () => {}, answerMs: 5000 })
  const stores = await Promise.all(Array.from({ length: WORKERS }, open))
  const [first] = stores
  if (!first) throw new Error('there is no worker')
  // As when all processes end at once: what a worker held is found by the next start.
  const close = async () => {
    await own.close()
    await Promise.all(stores.map(store => store.close()))
    await server.close()
  }
  return { store: byTurns(first, stores), close }
}

/** Each call of a facet goes to the next of several stores. Each sees the writes of the others. */
function byTurns(first: Store, stores: readonly Store[]): Store {
  let turn = 0
  const facet = (name: keyof Store) =>
    new Proxy(first[name], {
      get: (_target, method) => {
        const part = (stores[turn++ % stores.length] ?? first)[name] as unknown as Record<string | symbol, unknown>
        return part[method]
      },
    })
  const names = ['keys', 'accounts', 'orgs', 'holds', 'ledger', 'budgets', 'responses'] as const
  const facets = Object.fromEntries(names.map(name => [name, facet(name)]))
  const close = async () => void (await Promise.all(stores.map(store => store.close())))
  return { ...first, ...facets, close } as Store
}
