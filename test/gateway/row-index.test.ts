import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PastQuery } from '../../src/gateway/store/ledger-store.ts'
import { pastRequests, type Track } from '../../src/gateway/store/past-requests.ts'
import { RowIndex } from '../../src/gateway/store/row-index.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import type { LedgerRow } from '../../src/records/ledger-row.ts'

interface Made {
  readonly account: number
  readonly model: number
  readonly pool: number
  readonly ms: number
  readonly wasted: number
  readonly kind: 'settle' | 'orphan' | 'none'
}

const made: fc.Arbitrary<Made> = fc.record({
  account: fc.integer({ min: 0, max: 40 }),
  model: fc.integer({ min: 0, max: 9 }).map(model => (model < 9 ? 0 : 1)),
  pool: fc.integer({ min: 0, max: 9 }).map(pool => (pool < 9 ? 0 : 1)),
  ms: fc.integer({ min: 0, max: 9 }).map(ms => (ms < 9 ? 10 : 9000)),
  wasted: fc.integer({ min: 0, max: 6 }).map(count => Math.max(0, count - 4)),
  kind: fc.constantFrom('settle', 'settle', 'settle', 'settle', 'orphan', 'none'),
})

const query: fc.Arbitrary<PastQuery> = fc
  .record({
    account: fc.option(
      fc.integer({ min: 0, max: 41 }).map(number => `acct_${number}`),
      { nil: undefined },
    ),
    key: fc.option(
      fc.integer({ min: 0, max: 41 }).map(number => `key_${number}`),
      { nil: undefined, freq: 1 },
    ),
    model: fc.constantFrom(undefined, 'm1'),
    pool: fc.constantFrom(undefined, 'p1'),
    slow: fc.constantFrom(undefined, 5000),
    failed: fc.constantFrom(undefined, true as const),
    limit: fc.constantFrom(1, 3, 1000),
  })
  .map(
    all =>
      ({
        since: 0,
        ...Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)),
      }) as PastQuery,
  )

type Placed = { readonly place: string; readonly row: LedgerRow }

function rowsOf(number: number, { account, model, pool, ms, wasted, kind }: Made): readonly Placed[] {
  const requestId = `req_${String(number).padStart(26, '0')}`
  const row = (of: LedgerRow['kind'], at: string): LedgerRow => ({
    ...{ requestId, account: `acct_${account}`, key: `key_${account}`, plan: 'pro', asked: '', model: `m${model}` },
    ...{ inputTokens: 1, outputTokens: 1, cost: nanoUsd(1), estimated: false, revision: 'r', kind: of, pool: at },
    ...{ admittedAt: number, settledAt: number + ms },
  })
  const charged = kind === 'none' ? [] : [{ place: requestId, row: row(kind, 'p0') }]
  const failed = Array.from({ length: wasted }, (_, attempt) => ({
    place: `${requestId}+waste${attempt}`,
    row: row('waste', `p${pool}`),
  }))
  return [...charged, ...failed]
}

const readBackFrom =
  (rows: readonly Placed[], count: { rows: number }) => async (before: string | undefined, limit: number) => {
    const end = before === undefined ? rows.length : firstFrom(rows, before)
    const page = rows.slice(Math.max(0, end - limit), end).toReversed()
    count.rows += page.length
    return page
  }

/** The index of the first row that is not before the place; rows are in the order of their places. */
function firstFrom(rows: readonly Placed[], place: string): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle] as Placed).place < place) low = middle + 1
    else high = middle
  }
  return low
}

/** An index of the rows up to one of them, then of the others; late rows arrive only as news. */
function indexOf(rows: readonly Placed[], late: ReadonlySet<number>, upTo: number, blocks: number): RowIndex {
  const index = new RowIndex({ rows: 8, blocks })
  for (const [at, placed] of rows.entries()) if (at < upTo && !late.has(at)) index.add(placed)
  for (const [at, { row }] of rows.entries()) if (late.has(at)) index.note(row)
  for (const placed of rows) if (index.end !== undefined && placed.place > index.end) index.add(placed)
  return index
}

async function pagesOf(track: Track, asked: PastQuery): Promise<readonly (readonly LedgerRow[])[]> {
  const found: (readonly LedgerRow[])[] = []
  for (let before: string | undefined = ''; before !== undefined; ) {
    const query: PastQuery = { ...asked, ...(before !== '' && { before }) }
    const page = await pastRequests([track], query, { page: 7, atOnce: 1, most: 100_000 })
    found.push(...page.requests)
    before = page.next
  }
  return found
}

