import { batchesOf } from '../../../gateway/batches.ts'
import type { StoreRecord } from '../../../gateway/store/store-record.ts'
import type { Access } from '../access.ts'
import type { Client } from '../client.ts'
import type { Bucket, Layout } from '../layout.ts'
import type { Asides } from '../servers/asides.ts'
import { readToolTotal, readTotal, readWaste } from '../total-texts.ts'
import { readAuditOf } from './audit-merge.ts'
import { namesByBucket, scan } from './names.ts'
import { readRowState } from './record-texts.ts'
import { responseStates } from './stored.ts'

type Records = AsyncGenerator<StoreRecord, void, undefined>

/** All rows, the audit, kept responses, and the sums of days before one, as they are when they are read. */
export async function* dumpPast({ layout }: Access, asides: Asides, before: number): Records {
  const lasts = new Map<string, string>()
  for await (const buckets of namesByBucket(asides, layout)) {
    for (const [name, names] of buckets) {
      const bucket = layout.bucket(name)
      const { client } = await asides.to(bucket.epoch)
      for await (const text of rowTexts(asides, bucket.ledger)) yield ['row', readRowState(text)]
      yield* totalsOf(client, bucket, (names.totals ?? []).map(Number), before)
      yield* responsesOf(client, bucket, names.responses ?? [])
      const [last] = await client.xRevRange(bucket.audit, '+', '-', { COUNT: 1 })
      if (last) lasts.set(name, last.id)
    }
  }
  yield* wasteOf(asides, layout, before)
  yield* readAuditOf(asides, layout, lasts)
}

async function* totalsOf(client: Client, bucket: Bucket, days: readonly number[], before: number): Records {
  for (const day of days.filter(each => each < before)) {
    const [totals, tools] = await Promise.all([
      client.hGetAll(bucket.totals(day)),
      client.hGetAll(bucket.toolTotals(day)),
    ])
    for (const [field, sums] of Object.entries(totals)) yield ['total', readTotal(day, field, sums)]
    for (const [field, sums] of Object.entries(tools)) yield ['tools', readToolTotal(day, field, sums)]
  }
}

async function* responsesOf(client: Client, bucket: Bucket, accounts: readonly string[]): Records {
  for (const account of accounts) {
    const fields = Object.entries(await client.hGetAll(bucket.responses(account))).flat()
    yield* responseStates(client, bucket, account, fields)
  }
}

async function* wasteOf(asides: Asides, layout: Layout, before: number): Records {
  for await (const name of scan(asides, layout.like('{??}:waste:*'))) {
    const day = Number(name.slice(name.lastIndexOf(':') + 1))
    const pools = day < before ? await asides.run(name, client => client.hGetAll(name)) : {}
    for (const [pool, sums] of Object.entries(pools)) yield ['waste', readWaste(day, pool, sums)]
  }
}

/** All rows of some requests, by their accounts. */
export async function* dumpRows({ layout }: Access, asides: Asides, requests: ReadonlyMap<string, string>): Records {
  for await (const batch of batchesOf(each(requests), PAGE)) {
    const found = await Promise.all(
      batch.map(([requestId, account]) => {
        const { ledger } = layout.bucketOf(account)
        const range = { BY: 'LEX' } as const
        return asides.run(ledger, client => client.zRange(ledger, `[${requestId} `, `(${requestId}!`, range))
      }),
    )
    for (const text of found.flat()) yield ['row', readRowState(text)]
  }
}

/** Rows of a bucket in the order of their ids. */
export async function* rowTexts(asides: Asides, key: string): AsyncGenerator<string, void, undefined> {
  for (let from = '-'; ; ) {
    const options = { BY: 'LEX', LIMIT: { offset: 0, count: PAGE } } as const
    const min = from
    const page = await asides.run(key, client => client.zRange(key, min, '+', options))
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    from = `(${last}`
  }
}

async function* each<T>(all: Iterable<T>): AsyncGenerator<T, void, undefined> {
  yield* all
}

/** Names or records that are read together. */
const PAGE = 1000
