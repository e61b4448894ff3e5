import type { Denial } from '../../policy/denial.ts'
import type { Endpoint } from './endpoint.ts'
import { missingPath } from './missing.ts'

export type Match = { readonly endpoint: Endpoint; readonly id: string } | Denial

const PARAMETER = '{id}'

/**
 * Finds endpoints by the raw path: nothing is decoded or normalised, so that no two readings of a path differ.
 * `model` is the one that a 404 tells people to try.
 */
export function router(endpoints: readonly Endpoint[], model: string): (method: string, path: string) => Match {
  const exact = new Map<string, Match>()
  for (const endpoint of endpoints) {
    const name = `${endpoint.method} ${endpoint.path}`
    if (!endpoint.path.endsWith(PARAMETER) && !exact.has(name)) exact.set(name, { endpoint, id: '' })
  }
  return (method, path) => exact.get(`${method} ${path}`) ?? search(endpoints, model, method, path)
}

function search(endpoints: readonly Endpoint[], model: string, method: string, path: string): Match {
  const here = endpoints.filter(endpoint => parameterOf(endpoint.path, path) !== undefined)
  // RFC 9110 9.3.2: HEAD is GET without the body, which node leaves out.
  const isHead = method === 'HEAD'
  const endpoint = here.find(candidate => candidate.method === (isHead ? 'GET' : method) && !(isHead && candidate.paid))
  if (endpoint) return { endpoint, id: parameterOf(endpoint.path, path) ?? '' }
  if (here.length > 0) return { code: 'METHOD_NOT_ALLOWED', allow: here.map(candidate => candidate.method) }
  return { code: 'NOT_FOUND', problem: missingPath(path, model) }
}

/** What stands for `{id}`, empty when the pattern has none; undefined when the path does not match. */
function parameterOf(pattern: string, path: string): string | undefined {
  if (!pattern.endsWith(PARAMETER)) return pattern === path ? '' : undefined
  const prefix = pattern.slice(0, -PARAMETER.length)
  const id = path.startsWith(prefix) ? path.slice(prefix.length) : ''
  return id !== '' && !id.includes('/') ? id : undefined
}
