import type { Denial } from '../../policy/denial.ts'
import { invalid } from '../../wire/openai/body.ts'
import type { HttpCall } from './call.ts'

/** Reads the query of a request: each of the parameters at most once, and no other. */
export function readQuery<Name extends string>(
  { request }: HttpCall,
  known: readonly Name[],
): Readonly<Partial<Record<Name, string>>> | Denial {
  const target = request.url ?? ''
  const query: Partial<Record<Name, string>> = {}
  if (!target.includes('?')) return query
  for (const [given, value] of new URLSearchParams(target.slice(target.indexOf('?')))) {
    const name = known.find(each => each === given)
    if (name === undefined) return invalid(given, `is not accepted; there are ${known.join(', ')}`)
    if (query[name] !== undefined) return invalid(name, 'is given twice')
    query[name] = value
  }
  return query
}
