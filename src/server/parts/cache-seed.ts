import type { CacheDomains } from '../../gateway/balance/cache-domains.ts'
import type { Cancel } from '../../gateway/ports.ts'
import type { FleetStore } from '../../gateway/store/fleet-store.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { World } from '../world.ts'
import type { Part } from './open-parts.ts'

const SEED_BYTES = 32
/** While the store does not answer, caches are kept apart by a seed of this process, and other gateways find nothing in them. */
const RETRY_MS = 10_000

/** Has cached prompts shared as all gateways on the store share them. */
export async function followCacheSeed(
  { clock, random }: Pick<World, 'clock' | 'random'>,
  fleet: Pick<FleetStore, 'cacheSeed'>,
  domains: CacheDomains,
): Promise<Part> {
  let cancel: Cancel = () => {}
  let isClosed = false
  const learn = async (): Promise<void> => {
    try {
      domains.begin(await fleet.cacheSeed(Buffer.from(random(SEED_BYTES)).toString('base64url')))
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      if (!isClosed) cancel = clock.after(RETRY_MS, () => void learn())
    }
  }
  await learn()
  return {
    close: () => {
      isClosed = true
      cancel()
    },
  }
}
