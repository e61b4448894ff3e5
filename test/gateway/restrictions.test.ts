import { expect, it } from 'vitest'
import {
  KEY_STEPS,
  NEWEST_STEP,
  type StepsOf,
  stepOfAccount,
  stepOfKey,
  stepOfOrg,
  stepOfTerms,
  TERMS_STEPS,
} from '../../src/gateway/restrictions.ts'
import type { StoredTerms } from '../../src/policy/facts.ts'
import type { KeyState } from '../../src/records/key.ts'

it('a key or terms with a member that has no step is refused by the compiler', () => {
  // @ts-expect-error `sandboxed` has no step
  const ofKeys: StepsOf<KeyState & { readonly sandboxed?: true }> = KEY_STEPS
  // @ts-expect-error `paused` has no step
  const ofTerms: StepsOf<StoredTerms & { readonly paused?: true }> = TERMS_STEPS

  expect([ofKeys, ofTerms]).toEqual([KEY_STEPS, TERMS_STEPS])
})

it.each([
  ['a plain key', stepOfKey({ name: 'ci', status: 'active' }), 0],
  ['a key that ends', stepOfKey({ expiresAt: 1 }), 1],
  ['a key that was narrowed to nothing', stepOfKey({ models: [] }), 1],
  ['a key without what may be absent', stepOfKey({ models: undefined } as never), 0],
  ['a member of a newer build', stepOfKey({ colour: 'red' } as never), 0],
  ['an account on a plan', stepOfAccount({ terms: { override: 'pro', overage: false } }), 0],
  ['a frozen account', stepOfAccount({ terms: { frozen: true } }), 1],
  ['an org with nothing', stepOfOrg({ org: 'lab', createdAt: 0, terms: {} }), 0],
  ['an org with a limit', stepOfOrg({ terms: { limits: [{ measure: 'usd', most: 1, per: '30d' }] } }), 1],
  ['terms of an org', stepOfTerms({ org: 'lab' }), 1],
])('%s raises the schema by its step', (_what, step, expected) => {
  expect(step).toBe(expected)
})

it('no step is greater than the newest', () => {
  expect(Math.max(...Object.values(KEY_STEPS), ...Object.values(TERMS_STEPS))).toBe(NEWEST_STEP)
})
