import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkBackup as check } from '../../../src/gateway/backup/check.ts'
import { BackupDamaged } from '../../../src/gateway/backup/read.ts'
import { type BackupHeader, backupBytes, headerOf, VERSION } from '../../../src/gateway/backup/write.ts'
import type { RowState, StoreRecord } from '../../../src/gateway/store/record.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'

const checkBackup = (file: string) => check(file, { unsigned: true })

const NOON = Date.UTC(2026, 10, 16, 12)
const DAY = Math.floor(NOON / 86_400_000)

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'backup-'))
})
afterAll(() => removeFolder(directory))

const header: BackupHeader = {
  ...{ svc_backup: 1, gateway: '0.2.0', began: NOON, store: 'embedded', rows_since: NOON - 86_400_000 },
  config: { revision: 'abc', files: [{ file: 'config.yaml', text: 'version: 1\n' }] },
}

const tokens = { inputTokens: 10, outputTokens: 20 }
const row: RowState = {
  ...{ requestId: 'req_1', account: 'acct_ada', plan: 'pro', asked: 'auto', model: 'small', pool: 'onprem' },
  ...{ ...tokens, cost: nanoUsd(50), estimated: false, admittedAt: NOON, revision: 'abc', kind: 'settle' },
  settledAt: NOON,
}
const whose = { account: 'acct_ada', plan: 'pro', model: 'small' }
const records: readonly StoreRecord[] = [
  ['store', { minted: 1 }],
  ['counters', { account: 'acct_ada', minute: [], calendar: [], used: { [Date.UTC(2026, 10)]: nanoUsd(100) } }],
  ['total', { day: DAY, ...whose, requests: 2, inputTokens: 20, outputTokens: 40, cost: nanoUsd(100) }],
  ['waste', { day: DAY, pool: 'cloud', attempts: 1, ...tokens, cost: nanoUsd(9) }],
  ['row', row],
  ['row', { ...row, requestId: 'req_2' }],
  [
    'row',
    { ...row, requestId: 'req_2', kind: 'waste', pool: 'cloud', cost: nanoUsd(9), cause: 'status 500', attempt: 1 },
  ],
]

async function* eachOf<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items
}

let files = 0
async function fileOf(bytes: Uint8Array): Promise<string> {
  const file = join(directory, `backup-${++files}`)
  await writeFile(file, bytes)
  return file
}

async function bytesOf(of: Iterable<StoreRecord> = records, as: BackupHeader = header): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of backupBytes(as, eachOf(of))) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The records with one that is changed. */
const withRecord = (place: number, change: object): StoreRecord[] =>
  records.map((record, at) => (at === place ? ([record[0], { ...record[1], ...change }] as StoreRecord) : record))

it('a backup is gzip of JSON lines, which any tool reads, with its checksum in the last one', async () => {
  const lines = gunzipSync(await bytesOf())
    .toString()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))

  expect(lines[0]).toEqual(header)
  expect(lines.slice(1, -2)).toEqual(records)
  expect(lines.at(-2)).toEqual({ end: { store: 1, counters: 1, total: 1, waste: 1, row: 3 } })
  expect(lines.at(-1)).toEqual({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
})

it('a backup as it was written is right, and says how many records it has', async () => {
  expect(await checkBackup(await fileOf(await bytesOf()))).toMatchObject({
    ...{ header, wrong: [] },
    counts: { store: 1, counters: 1, total: 1, waste: 1, row: 3 },
  })
})

it('a flipped bit is found, wherever it is', async () => {
  const bytes = await bytesOf()
  const file = await fileOf(bytes)
  for (let at = 0; at < bytes.length; at++) {
    const flipped = Buffer.from(bytes)
    flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << (at % 8)), at)
    await writeFile(file, flipped)
    await expect(checkBackup(file), `byte ${at} of ${bytes.length}`).rejects.toBeInstanceOf(BackupDamaged)
  }
})

it('a backup that was cut off is found, and so is one with something behind it', async () => {
  const bytes = await bytesOf()
  for (let length = 0; length < bytes.length; length += 7)
    await expect(checkBackup(await fileOf(bytes.subarray(0, length))), `${length}`).rejects.toBeInstanceOf(
      BackupDamaged,
    )
  await expect(checkBackup(await fileOf(Buffer.concat([bytes, Buffer.from('x')])))).rejects.toBeInstanceOf(
    BackupDamaged,
  )
})

it('a file that is no backup, and one of a newer gateway, are refused by what they are', async () => {
  const refused = async (bytes: Buffer) => checkBackup(await fileOf(bytes)).catch(error => String(error.message))

  expect(await refused(Buffer.from('a text that is longer than any seal'.repeat(10)))).toBe(
    'it is no backup of a gateway',
  )
  expect(await refused(gzipSync('a text that is longer than any seal'.repeat(10)))).toContain('it has no seal')
  expect(await refused(await bytesOf(records, { ...header, svc_backup: VERSION + 1 }))).toBe(
    `a newer gateway made it, in form ${VERSION + 1}; this one reads up to form ${VERSION}`,
  )
})

