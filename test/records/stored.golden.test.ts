import type { Database, Key } from 'lmdb'
import { expect, it, onTestFinished } from 'vitest'
import { loadRecords } from '../../src/adapters/embedded/backup/load.ts'
import { openRecords } from '../../src/adapters/embedded/records.ts'
import { openEmbeddedStore } from '../../src/adapters/embedded/store.ts'
import { Reader, Writer } from '../../src/adapters/remote/bytes.ts'
import { codecOf } from '../../src/adapters/remote/codec.ts'
import { heartbeat, keptResponse, settlement } from '../../src/adapters/remote/messages.ts'
import type { StoreRecord } from '../../src/gateway/store/record.ts'
import type { Store } from '../../src/gateway/store/store.ts'
import { HOLD } from '../../src/records/hold.ts'
import { newDirectory } from '../adapters/store/directory.ts'
import { all, clockAt, settlement as settled } from '../adapters/store/fixtures.ts'
import { golden } from './golden.ts'
import { live } from './life.ts'
import { ALL_RECORDS, AT, FULL_HOLD } from './store-records.ts'

// Bytes that stores and backups have, of every record and as the calls of gateways write them. They change only by addition:
// a golden file that loses or moves a byte means that what was written before cannot be read any more.

it('the embedded store has the bytes that it always had of each record of a backup, and gives them back', async () => {
  const path = await newDirectory()
  await loadRecords(path, { records: given(), replace: false })
  await golden('embedded-records.txt', await bytesIn(path))

  const store = await openEmbeddedStore({ path, now: () => AT })
  onTestFinished(() => store.close())
  await golden('embedded-backup.txt', await linesOf(store))
})

it('the embedded store has the bytes that it always had of what gateways have it write', async () => {
  const path = await newDirectory()
  const clock = clockAt(AT)
  const store = await openEmbeddedStore({ path, now: clock.now })
  await live(store, clock)
  await golden('embedded-life-backup.txt', await linesOf(store))
  await store.close()

  await golden('embedded-life.txt', await bytesIn(path))
})

const bill = settled(FULL_HOLD).bill
const whole = { hold: FULL_HOLD, tokens: 30, bill, pieces: { images: 1 } }

it.each([
  ['hold', HOLD, FULL_HOLD],
  ['settlement', settlement, whole],
  ['heartbeat', heartbeat, { hold: FULL_HOLD, soFar: whole }],
  [
    'keptResponse',
    keptResponse,
    { account: 'acct_shop', id: 'resp_1', items: ['item'], sealed: Buffer.from('sealed'), keep: 9 },
  ],
])('a message with the record %s has the bytes that it always had between processes', async (name, shape, value) => {
  const codec = codecOf<unknown>(shape as Parameters<typeof codecOf>[0])
  const writer = new Writer(16)
  codec.write(writer, value)
  const bytes = writer.take()
  expect(codec.read(new Reader(bytes))).toEqual(value)

  await golden(`message-${name}.txt`, [bytes.toString('hex')])
})

async function* given(): AsyncGenerator<StoreRecord, void, undefined> {
  yield* ALL_RECORDS
}

async function linesOf(store: Store): Promise<string[]> {
  return (await all(store.dump())).map(record => JSON.stringify(record))
}

/** Every record of the files, by the name of its table. */
async function bytesIn(path: string): Promise<string[]> {
  const records = await openRecords(path)
  const lines: string[] = []
  const { responses, ...tables } = records
  for (const [name, table] of Object.entries<unknown>({ ...tables, ...responses })) {
    if (!isTable(table)) continue
    for (const key of table.getKeys())
      lines.push(`${name} ${JSON.stringify(key)} ${table.getBinary(key)?.toString('hex')}`)
  }
  await records.close()
  return lines
}

const isTable = (table: unknown): table is Pick<Database<unknown, Key>, 'getKeys' | 'getBinary'> =>
  typeof table === 'object' && table !== null && 'getBinary' in table
