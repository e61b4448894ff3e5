import { greatestStep, NEWEST_STEP, stepOfKey, stepOfTerms } from '../../gateway/restrictions.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import { storedTerms } from '../../policy/facts.ts'
import type { SchemaStep } from '../../records/terms.ts'
import { readTerms } from './codec.ts'
import { readNarrowed } from './key-hash.ts'
import type { Layout } from './layout.ts'
import type { Ask } from './servers/shards.ts'
import { readBucketEpoch, SEARCHED } from './store-identity.ts'

/** The store, as it is searched for restrictions. */
interface Searched {
  readonly ask: Ask
  readonly layout: Layout
  readonly namesLike: (pattern: string) => AsyncIterable<readonly string[]>
}

/**
 * The greatest step of the restrictions in the store. Buckets say their own; the records are searched once, since builds before the
 * first release of these steps wrote restrictions without them.
 */
export async function stepOfContent(store: Searched): Promise<number> {
  const { ask, layout } = store
  const marked = Math.max(...(await Promise.all(layout.buckets().map(({ epoch }) => markedStep(ask, epoch)))))
  const isSearched = (await ask(layout.meta, client => client.hGet(layout.meta, SEARCHED))) !== null
  return isSearched ? marked : Math.max(marked, await stepOfRecords(store))
}

/** The step that a bucket says; 0 while its master is away, so that a gateway begins for the accounts of the others. */
async function markedStep(ask: Ask, epoch: string): Promise<number> {
  try {
    return readBucketEpoch((await ask(epoch, client => client.get(epoch))) ?? '').step
  } catch (error) {
    if (error instanceof StoreUnavailable) return 0
    throw error
  }
}

/** Notes that the schema is that of all restrictions in the store. */
export const noteSearched = ({ ask, layout }: Pick<Searched, 'ask' | 'layout'>): Promise<unknown> =>
  ask(layout.meta, client => client.hSet(layout.meta, SEARCHED, '1'))

async function stepOfRecords({ ask, layout, namesLike }: Searched): Promise<SchemaStep> {
  let most: SchemaStep = 0
  const stepAt = async (name: string) =>
    stepOfFields(await ask(name, client => client.hmGet(name, ['terms', 'expires', 'narrow'])))
  for (const pattern of [layout.likeIn('??', 'key:*'), layout.everyAccount, layout.everyOrg])
    for await (const names of namesLike(pattern)) {
      most = greatestStep(most, ...(await Promise.all(names.map(stepAt))))
      if (most === NEWEST_STEP) return most
    }
  return most
}

function stepOfFields([terms, expires, narrow]: readonly (string | null | undefined)[]): SchemaStep {
  if (terms) return stepOfTerms(storedTerms(readTerms(terms)))
  return stepOfKey({ ...(narrow && readNarrowed(narrow)), ...(expires && { expiresAt: Number(expires) }) })
}
