import { BETA_DIALECTS, type Betas } from '../../policy/backend-dialects.ts'
import type { PoolSection } from '../file.ts'

/** The members that go to a pool with the beta features it lets through or always switches on. */
export const betaMembersOf = (pool: Pick<PoolSection, 'betas' | 'headers'>): readonly string[] =>
  [...BETA_DIALECTS.values()].flatMap(betas => membersOf(betas, pool))

function membersOf(
  { header, members }: Betas,
  { betas = [], headers }: Pick<PoolSection, 'betas' | 'headers'>,
): readonly string[] {
  const always = headers?.[header]
  const names = [...betas, ...(typeof always === 'string' ? always.split(',').map(name => name.trim()) : [])]
  return [...members].flatMap(([member, prefix]) => (names.some(name => reaches(name, prefix)) ? member : []))
}

/** Whether a name of `betas`, which may end in `*`, is or covers a version of a feature. */
const reaches = (name: string, prefix: string): boolean =>
  name.startsWith(prefix) || (name.endsWith('*') && prefix.startsWith(name.slice(0, -1)))
