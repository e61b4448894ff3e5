import type { Database } from 'lmdb'
import { NEWEST_STEP, stepOfAccount, stepOfKey, stepOfOrg } from '../../gateway/restrictions.ts'
import type { SchemaStep } from '../../records/terms.ts'
import type { CommitSize } from './disk/page-bound.ts'
import { pagesOf } from './lmdb.ts'
import { FIRST_SCHEMA, type RecordWriter, schemaIn } from './record-writer.ts'
import type { ReadOnly, StoredAccount, StoredKey, StoredOrg } from './stored-records.ts'

/** The files whose schema is read and raised. */
interface Files {
  readonly keys: ReadOnly<StoredKey>
  readonly accounts: ReadOnly<StoredAccount>
  readonly orgs: ReadOnly<StoredOrg>
  readonly write: RecordWriter
  readonly meta: Pick<Database<number, 'schema' | 'searched'>, 'get' | 'put'>
  transact<T>(change: () => T, size?: CommitSize): Promise<T>
}

/** Writes the schema into new files, and raises it to what they hold. Throws, and changes nothing, when another version wrote them. */
export async function prepareSchema(records: Files, path: string): Promise<void> {
  const { meta, transact } = records
  const stored = meta.get('schema')
  const found = stored === undefined ? undefined : schemaIn(stored)
  if (found !== undefined && found < FIRST_SCHEMA)
    throw new Error(
      `the store in ${path} has schema ${found}, which no release wrote; this version reads ${FIRST_SCHEMA} to ${READ_UP_TO}`,
    )
  if (found !== undefined && found > READ_UP_TO)
    throw new Error(
      `the store in ${path} has schema ${found}, which a newer version wrote; this one reads up to ${READ_UP_TO}`,
    )
  if (found === undefined) await transact(() => meta.put('schema', FIRST_SCHEMA))
  if (meta.get('searched') === undefined) await raiseToContent(records)
}

const READ_UP_TO = FIRST_SCHEMA + NEWEST_STEP

/** Raises the schema to what the store holds. Only builds before the first release of `RecordWriter` wrote restrictions without that, so once is enough. */
async function raiseToContent(records: Files): Promise<void> {
  const step = await stepIn(records)
  await records.transact(() => {
    records.write.raise(step)
    records.meta.put('searched', 1)
  })
}

async function stepIn({ keys, accounts, orgs }: Files): Promise<SchemaStep> {
  const searches = [
    [keys, stepOfKey],
    [accounts, stepOfAccount],
    [orgs, stepOfOrg],
  ] as const
  let most: SchemaStep = 0
  for (const [database, stepOf] of searches)
    for await (const page of pagesOf<object, string>(database))
      for (const { value } of page) {
        const step = stepOf(value)
        if (step > most) most = step
        if (most === NEWEST_STEP) return most
      }
  return most
}
