import { BACKEND_DIALECTS, type DialectName } from '../../policy/backend-dialects.ts'
import type { PoolSection } from '../file.ts'
import { POOL_FIELDS } from '../pool-fields.ts'
import type { Auth, BackendSettings, Secret } from '../settings.ts'

/** How requests find the replicas of a pool, and what they carry besides its key. */
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
  const header = auth === 'bearer' ? undefined : (auth ?? keyHeaderIn(dialectsOf(pool)))
  return header === undefined ? undefined : { header, prefix: '' }
}

/** The header that all of these dialects have the key in; undefined for a bearer, or where they differ. */
function keyHeaderIn(dialects: readonly DialectName[]): string | undefined {
  const [header, ...others] = new Set(dialects.map(each => BACKEND_DIALECTS[each].keyHeader))
  return others.length > 0 ? undefined : header
}

function headersOf(
  pool: Partial<PoolSection>,
  secrets: ReadonlyMap<string, Secret>,
): ReadonlyMap<string, string | Secret> {
  const headers = new Map<string, string | Secret>()
  for (const dialect of dialectsOf(pool))
    for (const [name, value] of Object.entries(BACKEND_DIALECTS[dialect].headers ?? {})) headers.set(name, value)
  for (const [name, written] of Object.entries(pool.headers ?? {}))
    headers.set(name.toLowerCase(), secrets.get(name) ?? written)
  return headers
}

const dialectsOf = ({ speaks }: Partial<PoolSection>): readonly DialectName[] => speaks ?? POOL_FIELDS.speaks.default
