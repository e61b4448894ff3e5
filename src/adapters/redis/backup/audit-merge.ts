import type { StoreRecord } from '../../../gateway/store/record.ts'
import type { AuditRow } from '../../../records/audit.ts'
import { readAuditRow } from '../audit-text.ts'
import type { Layout } from '../layout.ts'
import type { DedicatedConnections } from '../servers/dedicated-connections.ts'

/** The audit of all buckets, oldest first, up to the entry that is the last one of each. */
export async function* readAuditOf(
  dedicated: DedicatedConnections,
  layout: Layout,
  lasts: ReadonlyMap<string, string>,
): AsyncGenerator<StoreRecord, void, undefined> {
  const readers = Array.from(lasts, ([bucket, last]) => rowsOf(dedicated, layout.bucket(bucket).audit, last))
  const open = await Promise.all(readers.map(async reader => ({ reader, head: await reader.next() })))
  for (;;) {
    let oldest: (typeof open)[number] | undefined
    for (const each of open)
      if (!each.head.done && (!oldest || oldest.head.done || each.head.value.at < oldest.head.value.at)) oldest = each
    if (!oldest || oldest.head.done) return
    yield ['audit', oldest.head.value]
    oldest.head = await oldest.reader.next()
  }
}

async function* rowsOf(
  dedicated: DedicatedConnections,
  key: string,
  last: string,
): AsyncGenerator<AuditRow, void, undefined> {
  for (let from = '-'; ; ) {
    const page = await dedicated.run(key, client => client.xRange(key, from, last, { COUNT: PAGE }))
    for (const { message } of page) yield readAuditRow(message)
    const end = page.at(-1)
    if (!end || page.length < PAGE) return
    from = `(${end.id}`
  }
}

/** Entries of each bucket that are read at once. */
const PAGE = 64
