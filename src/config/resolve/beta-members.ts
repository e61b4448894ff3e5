import { BETA_MEMBERS } from '../../policy/dialect-members.ts'
import type { PoolSection } from '../file.ts'

/** The members of Messages that go to a pool with the beta features it lets through or always switches on. */
export function betaMembersOf({ betas = [], headers }: Pick<PoolSection, 'betas' | 'headers'>): readonly string[] {
  const always = headers?.['anthropic-beta']
  const names = [...betas, ...(typeof always === 'string' ? always.split(',').map(name => name.trim()) : [])]
  return [...BETA_MEMBERS].flatMap(([member, prefix]) => (names.some(name => reaches(name, prefix)) ? member : []))
}

/** Whether a name of `betas`, which may end in `*`, is or covers a version of a feature. */
const reaches = (name: string, prefix: string): boolean =>
  name.startsWith(prefix) || (name.endsWith('*') && prefix.startsWith(name.slice(0, -1)))
