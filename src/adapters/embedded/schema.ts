import { pagesOf } from './pages.ts'
import type { Records } from './records.ts'
import { Tally } from './totals.ts'

/** 2 has holds and totals. */
const SCHEMA = 2
/** Records in one commit. */
const PAGE = 1000

/** Brings the files to the schema of this version. Throws when a newer version wrote them. */
export async function prepareSchema(records: Records, path: string): Promise<void> {
  const { meta, transact } = records
  const schema = meta.get('schema') ?? SCHEMA
  if (schema > SCHEMA)
    throw new Error(
      `the store in ${path} has schema ${schema}, which a newer version wrote; this one reads up to ${SCHEMA}`,
    )
  if (schema === 1) await totalRows(records)
  if (meta.get('schema') !== SCHEMA) await transact(() => meta.put('schema', SCHEMA))
}

/** Writes the totals of all rows as they are, whatever was there: it may be cut short, and done again. */
async function totalRows(records: Records): Promise<void> {
  const tally = new Tally()
  for await (const rows of pagesOf(records.ledger)) for (const { value } of rows) tally.add(value, 1)
  const writes = tally.writes(records.totals, () => undefined)
  for (let from = 0; from < writes.length; from += PAGE) await records.commit(writes.slice(from, from + PAGE))
}
