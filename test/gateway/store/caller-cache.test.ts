import { describe, expect, it } from 'vitest'
import { CallerCache } from '../../../src/gateway/store/caller-cache.ts'
import type { KeyCaller } from '../../../src/gateway/store/key-store.ts'
import { ZERO_USD } from '../../../src/policy/nano-usd.ts'

const caller = (account: string): KeyCaller => ({ kind: 'developer', account, keyPrefix: 'svc_…', terms: {} })

function opened() {
  let now = 0
  return { cache: new CallerCache(() => now), pass: (ms: number) => (now += ms) }
}

describe('a caller', () => {
  it('is recalled for less than five seconds from its look-up, however often that is', () => {
    const { cache, pass } = opened()
    cache.keep('hash', caller('ada'))

    pass(4999)
    expect(cache.recall('hash')).toEqual(caller('ada'))
    pass(1)
    expect(cache.recall('hash')).toBeUndefined()
  })

  it('is recalled as it was found last', () => {
    const { cache } = opened()
    cache.keep('hash', caller('ada'))
    cache.keep('hash', { ...caller('ada'), terms: { override: 'pro' } })

    expect(cache.recall('hash')).toMatchObject({ terms: { override: 'pro' } })
    cache.keep('hash', undefined)
    expect(cache.recall('hash')).toBeUndefined()
  })

  it('is forgotten once an admission found its key ended, or its terms changed', () => {
    const { cache } = opened()
    for (const gone of [{ outcome: 'key-gone' }, { outcome: 'stale', terms: {}, at: 0 }] as const) {
      cache.keep('hash', caller('ada'))
      cache.admitted('another', gone)
      cache.admitted(undefined, gone)
      expect(cache.recall('hash')).toBeDefined()
      cache.admitted('hash', gone)
      expect(cache.recall('hash')).toBeUndefined()
    }
  })

  it('is recalled after admissions that only its limits refused', () => {
    const { cache } = opened()
    cache.keep('hash', caller('ada'))
    cache.admitted('hash', { outcome: 'counters-missing', counters: [], at: 0 })
    const judged = { at: 0, readings: { used: ZERO_USD } } as never
    cache.admitted('hash', { outcome: 'guests-spent', retryAfterMs: 1, judged })

    expect(cache.recall('hash')).toBeDefined()
  })

  it('that was found longest ago makes room where there are ten thousand', () => {
    const { cache } = opened()
    for (let i = 0; i < 10_000; i++) cache.keep(`hash-${i}`, caller(`acct_${i}`))
    cache.keep('hash-0', caller('acct_0'))
    cache.keep('one more', caller('ada'))

    expect(cache.recall('hash-1')).toBeUndefined()
    expect(cache.recall('hash-0')).toBeDefined()
    expect(cache.recall('hash-2')).toBeDefined()
    expect(cache.recall('one more')).toBeDefined()
  })
})
