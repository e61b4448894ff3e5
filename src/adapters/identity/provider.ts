import { createPublicKey } from 'node:crypto'
import type { JWK } from 'jose'
import { Agent, request } from 'undici'
import { lookupHost } from '../../gateway/descriptors.ts'
import { parseUrl } from '../../kit/parse-url.ts'

/** A provider's parsed documents. */
interface Provider {
  /** The keys that it signs with. */
  readonly keys: JWK[]
  /** Those of the issuer, and of its endpoints for tokens. */
  readonly origins: readonly string[]
  /** The document that names its endpoints. OIDC Discovery 3. */
  readonly discovery: unknown
}

/** Reads the provider's signing keys by way of its discovery document. Rejects with an Error that says what is wrong. OIDC Discovery 4. */
export async function fetchProvider(issuer: string, signal: AbortSignal, onHeaders?: OnHeaders): Promise<Provider> {
  const home = new URL(issuer)
  if (!isSafe(home, home)) throw new Error(`the issuer ${issuer} must be https, or http on loopback`)

  const discovery = await download(
    new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`),
    signal,
    onHeaders,
  )
  const named = member(discovery, 'issuer')
  // Else the server of this document could vouch for tokens of another issuer. OIDC Discovery 4.3.
  if (named !== issuer) throw new Error(`its discovery document is of another issuer: ${printable(named)}`)
  const uri = member(discovery, 'jwks_uri')
  const place = typeof uri === 'string' ? parseUrl(uri) : undefined
  if (!place || !isSafe(place, home)) throw new Error(`its jwks_uri must be an https address: ${printable(uri)}`)

  const keys = usableKeys(await download(place, signal, onHeaders))
  if (keys.length === 0) throw new Error(`${place.href} holds no usable key: RSA from 2048 bits, P-256 or Ed25519`)
  const endpoints = ['token_endpoint', 'revocation_endpoint'].flatMap(name => safeUrl(member(discovery, name), home))
  return { keys, origins: [...new Set([home, ...endpoints].map(({ origin }) => origin))], discovery }
}

function safeUrl(value: unknown, home: URL): readonly URL[] {
  const url = typeof value === 'string' ? parseUrl(value) : undefined
  return url && isSafe(url, home) ? [url] : []
}

/** Is called with the headers of each answer. */
export type OnHeaders = (headers: Readonly<Record<string, string | string[] | undefined>>) => void

/** A JSON document by GET. Rejects on anything but a 200, redirects included, and on more than 512 KB. */
export async function download(url: URL, signal: AbortSignal, onHeaders: OnHeaders = () => {}): Promise<unknown> {
  const { statusCode, headers, body } = await request(url, {
    signal,
    headers: { accept: 'application/json, application/jwk-set+json' },
    // One request in ten minutes: a kept connection would only be found dead.
    reset: true,
    dispatcher: CONNECTIONS,
  })
  // Destroying a body that is still to come raises an error on it, which would otherwise be unhandled.
  body.on('error', () => {})
  onHeaders(headers)
  if (statusCode !== 200) {
    body.destroy()
    throw new Error(`${url.href} answered ${statusCode}`)
  }
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length
    // Leaving the loop destroys the body.
    if (length > BYTES_MAX) throw new Error(`${url.href} is larger than ${BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch (cause) {
    throw new Error(`${url.href} is not JSON`, { cause })
  }
}

/** A process without descriptors finds no host: that must not look as if the provider was gone. */
const CONNECTIONS = new Agent({ connect: { lookup: lookupHost } })

/** Key sets with certificate chains of dozens of keys stay below. */
const BYTES_MAX = 512 * 1024

/** Plain http can be answered by anyone on the network: it is allowed only on loopback, and only if the issuer is on loopback too. */
const isSafe = (url: URL, home: URL): boolean =>
  url.protocol === 'https:' || (isLoopback(url) && isLoopback(home) && home.protocol === 'http:')

const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && (hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname))

const member = (document: unknown, name: string): unknown =>
  typeof document === 'object' && document !== null ? Reflect.get(document, name) : undefined

const printable = (value: unknown): string => (JSON.stringify(value) ?? 'none').slice(0, 200)

/**
 * The keys of a key set that may verify tokens, each reduced to its public members. Other keys are skipped: one
 * unusable key among them must not make every sign-in fail.
 */
function usableKeys(document: unknown): JWK[] {
  const keys = isObject(document) ? document.keys : undefined
  return Array.isArray(keys) ? keys.flatMap(key => usable(key) ?? []) : []
}

function usable(key: unknown): JWK | undefined {
  if (!isObject(key) || !verifies(key)) return undefined
  const { kty } = key
  if (kty !== 'RSA' && kty !== 'EC' && kty !== 'OKP') return undefined
  const material = texts(key, MATERIAL[kty])
  return isStrong(material) ? { kty, ...material, ...texts(key, ['kid', 'alg']) } : undefined
}

const verifies = ({ use, key_ops }: Readonly<Record<string, unknown>>): boolean =>
  (use === undefined || use === 'sig') &&
  (key_ops === undefined || (Array.isArray(key_ops) && key_ops.includes('verify')))

function isStrong(material: Readonly<Record<string, string>>): boolean {
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPublicKey({ key: material, format: 'jwk' })
    if (type === 'rsa') return (details?.modulusLength ?? 0) >= RSA_BITS_MIN
    return type === 'ed25519' || (type === 'ec' && details?.namedCurve === 'prime256v1')
  } catch {
    // Not a valid key: a member is missing, or a point is not on its curve.
    return false
  }
}

function texts(key: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of names) {
    const value = key[name]
    if (typeof value === 'string') found[name] = value
  }
  return found
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const RSA_BITS_MIN = 2048

/** The public members that make a key, by its type. */
const MATERIAL = {
  RSA: ['kty', 'n', 'e'],
  EC: ['kty', 'crv', 'x', 'y'],
  OKP: ['kty', 'crv', 'x'],
} as const