it('a look with an index finds what one without it finds, also where rows came late and the oldest are not in it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(made, { maxLength: 150 }),
      fc.array(fc.nat(400), { maxLength: 40 }),
      fc.nat(400),
      fc.constantFrom(2, 5, 100),
      fc.array(query, { minLength: 5, maxLength: 5 }),
      async (requests, lateOnes, upTo, blocks, queries) => {
        const rows = requests.flatMap((one, number) => rowsOf(number, one))
        const late = new Set(lateOnes.map(at => at % Math.max(1, rows.length)))
        const index = indexOf(rows, late, upTo, blocks)
        const readBack = readBackFrom(rows, { rows: 0 })
        for (const asked of queries) {
          const plain = await pagesOf({ readBack }, asked)
          expect(await pagesOf({ readBack, index }, asked)).toEqual(plain)
        }
      },
    ),
    { numRuns: 300 },
  )
})

it('a request with whose failed attempt a block begins has all its rows, also those that come later', async () => {
  const usual: Made = { account: 0, model: 0, pool: 0, ms: 10, wasted: 0, kind: 'settle' }
  const before = Array.from({ length: 8 }, (_, number) => rowsOf(number, usual)).flat()
  const request = rowsOf(8, { ...usual, model: 1, wasted: 1 })
  const index = indexOf([...before, ...request], new Set([8]), 10, 2)
  const track = { readBack: readBackFrom([...before, ...request], { rows: 0 }), index }

  const { requests } = await pastRequests(
    [track],
    { since: 0, model: 'm1', limit: 1 },
    { page: 1, atOnce: 1, most: 100 },
  )
  expect(requests).toEqual([request.map(({ row }) => row)])
})

it('a look for what is rare reads a small part of the rows', async () => {
  const rows = Array.from({ length: 20_000 }, (_, number) =>
    rowsOf(number, {
      account: number % 3000,
      model: 0,
      pool: 0,
      ms: number === 7 ? 9000 : 10,
      wasted: 0,
      kind: 'settle',
    }),
  ).flat()
  const index = new RowIndex({ rows: 256, blocks: 1000 })
  for (const placed of rows) index.add(placed)
  const look = async (asked: Partial<PastQuery>) => {
    const count = { rows: 0 }
    const query = { since: 0, limit: 1000, ...asked }
    const bounds = { page: 256, atOnce: 1, most: 1e9 }
    const { requests } = await pastRequests([{ readBack: readBackFrom(rows, count), index }], query, bounds)
    return { found: requests.length, read: count.rows }
  }

  expect(await look({ account: 'acct_77' })).toEqual({
    found: 7,
    read: expect.toSatisfy((read: number) => read < 4800),
  })
  expect(await look({ slow: 5000 })).toEqual({ found: 1, read: expect.toSatisfy((read: number) => read < 1000) })
  for (const none of [{ account: 'acct_none' }, { model: 'none' }, { pool: 'none' }, { failed: true } as const])
    expect(await look(none)).toEqual({ found: 0, read: expect.toSatisfy((read: number) => read < 1200) })
})

it('takes less than 16 bytes a row in blocks of 32, where places are parts of long texts', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  /** The least of ten collections: what was used before is collected late, and counts as held until then. */
  const memory = async (): Promise<number> => {
    let least = Number.POSITIVE_INFINITY
    for (let collections = 0; collections < 10; collections++) {
      await new Promise(setImmediate)
      collect()
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      least = Math.min(least, heapUsed + arrayBuffers)
    }
    return least
  }
  const made = { account: 1, model: 0, pool: 0, ms: 10, wasted: 0, kind: 'settle' } as const
  const indexes = Array.from({ length: 5 }, () => new RowIndex({ rows: 32, blocks: 256 }))
  for (let number = 0; number < 40_000; number++)
    for (const { place, row } of rowsOf(number, made)) {
      const text = Buffer.from(`${place} 1 settle ${'x'.repeat(500)}`).toString()
      indexes[number % 5]?.add({ place: text.slice(0, place.length + 2), row })
    }
  expect(indexes.every(({ count }) => count === 8000)).toBe(true)

  const held = await memory()
  indexes.length = 0
  const bytes = (held - (await memory())) / 40_000

  // The filters alone, 10 bytes on Node 20 and 12 on Node 24: a place that kept its text would take 500.
  expect(bytes).toBeGreaterThan(4)
  expect(bytes).toBeLessThan(16)
})
