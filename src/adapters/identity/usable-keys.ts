import { createPublicKey } from 'node:crypto'
import type { JWK } from 'jose'

const RSA_BITS_MIN = 2048

/** The public members that make a key, by its type. */
const MATERIAL = {
  RSA: ['kty', 'n', 'e'],
  EC: ['kty', 'crv', 'x', 'y'],
  OKP: ['kty', 'crv', 'x'],
} as const

/**
 * The keys of a key set that may verify tokens, each cut down to its public members. Others are left out:
 * one odd key among them must not lock everybody out.
 */
export function usableKeys(document: unknown): JWK[] {
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
    // Not a key at all: a member is missing, or a point is not on its curve.
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
