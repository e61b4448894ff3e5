import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, type JWK } from 'jose'

/** A private JWK, ready for oidc-provider and jose. */
export interface PrivateKey extends JWK {
  readonly kty: string
  readonly kid: string
}

/** A key for RS256 and PS256, one for ES256, one for EdDSA, and a second EC key, announced for later. */
export const newKeys = (): Promise<PrivateKey[]> =>
  Promise.all([newKey('RS256'), newKey('ES256'), newKey('EdDSA'), newKey('ES256')])

/** The JWK says nothing of its algorithm, so that one RSA key signs both ways. */
export async function newKey(alg: string): Promise<PrivateKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(privateKey)
  return { ...jwk, kty: String(jwk.kty), kid: randomUUID(), use: 'sig' }
}
