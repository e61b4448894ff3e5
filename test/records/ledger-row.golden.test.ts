import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { archivedLine, readArchivedLine } from '../../src/adapters/archives/archived-line.ts'
import { schemaSql } from '../../src/adapters/archives/postgres/ledger-table.ts'
import { insertSql, jsonOf, READ, rowOfRecord } from '../../src/adapters/archives/postgres/table-rows.ts'
import { lateKey, packRow, unpackRow, wasteKey } from '../../src/adapters/embedded/ledger-rows.ts'
import { openRecords } from '../../src/adapters/embedded/records.ts'
import { readRowState, rowText } from '../../src/adapters/redis/backup/record-texts.ts'
import { checkpointText, readCheckpoint } from '../../src/adapters/redis/hold-text.ts'
import { restOf, totalOf } from '../../src/adapters/redis/row-text.ts'
import { Reader, Writer } from '../../src/adapters/remote/bytes.ts'
import { type Codec, codecOf } from '../../src/adapters/remote/codec.ts'
import { settlement } from '../../src/adapters/remote/messages.ts'
import { rowsIn } from '../../src/cli/usage/text.ts'
import { placeOf } from '../../src/gateway/store/archive-store.ts'
import type { Settlement } from '../../src/gateway/store/hold-store.ts'
import type { RowState } from '../../src/gateway/store/record.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import type { LedgerRow } from '../../src/records/ledger-row.ts'
import { LEDGER_RECORD, ledgerRecord } from '../../src/wire/admin/ledger-record.ts'
import { readAs } from '../../src/wire/schema/read.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { golden } from './golden.ts'
import { FULL_BILL, PLAIN_BILL, ROWS } from './rows.ts'

// Bytes that stores, archives and clients have. They change only by addition: a golden file that loses or moves a byte means
// that rows written before cannot be read any more.

/** A row as every reader but the store has it. */
function publicRow({
  tokens: _tokens,
  pieces: _pieces,
  shared: _shared,
  attempt: _attempt,
  ...row
}: RowState): LedgerRow {
  return row
}

const keyOf = ({ kind, requestId, attempt = 0 }: RowState): string =>
  kind === 'waste' ? wasteKey(requestId, attempt) : kind === 'late' ? lateKey(requestId) : requestId

const byName = async (line: (row: RowState) => string | Promise<string>): Promise<string[]> => {
  const lines: string[] = []
  for (const [name, row] of Object.entries(ROWS)) lines.push(`${name} ${await line(row)}`)
  return lines
}

it('the embedded store writes the bytes of a row that it always wrote, and reads them', async () => {
  const path = await mkdtemp(join(tmpdir(), 'golden-'))
  const records = await openRecords(path)
  onTestFinished(async () => {
    await records.close()
    await removeFolder(path)
  })
  const bytesOf = async ({ attempt: _attempt, ...row }: RowState) => {
    await records.ledger.put('row', packRow(row))
    const bytes = records.ledger.getBinary('row')
    expect(unpackRow(records.ledger.get('row') ?? packRow(row))).toEqual(row)
    return bytes?.toString('hex') ?? ''
  }

  await golden('embedded-rows.txt', await byName(async row => `${keyOf(row)} ${await bytesOf(row)}`))
})

it('Redis has the text of a row that it always had, and it is read', async () => {
  for (const row of Object.values(ROWS)) {
    // The hold of an orphan has what a late settlement needs in addition to tokens.
    const { pieces: _pieces, shared: _shared, ...inLedger } = row
    expect(readRowState(rowText(row))).toEqual(inLedger)
  }

  await golden('redis-rows.txt', [
    ...(await byName(rowText)),
    ...[PLAIN_BILL, FULL_BILL].map(bill => `${totalOf(bill)} ${restOf(bill)}`),
  ])
})

