import { DEFAULTS } from '../defaults.ts'
import type { PoolSection } from '../file.ts'
import type { Auth, BackendSettings, Secret } from '../settings.ts'

/** How requests find the replicas of a pool, and what they are sent with beside its key. */
export type PoolAddress = Pick<BackendSettings, 'auth' | 'headers' | 'query' | 'betas'>

export function poolAddress(pool: Partial<PoolSection>, secrets: ReadonlyMap<string, Secret> = new Map()): PoolAddress {
  const auth = authOf(pool)
  const headers = headersOf(pool, secrets)
  return {
    ...(auth && { auth }),
    ...(headers.size > 0 && { headers }),
    ...(pool.query && { query: queryOf(pool.query) }),
    ...(pool.betas && { betas: pool.betas }),
  }
}

/** Maps have no order, and neither has this. */
const queryOf = (parameters: Readonly<Record<string, string>>): string =>
  new URLSearchParams(Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))).toString()

/** The header that has the key of a pool, in lower case. */
export const keyHeaderOf = (pool: Partial<PoolSection>): string => authOf(pool)?.header ?? 'authorization'

/** Undefined for a bearer. */
function authOf(pool: Partial<PoolSection>): Auth | undefined {
  const { auth } = pool
  if (typeof auth === 'object') return { header: auth.header.toLowerCase(), prefix: auth.prefix ?? '' }
  const way = auth ?? (speechesOf(pool).every(each => each === 'messages') ? 'x-api-key' : 'bearer')
  return way === 'bearer' ? undefined : { header: way, prefix: '' }
}

function headersOf(
  pool: Partial<PoolSection>,
  secrets: ReadonlyMap<string, Secret>,
): ReadonlyMap<string, string | Secret> {
  const headers = new Map<string, string | Secret>()
  if (speechesOf(pool).includes('messages')) headers.set('anthropic-version', ANTHROPIC_VERSION)
  for (const [name, written] of Object.entries(pool.headers ?? {}))
    headers.set(name.toLowerCase(), secrets.get(name) ?? written)
  return headers
}

const ANTHROPIC_VERSION = '2023-06-01'

const speechesOf = ({ speaks }: Partial<PoolSection>): readonly string[] => speaks ?? DEFAULTS.speaks
