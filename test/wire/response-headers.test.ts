import { describe, expect, it } from 'vitest'
import { HEAD_BYTES_MAX, HEADER_GROUPS, HEADS, HeaderBounds, joinWithin } from '../../src/wire/response-headers.ts'

/** The longest that the files take. */
const BRAND = 'b'.repeat(16)
/** The status line, and what node adds. */
const beside = (reason: string) =>
  [
    `HTTP/1.1 503 ${reason}`,
    'Date: Fri, 27 Nov 2026 19:31:56 GMT',
    'Connection: keep-alive',
    'Keep-Alive: timeout=65',
    'Transfer-Encoding: chunked',
    '\r\n',
  ].join('\r\n').length

/** Bytes of the longest head of a group. */
const bytesOf = (group: keyof typeof HEADER_GROUPS) =>
  Object.entries(HEADER_GROUPS[group]).reduce(
    (sum, [name, most]) => sum + name.replace('*', BRAND).length + ': \r\n'.length + most,
    0,
  )

describe('the bounds of response headers', () => {
  it.each(HEADS.map(groups => [groups.join(' and ')]))('leave a head of %s below HEAD_BYTES_MAX', groups => {
    const all = ['every', ...groups.split(' and ')] as (keyof typeof HEADER_GROUPS)[]

    const reason = groups.includes('error') ? 'r'.repeat(120) : 'No Content'
    expect(all.reduce((sum, group) => sum + bytesOf(group), beside(reason))).toBeLessThanOrEqual(HEAD_BYTES_MAX)
  })

  it('stay well below the 4 KB of a proxy', () => {
    expect(HEAD_BYTES_MAX).toBeLessThanOrEqual(3584)
  })

  it('have each group in some head', () => {
    expect(new Set(['every', ...HEADS.flat()])).toEqual(new Set(Object.keys(HEADER_GROUPS)))
  })

  it('give a name one bound', () => {
    const names = Object.values(HEADER_GROUPS).flatMap(group => Object.keys(group))

    expect(names).toEqual([...new Set(names)])
  })
})

describe('a response header', () => {
  it('is cut to its bound', () => {
    const bounds = new HeaderBounds('acme')

    expect(bounds.clip('x-acme-upstream', 'p'.repeat(20_000))).toBe('p'.repeat(64))
    expect(bounds.clip('x-acme-upstream', 'onprem')).toBe('onprem')
  })

  it('that has no bound is an error', () => {
    expect(() => new HeaderBounds('acme').clip('x-acme-new', 'v')).toThrow('x-acme-new has no bound')
    expect(() => new HeaderBounds('acme').clip('x-svc-upstream', 'v')).toThrow('has no bound')
  })
})

describe('a list in a header', () => {
  it('is whole where it fits', () => {
    expect(joinWithin(['a', 'b'], 8)).toBe('a, b')
    expect(joinWithin([], 8)).toBe('')
  })

  it('ends with `others` where it does not, and has whole names', () => {
    expect(joinWithin(['aaaa', 'bbbb', 'cccc', 'dddd'], 21)).toBe('aaaa, bbbb, others')
    expect(joinWithin(['a'.repeat(100), 'b'], 20)).toBe('others')
  })

  it('never passes its bound', () => {
    for (let most = 8; most < 300; most++)
      expect(
        joinWithin(
          Array.from({ length: 400 }, (_, i) => `tool${i}`),
          most,
        ).length,
      ).toBeLessThanOrEqual(most)
  })
})
