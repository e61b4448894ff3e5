import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashOf, isWellFormed, maskOf, newAccountId, newKey, newRequestId } from '../../../src/gateway/accounts/keys.ts'
import type { Random } from '../../../src/gateway/ports.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Deterministic bytes from a seed: SHA-256 of a counter. */
function randomFrom(seed: number): Random {
  let count = 0
  let pool = Buffer.alloc(0)
  return bytes => {
    while (pool.length < bytes) pool = Buffer.concat([pool, createHash('sha256').update(`${seed}:${count++}`).digest()])
    const taken = pool.subarray(0, bytes)
    pool = pool.subarray(bytes)
    return taken
  }
}

const keys = fc.nat().map(seed => newKey('svc', randomFrom(seed)))

describe('keys', () => {
  it('a key is the brand, 36 random characters and 6 of checksum, and well-formed', () => {
    fc.assert(
      fc.property(keys, key => {
        expect(key).toMatch(/^svc_[0-9A-Za-z]{42}$/)
        expect(isWellFormed('svc', key)).toBe(true)
      }),
    )
  })

  it('a key with one character changed is never well-formed', () => {
    fc.assert(
      fc.property(keys, fc.nat(45), fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), (key, index, other) => {
        fc.pre(key[index] !== other)
        expect(isWellFormed('svc', key.slice(0, index) + other + key.slice(index + 1))).toBe(false)
      }),
      { numRuns: 3000 },
    )
  })

  it('every other character in every place of a key is found out', () => {
    const key = newKey('svc', randomFrom(1))

    for (let index = 4; index < key.length; index++) {
      const others = Array.from(BASE62).filter(other => other !== key[index])
      const passed = others.filter(other => isWellFormed('svc', key.slice(0, index) + other + key.slice(index + 1)))
      expect(passed).toEqual([])
    }
  })

  it('two neighbours swapped, a character lost or one too many are found out', () => {
    fc.assert(
      fc.property(keys, fc.integer({ min: 4, max: 44 }), (key, index) => {
        const swapped = key.slice(0, index) + key.charAt(index + 1) + key.charAt(index) + key.slice(index + 2)
        expect(isWellFormed('svc', swapped)).toBe(swapped === key)
        expect(isWellFormed('svc', key.slice(0, index) + key.slice(index + 1))).toBe(false)
        expect(isWellFormed('svc', `${key.slice(0, index)}a${key.slice(index)}`)).toBe(false)
      }),
    )
  })

  it.each(['', 'svc', 'svc_', 'Bearer', `svc_${'0'.repeat(42)}`, `svc_${'é'.repeat(42)}`])('%j is no key', text => {
    expect(isWellFormed('svc', text)).toBe(false)
  })

  it('a key of another brand is no key of ours', () => {
    expect(isWellFormed('svc', newKey('abc', randomFrom(1)))).toBe(false)
    expect(isWellFormed('my_brand', newKey('my_brand', randomFrom(1)))).toBe(true)
  })

  it('every character is as likely as any other', () => {
    const random = randomFrom(7)
    const counts = new Map(Array.from(BASE62, character => [character, 0]))
    const keysDrawn = 5000

    for (let drawn = 0; drawn < keysDrawn; drawn++) {
      for (const character of newKey('svc', random).slice(4, 40))
        counts.set(character, (counts.get(character) ?? 0) + 1)
    }

    // Without rejection the first eight characters would come 24 % more often than the others.
    const expected = (keysDrawn * 36) / 62
    for (const count of counts.values()) expect(Math.abs(count / expected - 1)).toBeLessThan(0.1)
    expect(counts.size).toBe(62)
  })

  it('bytes that would favour some characters are drawn again', () => {
    const draws = [new Uint8Array(36).fill(255), new Uint8Array(36).fill(61), new Uint8Array(36)]
    const random: Random = bytes => (draws.shift() ?? new Uint8Array(bytes)).subarray(0, bytes)

    expect(newKey('svc', random).slice(0, 40)).toBe(`svc_${'z'.repeat(36)}`)
  })

  it('the stored hash is SHA-256 in hex', () => {
    const key = newKey('svc', randomFrom(1))

    expect(hashOf(key)).toBe(createHash('sha256').update(key).digest('hex'))
  })

  it('the mask shows the brand and four characters', () => {
    expect(maskOf(`svc_7Hq2${'x'.repeat(38)}`)).toBe('svc_7Hq2…')
    expect(maskOf(`my_brand_7Hq2${'x'.repeat(38)}`)).toBe('my_brand_7Hq2…')
  })
})

describe('ids', () => {
  it('an account id is acct_ and 20 characters', () => {
    expect(newAccountId(randomFrom(1))).toMatch(/^acct_[0-9A-Za-z]{20}$/)
    expect(newAccountId(randomFrom(1))).not.toBe(newAccountId(randomFrom(2)))
  })

  it('request ids of later milliseconds sort later', () => {
    const times = fc.integer({ min: 0, max: 2 ** 48 - 1 })
    fc.assert(
      fc.property(times, times, fc.nat(), fc.nat(), (one, other, seed, seedOther) => {
        fc.pre(one < other)
        const ids = [newRequestId(one, randomFrom(seed)), newRequestId(other, randomFrom(seedOther))]
        expect([...ids].sort()).toEqual(ids)
      }),
    )
  })

  it('a request id is req_ and a ULID', () => {
    // The example of the ULID specification: 01ARYZ6S41 is 1469918176385 ms.
    const id = newRequestId(1469918176385, () => new Uint8Array(16).fill(31))

    expect(id).toBe('req_01ARYZ6S41ZZZZZZZZZZZZZZZZ')
  })
})
