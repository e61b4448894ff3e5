import { expect, it } from 'vitest'
import { readTerms, termsText } from '../../src/adapters/redis/codec.ts'
import { narrowedText, readNarrowed } from '../../src/adapters/redis/key-hash.ts'
import type { Terms } from '../../src/policy/facts.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import type { Narrowed } from '../../src/records/key.ts'

/** Every member, in another order than texts have them. A new one does not compile until it is here. */
const FULL_TERMS: Required<Terms> = {
  deactivated: true,
  orgClaimed: true,
  org: 'acme',
  limits: [{ measure: 'requests', most: 5, per: 'hour', of: 'key' }],
  frozen: true,
  grants: { 1751328000000: nanoUsd(7), 1748736000000: nanoUsd(5) },
  overage: { capNanoUsd: nanoUsd(9) },
  claimed: 'free',
  override: 'pro',
}

const FULL_NARROWED: Required<Narrowed> = {
  apart: 'key_7Hq2DNHM',
  labels: { project: 'web' },
  limits: [{ measure: 'usd', most: 3, per: 'day' }],
  addresses: ['10.0.0.0/8'],
  models: ['svc-core', 'tier:basic'],
}

it('Redis has the text of terms that it always had, which its scripts compare, and it is read', async () => {
  const all: readonly Terms[] = [
    {},
    FULL_TERMS,
    { overage: false },
    { overage: true, grants: {}, limits: [] },
    { claimed: '' },
  ]
  expect(readTerms(termsText(FULL_TERMS))).toEqual(FULL_TERMS)

  await expect(`${all.map(termsText).join('\n')}\n`).toMatchFileSnapshot('golden/redis-terms.txt')
})

it('Redis has the text of what a key narrows that it always had, and it is read', async () => {
  const all: readonly Narrowed[] = [{}, FULL_NARROWED, { addresses: ['::1'] }, { apart: 'key_7Hq2DNHM' }]
  expect(readNarrowed(narrowedText(FULL_NARROWED))).toEqual(FULL_NARROWED)

  await expect(`${all.map(narrowedText).join('\n')}\n`).toMatchFileSnapshot('golden/redis-narrowed.txt')
})
