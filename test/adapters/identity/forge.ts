import { constants, createHmac, createPrivateKey, randomUUID, type SignKeyObjectInput, sign } from 'node:crypto'
import type { PrivateKey } from '../../support/identity/oidc-keys.ts'

/** Differences from a good token. Undefined members are left out; a text is the JSON itself. */
export interface Draft {
  readonly header?: Readonly<Record<string, unknown>> | string
  readonly claims?: Readonly<Record<string, unknown>> | string
  /** The key that signs; the secret for HS algorithms. */
  readonly key?: PrivateKey | string
  /** How it is signed, whatever the header says. */
  readonly alg?: string
}

export interface Good {
  readonly issuer: string
  readonly audience: string
  readonly key: PrivateKey
  /** Seconds since the epoch. */
  readonly now: number
}

export const encode = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString('base64url')

/** Signs what no honest provider would, with the provider's own keys. */
export function forge(good: Good, draft: Draft = {}): string {
  const key = draft.key ?? good.key
  const alg = draft.alg ?? algOf(draft.header) ?? 'RS256'
  const header = { alg, typ: 'at+jwt', kid: typeof key === 'string' ? good.key.kid : key.kid }
  const input = `${encode(json(draft.header, header))}.${encode(json(draft.claims, claimsOf(good)))}`
  return `${input}.${encode(signatureOf(alg, input, key))}`
}

/** A good token of exactly so many characters. */
export function grownTo(length: number, make: (draft: Draft) => string): string {
  // Three bytes make four characters, so that some lengths need another header.
  for (const header of ['', 'x', 'xx']) {
    let pad = 0
    let token = make({ header: { pad: header }, claims: { pad: '' } })
    while (token.length < length) {
      pad += Math.max(1, Math.floor(((length - token.length) * 3) / 4))
      token = make({ header: { pad: header }, claims: { pad: 'x'.repeat(pad) } })
    }
    if (token.length === length) return token
  }
  throw new Error(`no token has ${length} characters`)
}

const claimsOf = ({ issuer, audience, now }: Good) => ({
  iss: issuer,
  sub: 'canary-subject',
  aud: audience,
  exp: now + 3600,
  iat: now,
  jti: `canary-${randomUUID()}`,
  client_id: 'canary-client',
})

const json = (given: Draft['claims'], defaults: object): string =>
  typeof given === 'string' ? given : JSON.stringify({ ...defaults, ...given })

const algOf = (header: Draft['header']): string | undefined =>
  typeof header === 'object' && typeof header.alg === 'string' ? header.alg : undefined

function signatureOf(alg: string, input: string, key: PrivateKey | string): Uint8Array {
  if (typeof key === 'string') return createHmac('sha256', key).update(input).digest()
  const options: SignKeyObjectInput = { key: createPrivateKey({ key: { ...key }, format: 'jwk' }) }
  if (key.kty === 'OKP') return sign(null, Buffer.from(input), options)
  if (key.kty === 'EC') options.dsaEncoding = 'ieee-p1363'
  if (alg.startsWith('PS')) {
    options.padding = constants.RSA_PKCS1_PSS_PADDING
    options.saltLength = constants.RSA_PSS_SALTLEN_DIGEST
  }
  const bits = /\d{3}$/.exec(alg)?.[0] ?? '256'
  return sign(`sha${bits}`, Buffer.from(input), options)
}
