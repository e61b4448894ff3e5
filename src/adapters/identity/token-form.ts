import { decodeProtectedHeader, type ProtectedHeaderParameters } from 'jose'
import type { BadToken } from '../../gateway/accounts/sign-in.ts'
import type { Problems } from './problems.ts'

const BYTES_MAX = 8192
export const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA']
/** Where else a key could come from than the provider's own set, and extensions that would have to be understood. RFC 8725 3.10. */
const FOREIGN = ['jku', 'jwk', 'x5c', 'x5u', 'crit']

/** A token's `typ`, as it is compared: without case or `application/`. RFC 7515 4.1.9, RFC 9068 4. */
export const typeOf = (typ: string): string => typ.toLowerCase().replace(/^application\//, '')

/** The `typ` of a token whose form and header are as they must be; its signature and claims are still unknown. */
export function readType(token: string, types: ReadonlySet<string>, problems: Problems): { type: string } | BadToken {
  const header = readHeader(token)
  if (!header) return problems.form
  if (FOREIGN.some(name => Object.hasOwn(header, name))) return problems.header
  if (!ALGORITHMS.includes(String(header.alg))) return problems.algorithm
  const type = typeof header.typ === 'string' ? typeOf(header.typ) : ''
  return types.has(type) ? { type } : problems.type
}

function readHeader(token: string): ProtectedHeaderParameters | undefined {
  if (token.length > BYTES_MAX) return undefined
  const parts = token.split('.')
  if (parts.length !== 3 || !parts.every(isCanonical)) return undefined
  try {
    return decodeProtectedHeader(token)
  } catch {
    // Not JSON: the caller has a text for that.
    return undefined
  }
}

/** The one spelling of its bytes: jose also reads padding, spaces and stray bits in the last character. */
const isCanonical = (part: string): boolean =>
  part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part
