import { expect, it } from 'vitest'
import { CacheDomains } from '../../../src/gateway/balance/cache-domains.ts'
import { TableBudget } from '../../../src/gateway/balance/mark-table.ts'
import type { BalanceNews } from '../../../src/gateway/balance/news.ts'
import { FORM, readNews, writeNews } from '../../../src/gateway/balance/news-text.ts'
import { PoolMarks } from '../../../src/gateway/balance/pool-marks.ts'
import { sketchOf } from '../../../src/wire/prompt-sampler.ts'

const PLACE = { pool: 'onprem', replica: 'http://a:8000/v1', caches: 7 }
const NEWS: readonly BalanceNews[] = [
  { ...PLACE, isEmptied: true, marks: [{ domain: 9, halves: [1, -1, 2 ** 31 - 1, -(2 ** 31)] }] },
  { ...PLACE, replica: 'http://b:8000/v1', load: { inFlight: 3, heldTokens: 900, owedTokens: 0 } },
  { ...PLACE, replica: '', stays: [{ key: 2 ** 52 - 1, time: 300_000 }] },
]

it('news is read as it was written', () => {
  expect(readNews(writeNews(NEWS))).toEqual(NEWS)
})

const [head, one] = JSON.parse(writeNews(NEWS)) as [number, unknown[]]
const changed = (at: number, value: unknown): string => JSON.stringify([head, one.with(at, value)])

it.each([
  ['nothing', ''],
  ['no JSON', '[1, ['],
  ['an object', '{}'],
  ['null', 'null'],
  ['another form', JSON.stringify([FORM + 1, one])],
  ['a replica that is none', JSON.stringify([FORM, 'onprem'])],
  ['a pool without a name', changed(0, 17)],
  ['a name without an end', changed(1, 'x'.repeat(3000))],
  ['a digest that is none', changed(2, 1.5)],
  ['a load below zero', changed(4, [-1, 0, 0])],
  ['a load without bounds', changed(4, [1, 1e15, 0])],
  ['a load that is a text', changed(4, ['1', '2', '3'])],
  ['marks that are a number', changed(5, 12)],
  ['marks of no domain', changed(5, [[null, 'AAAA']])],
  ['marks that are no text', changed(5, [[1, 2]])],
  ['conversations that are a number', changed(6, 12)],
  ['a conversation by a text', changed(6, [['ada', 1]])],
  ['a conversation that stays for ever', changed(6, [[1, 1e15]])],
  ['more replicas than anybody has', JSON.stringify([FORM, ...Array(300).fill(one)])],
  ['more text than anybody writes', `${writeNews(NEWS)}${' '.repeat(70_000)}`],
])('a text with %s is ignored', (_name, text) => {
  expect(readNews(text)).toBeUndefined()
})

/** The marks that a gateway whose store has this seed tells of a prompt. */
function told(seed: string, caches: 'account' | 'pool', texts: readonly string[], account = 'ada'): readonly number[] {
  const domain = new CacheDomains(seed).of(caches, { account, terms: {} as never })
  const chat = { messages: texts.map(content => ({ role: 'user', content })) }
  const visit = (text: string, visitor: { text(text: string): void }) => visitor.text(text)
  const sketch = sketchOf({ chat, texts: { visit } as never })
  return new PoolMarks(new TableBudget()).remember(sketch, domain, 'http://a')?.halves ?? []
}

it('marks of one text have nothing in common with those of another seed or account, nor their differences', () => {
  const texts = ['The first message.', 'The second one.', 'The third.']
  const all = [
    told('one', 'pool', texts),
    told('two', 'pool', texts),
    told('one', 'account', texts),
    told('one', 'account', texts, 'bob'),
  ]
  const differences = all.map(([a = 0, , b = 0]) => a ^ b)
  expect(new Set(all.flatMap(halves => halves.filter((_, at) => at % 2 === 0))).size).toBe(12)
  expect(new Set(differences).size).toBe(4)
})

it('a prompt has the marks that its form says: whoever changes them raises FORM', () => {
  expect([FORM, ...told('seed', 'pool', ['Hello', 'x'.repeat(5000)])]).toMatchInlineSnapshot(`
    [
      2,
      1062294996,
      -1809458741,
      1740188497,
      -1557280209,
      -1566696504,
      2009621063,
      2009589012,
      261082597,
    ]
  `)
})
