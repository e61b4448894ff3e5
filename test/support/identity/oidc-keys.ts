import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK } from 'jose'

/** A private JWK, ready for oidc-provider and jose. */
export interface PrivateKey extends JWK {
  readonly kty: string
  readonly kid: string
}

/** A key for RS256 and PS256, one for ES256, one for EdDSA, and a second EC key, announced for later. */
export const newKeys = (rsa = newKey('RS256')): Promise<PrivateKey[]> =>
  Promise.all([rsa, newKey('ES256'), newKey('EdDSA'), newKey('ES256')])

/** RSA keys of providers that were stopped. Making one takes a tenth of a second of CPU, so the next provider takes over these. */
const spare = new Set<PrivateKey>()

/** The keys of one provider: those of no two that run at the same time are the same. */
export class SigningKeys {
  readonly #rsa: PrivateKey[] = []

  /** Keys that this provider never had, with ids that nobody had. */
  async next(): Promise<PrivateKey[]> {
    const [known] = spare
    if (known) spare.delete(known)
    const keys = await newKeys(known && Promise.resolve({ ...known, kid: randomUUID() }))
    if (keys[0]) this.#rsa.push(keys[0])
    return keys
  }

  /** Leaves them to other providers. */
  release(): void {
    for (const key of this.#rsa) spare.add(key)
  }

  /** Takes them back. Throws where another provider has them by now. */
  reclaim(): void {
    if (!this.#rsa.every(key => spare.delete(key))) throw new Error('another provider has these keys by now')
  }
}

/** The JWK says nothing of its algorithm, so that one RSA key signs both ways. */
export async function newKey(alg: string): Promise<PrivateKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(privateKey)
  return { ...jwk, kty: String(jwk.kty), kid: randomUUID(), use: 'sig' }
}