it('a checkpoint in Redis and the line of a spooled end keep their text', async () => {
  const settle = settlementOf()
  expect(readCheckpoint(checkpointText(settle))).toEqual({
    tokens: settle.tokens,
    bill: settle.bill,
    pieces: settle.pieces,
  })

  await golden('redis-checkpoints.txt', [checkpointText(settle), JSON.stringify({ settle })])
})

it('a settlement travels between processes in the bytes that it always had', async () => {
  const codec: Codec<Settlement> = codecOf(settlement)
  const plain: Settlement = { hold: settlementOf().hold, tokens: 30, bill: PLAIN_BILL }
  const bytesOf = (value: Settlement) => {
    const writer = new Writer(16)
    codec.write(writer, value)
    const bytes = writer.take()
    expect(codec.read(new Reader(bytes))).toEqual(value)
    return bytes.toString('hex')
  }

  await golden('settlements.txt', [bytesOf(plain), bytesOf(settlementOf())])
})

it('a backup has the line of a row that it always had', () =>
  golden(
    'backup-rows.txt',
    Object.values(ROWS).map(row => JSON.stringify(['row', row])),
  ))

it('an archive keeps the line of a row that it always kept, and reads it', async () => {
  const leaving = (row: RowState) => ({ key: '', place: placeOf(row.kind, row.attempt), row: publicRow(row) })
  for (const row of Object.values(ROWS)) {
    const { key: _key, ...whole } = leaving(row)
    expect(readArchivedLine(archivedLine(leaving(row)))).toEqual(whole)
  }

  await golden('archived-lines.txt', await byName(row => archivedLine(leaving(row))))
})

it('PostgreSQL gets the statements and records that it always got, and what it answers is read', async () => {
  const leaving = Object.values(ROWS).map(row => ({
    key: '',
    place: placeOf(row.kind, row.attempt),
    row: publicRow(row),
  }))
  const records = JSON.parse(jsonOf(leaving)) as Record<string, unknown>[]
  for (const [at, record] of records.entries()) {
    const { admitted_at, settled_at } = record
    const answered = {
      ...record,
      ...{ cost_nano_usd: String(record.cost_nano_usd), input_tokens: String(record.input_tokens) },
      ...{ admitted_at: String(Date.parse(String(admitted_at))), settled_at: String(Date.parse(String(settled_at))) },
    }
    expect(rowOfRecord(answered as Parameters<typeof rowOfRecord>[0])).toEqual(leaving[at]?.row)
  }

  await golden('postgres.txt', [
    schemaSql('svc'),
    insertSql('"svc_ledger"'),
    READ,
    ...records.map(each => JSON.stringify(each)),
  ])
})

it.each(['csv', 'json', 'ndjson', 'text'] as const)(
  'an export as %s has the bytes that it always had',
  async format => {
    const records = Object.values(ROWS).map(row =>
      ledgerRecord({ ...publicRow(row), ...(row.kind !== 'waste' && { label: 'Shop, 1' }) }),
    )
    for (const record of records) expect(readAs(LEDGER_RECORD, JSON.parse(JSON.stringify(record)))).toEqual(record)
    const texts: string[] = []
    const rows = (async function* () {
      yield* records
    })()
    for await (const text of rowsIn[format](rows)) texts.push(text)

    await golden(`export.${format}.txt`, [texts.join('')])
  },
)

const settlementOf = (): Settlement => ({
  hold: {
    requestId: FULL_BILL.requestId,
    account: FULL_BILL.account,
    second: 1_750_075_200,
    window: Date.UTC(2025, 5, 1),
    at: FULL_BILL.admittedAt,
    round: 1,
    output: 20,
    tokens: 30,
    cost: nanoUsd(50),
    spent: { tokens: 5, cost: nanoUsd(6), input: 4, pieces: { images: 1 } },
    rules: {
      weight: { input: 1, output: 2, images: 3, seconds: 4, cost: 5 },
      taken: [{ group: 'acct_shop:account', field: 'tokens/hour', cell: 7 }],
    },
    apart: true,
  },
  tokens: 30,
  bill: FULL_BILL,
  pieces: { images: 1, seconds: 2 },
  joined: [],
})
