import type { BackendSettings } from '../../config/settings.ts'

/** The headers of every request to a pool: its key, and headers of its own. */
export function poolHeaders({ key, auth = BEARER, headers }: PoolHeaders): Record<string, string> {
  const sent: Record<string, string> = {}
  if (key !== undefined) sent[auth.header] = `${auth.prefix}${key.reveal()}`
  if (headers) for (const [name, value] of headers) sent[name] = typeof value === 'string' ? value : value.reveal()
  return sent
}

export type PoolHeaders = Pick<BackendSettings, 'key' | 'auth' | 'headers'>

const BEARER = { header: 'authorization', prefix: 'Bearer ' }

/** A path of a replica with what every URL of its pool ends in. */
export function withQuery(path: string, { query }: Pick<BackendSettings, 'query'>): string {
  if (query === undefined) return path
  return `${path}${path.includes('?') ? '&' : '?'}${query}`
}

/**
 * The beta features that the header of a request in its own dialect names to a pool: those that the pool is always sent,
 * and of those that the client sent what the operator allows. Undefined where that is none.
 */
export function allowedBetas(
  header: string,
  sent: string | undefined,
  { betas = [], headers }: Pick<BackendSettings, 'betas' | 'headers'>,
): string | undefined {
  const own = headers?.get(header)
  const always = own === undefined ? [] : namesIn(typeof own === 'string' ? own : own.reveal())
  const asked = sent === undefined || betas.length === 0 ? [] : namesIn(sent.slice(0, MOST_BETAS))
  const names = new Set([...always, ...asked.filter(name => betas.some(beta => covers(beta, name)))])
  return names.size === 0 ? undefined : [...names].join(',')
}

/** Characters of a client's header that are looked at. */
const MOST_BETAS = 4096

/** None that another header could begin in. */
const namesIn = (list: string): readonly string[] =>
  list.split(',').flatMap(name => (/^[\w.-]+$/.test(name.trim()) ? name.trim() : []))

const covers = (beta: string, name: string): boolean =>
  beta.endsWith('*') ? name.startsWith(beta.slice(0, -1)) : beta === name
