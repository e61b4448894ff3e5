import type { JWK } from 'jose'
import { download, type OnHeaders } from './download.ts'
import { usableKeys } from './usable-keys.ts'

/** The provider's signing keys, by its discovery document. OIDC Discovery 4. */
export async function fetchKeys(issuer: string, signal: AbortSignal, onHeaders?: OnHeaders): Promise<JWK[]> {
  const home = new URL(issuer)
  if (!isSafe(home, home)) throw new Error(`the issuer ${issuer} must be https, or http on loopback`)

  const discovery = await download(
    new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`),
    signal,
    onHeaders,
  )
  const told = member(discovery, 'issuer')
  // Else whoever serves this document could vouch for tokens of another issuer. OIDC Discovery 4.3.
  if (told !== issuer) throw new Error(`its discovery document is of another issuer: ${printable(told)}`)
  const uri = member(discovery, 'jwks_uri')
  const place = typeof uri === 'string' && URL.canParse(uri) ? new URL(uri) : undefined
  if (!place || !isSafe(place, home)) throw new Error(`its jwks_uri must be an https address: ${printable(uri)}`)

  const keys = usableKeys(await download(place, signal, onHeaders))
  if (keys.length === 0) throw new Error(`${place.href} holds no usable key: RSA from 2048 bits, P-256 or Ed25519`)
  return keys
}

/** Plain http could be answered by anyone between: only within one machine, and only if the issuer is there as well. */
const isSafe = (url: URL, home: URL): boolean =>
  url.protocol === 'https:' || (isLoopback(url) && isLoopback(home) && home.protocol === 'http:')

const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && (hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname))

const member = (document: unknown, name: string): unknown =>
  typeof document === 'object' && document !== null ? Reflect.get(document, name) : undefined

const printable = (value: unknown): string => (JSON.stringify(value) ?? 'none').slice(0, 200)