it.each([
  ['a total that counts one request too many', 2, { requests: 3 }, { total: ['acct_ada'] }],
  ['a total that lacks a nano-USD', 2, { cost: nanoUsd(99) }, { spend: ['acct_ada'], total: ['acct_ada'] }],
  ['a total of another plan', 2, { plan: 'free' }, { total: ['acct_ada'] }],
  ['failed attempts at another pool', 3, { pool: 'onprem' }, { waste: ['cloud', 'onprem'] }],
  ['a row with another token', 4, { inputTokens: 11 }, { total: ['acct_ada'] }],
  ['a row of another account', 5, { account: 'acct_eve' }, { total: ['acct_ada', 'acct_eve'] }],
  ['spend that is not in the totals', 1, { used: { [Date.UTC(2026, 10)]: nanoUsd(101) } }, { spend: ['acct_ada'] }],
])('%s is found, with the accounts or pools that it is of', async (_, place, change, expected) => {
  const { wrong } = await checkBackup(await fileOf(await bytesOf(withRecord(place, change))))
  const found: Record<string, string[]> = {}
  for (const { of, whose = '' } of wrong) found[of] = [...(found[of] ?? []), whose].sort()
  expect(found).toEqual(expected)
})

it('an account whose sums are right is not named beside another one of the same day', async () => {
  const eve: readonly StoreRecord[] = [
    ['total', { day: DAY, ...whose, account: 'acct_eve', requests: 1, ...tokens, cost: nanoUsd(50) }],
    ['row', { ...row, requestId: 'req_3', account: 'acct_eve' }],
    ['counters', { account: 'acct_eve', minute: [], calendar: [], used: { [Date.UTC(2026, 10)]: nanoUsd(50) } }],
  ]
  const { wrong } = await checkBackup(await fileOf(await bytesOf([...withRecord(2, { requests: 3 }), ...eve])))
  expect(wrong).toEqual([{ of: 'total', day: DAY, whose: 'acct_ada' }])
})

it('a row that is not there is found, and a day whose rows were removed is not compared', async () => {
  const lost = records.filter((_, at) => at !== 5)
  expect((await checkBackup(await fileOf(await bytesOf(lost)))).wrong).toEqual([
    { of: 'total', day: DAY, whose: 'acct_ada' },
  ])

  const before = { day: DAY - 100, ...whose, requests: 1, ...tokens, cost: nanoUsd(1) }
  const removed: StoreRecord[] = [...records, ['total', before]]
  expect((await checkBackup(await fileOf(await bytesOf(removed)))).wrong).toEqual([])
})

it('a reader that stops early ends what it reads from', async () => {
  let end = () => {}
  const ended = new Promise<void>(resolve => {
    end = resolve
  })
  const endless = async function* (): AsyncGenerator<StoreRecord> {
    try {
      for (let number = 0; ; number++) yield ['labelled', { label: `${number}`.repeat(50), account: `acct_${number}` }]
    } finally {
      end()
    }
  }
  for await (const _ of backupBytes(header, endless())) break
  await ended
})

it('a store that fails in the middle leaves no seal', async () => {
  const failing = async function* (): AsyncGenerator<StoreRecord> {
    yield* records
    throw new Error('the store broke off')
  }
  const chunks: Buffer[] = []
  const read = async () => {
    for await (const chunk of backupBytes(header, failing())) chunks.push(chunk)
  }
  await expect(read()).rejects.toThrow('the store broke off')
  const file = await fileOf(Buffer.concat([...chunks, await readFile(await fileOf(Buffer.alloc(200)))]))
  await expect(checkBackup(file)).rejects.toBeInstanceOf(BackupDamaged)
})

it('the sums of days whose rows an archive may have are not held against the rows of the store', async () => {
  const days = (count: number) => count * 86_400_000
  const total = (day: number): StoreRecord => ['total', { day, ...whose, requests: 1, ...tokens, cost: nanoUsd(50) }]
  const spent: StoreRecord = [
    'counters',
    { account: 'acct_ada', minute: [], calendar: [], used: { [Date.UTC(2026, 10)]: nanoUsd(100) } },
  ]
  // The archive has not taken the oldest row yet, and has that of the next day.
  const kept = [spent, total(DAY - 6), total(DAY - 5), ['row', { ...row, admittedAt: NOON - days(6) }]] as const
  const wrongWith = async (ledger: { keep: number; archive?: { keep: number } }) => {
    const made = headerOf('0.2.0', NOON, { store: { kind: 'embedded' }, ledger }, header.config)
    return (await checkBackup(await fileOf(await bytesOf(kept, made)))).wrong
  }

  expect(await wrongWith({ keep: days(90), archive: { keep: days(2) } })).toEqual([])
  expect(await wrongWith({ keep: days(90) })).toEqual([{ of: 'total', day: DAY - 5, whose: 'acct_ada' }])
})
