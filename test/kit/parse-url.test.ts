import { expect, it } from 'vitest'
import { parseUrl } from '../../src/kit/parse-url.ts'

it.each([
  ['http://ü', 'xn--tda'],
  ['https://a.example/é?ß', 'a.example'],
  ['http://', undefined],
  ['ü', undefined],
] as const)('%s has one answer, however often it is asked', (text, host) => {
  const answers = new Set(Array.from({ length: 30_000 }, () => parseUrl(text)?.host))

  expect([...answers]).toEqual([host])
})

it('a relative text is read against its base', () => {
  expect(parseUrl('../b', new URL('http://a.example/x/y'))?.href).toBe('http://a.example/b')
})
