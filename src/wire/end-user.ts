import { hash } from 'node:crypto'
import { personIn } from './person.ts'

/** So many characters of a digest keep it from ever being that of another. */
const CHARACTERS = 22

/**
 * A digest of the end user that a request names, in the first of its fields that has a name. Stored requests contain only the
 * digest, because a name is often an e-mail address.
 */
export function endUserOf(...names: readonly unknown[]): string | undefined {
  for (const name of names)
    if (typeof name === 'string' && name !== '') return hash('sha256', personIn(name), 'base64url').slice(0, CHARACTERS)
  return undefined
}
