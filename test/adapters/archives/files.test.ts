import { appendFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { FileArchive } from '../../../src/adapters/archives/file-archive.ts'
import { lockDirectory } from '../../../src/adapters/embedded/store-directory.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { NOON } from '../store/fixtures.ts'
import { fullRowAt, leavingAt } from './rows.ts'

const DAY_MS = 86_400_000

async function start() {
  const directory = join(await mkdtemp(join(tmpdir(), 'archive-')), 'rows')
  onTestFinished(() => removeFolder(join(directory, '..')))
  const open = () => {
    const archive = new FileArchive(directory, lockDirectory)
    onTestFinished(() => archive.close())
    return archive
  }
  const day = join(directory, '2025-06-16.ndjson.gz')
  const idsIn = async (file = day) =>
    gunzipSync(await readFile(file))
      .toString()
      .trimEnd()
      .split('\n')
      .map(line => (JSON.parse(line) as { request_id: string }).request_id)
  return { directory, open, day, idsIn }
}

const rowsFrom = (at: number, count: number) => Array.from({ length: count }, (_, number) => leavingAt(at + number))
const idsOf = (rows: ReturnType<typeof rowsFrom>) => rows.map(({ row }) => row.requestId)

it('a row is in the file of the day of its admission, as exports have it, with its place', async () => {
  const { directory, open, idsIn } = await start()
  const [today, full, tomorrow] = [leavingAt(NOON), fullRowAt(NOON + 1), leavingAt(NOON + DAY_MS)]
  const archive = open()
  expect((await archive.check()).plan).toBe('makes the directory')
  await archive.write([today, full, tomorrow])

  expect((await readdir(directory)).sort()).toEqual([
    '2025-06-16.ndjson.gz',
    '2025-06-17.ndjson.gz',
    'archive.json',
    'lock.sock',
  ])
  expect(await idsIn()).toEqual(idsOf([today, full]))
  const [, line = ''] = gunzipSync(await readFile(join(directory, '2025-06-16.ndjson.gz')))
    .toString()
    .split('\n')
  expect(JSON.parse(line)).toMatchObject({
    request_id: full.row.requestId,
    place: 1,
    cost_nano_usd: Number.MAX_SAFE_INTEGER,
    tools: { search: 2, a: 1 },
    admitted_at: '2025-06-16T12:00:00.001Z',
  })
  expect((await archive.check()).plan).toBeUndefined()
})

it('a batch that comes again adds nothing, and one that has old and new rows adds the new ones', async () => {
  const { open, idsIn } = await start()
  const rows = rowsFrom(NOON, 6)
  const archive = open()
  await archive.write(rows.slice(0, 3))
  await archive.write(rows.slice(0, 3))
  await archive.write(rows.slice(1, 5))
  await archive.close()
  // A late row belongs to a request before those already there.
  const early = leavingAt(NOON - 1)
  await open().write([early, ...rows])

  expect((await idsIn()).sort()).toEqual(idsOf([early, ...rows]))
})

it('what an interrupted process left behind the end of a file is cut off, and its rows come once', async () => {
  const { open, day, idsIn } = await start()
  const rows = rowsFrom(NOON, 4)
  const first = open()
  await first.write(rows.slice(0, 2))
  await first.close()
  // A member that is whole and not finished, and a part of another one.
  const { size } = await stat(day)
  await appendFile(day, (await readFile(day)).subarray(0, size))
  await appendFile(day, (await readFile(day)).subarray(0, 17))

  await open().write(rows)
  expect(await idsIn()).toEqual(idsOf(rows))
})

it('the first batch of a day that was interrupted is put aside', async () => {
  const { directory, open, day, idsIn } = await start()
  const rows = rowsFrom(NOON, 4)
  const first = open()
  await first.write(rows)
  await first.close()
  await rm(join(directory, 'archive.json'))
  await truncate(day, (await stat(day)).size - 5)

  await open().write(rows)
  expect(await idsIn()).toEqual(idsOf(rows))
  expect(await readdir(directory)).toContain('2025-06-16.ndjson.gz.unfinished')
})

it('without what it knew of its files it adds no row twice', async () => {
  const { directory, open, idsIn } = await start()
  const rows = rowsFrom(NOON, 4)
  const first = open()
  await first.write(rows.slice(0, 3))
  await first.close()
  await rm(join(directory, 'archive.json'))

  await open().write(rows)
  expect(await idsIn()).toEqual(idsOf(rows))
})

it('a file that became shorter takes no rows, and the reason says which one', async () => {
  const { open, day } = await start()
  const archive = open()
  await archive.write(rowsFrom(NOON, 2))
  await writeFile(day, '')

  await expect(archive.write(rowsFrom(NOON + 10, 1))).rejects.toThrow('2025-06-16.ndjson.gz is shorter than it was')
})

it('one process at a time writes into a directory', async () => {
  const { open, idsIn } = await start()
  const rows = rowsFrom(NOON, 2)
  const [first, second] = [open(), open()]
  await first.write(rows)
  await expect(second.write(rows)).rejects.toThrow('in use by another process')
  await first.close()
  await second.write(rows)
  expect(await idsIn()).toEqual(idsOf(rows))
})

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

it('rows come back as they were, in the order of their ids, also those that left late and those around midnight', async () => {
  const { open } = await start()
  const MIDNIGHT = NOON + DAY_MS / 2
  // Ids are made a little before the admission: this one the day before.
  const [before, after] = [leavingAt(MIDNIGHT - 2000), leavingAt(MIDNIGHT - 1000)]
  const admitted = { ...after, row: { ...after.row, admittedAt: MIDNIGHT + 500 } }
  const orphan = leavingAt(NOON, { kind: 'orphan' })
  const late = leavingAt(NOON, { ...orphan.row, kind: 'late', cost: nanoUsd(-3) })
  const waste = leavingAt(NOON, { ...orphan.row, kind: 'waste', cause: 'status 500' }, 1)
  const [session, full] = [leavingAt(NOON - 5), fullRowAt(NOON + 1)]
  const last = leavingAt(MIDNIGHT + DAY_MS)
  const archive = open()
  await archive.write([orphan, waste, full, before, admitted])
  await archive.write([late, leavingAt(MIDNIGHT - 1500), last])
  await archive.write([session])

  const rows = await collected(archive.reader.readRows({}, {}))
  const ids = rows.map(({ requestId }) => requestId)
  expect(ids).toEqual([...ids].sort())
  expect(rows).toHaveLength(9)
  expect(rows.slice(0, 5)).toEqual([session.row, orphan.row, late.row, waste.row, full.row])
  expect(rows.slice(5).map(({ requestId }) => requestId)).toEqual(
    expect.arrayContaining(idsOf([before, admitted, last])),
  )
  expect(await archive.reader.readRequest(after.row.requestId)).toEqual([admitted.row])
  expect(await collected(archive.reader.readRows({ since: MIDNIGHT }, {}))).toEqual([admitted.row, last.row])
  expect(await collected(archive.reader.readRows({}, { after: full.row.requestId, to: before.row.requestId }))).toEqual(
    [before.row],
  )
})

it('a file that was moved away has no rows, and what is not finished is not read', async () => {
  const { open, day } = await start()
  const archive = open()
  expect(await collected(archive.reader.readRows({}, {}))).toEqual([])
  const [today, tomorrow] = [leavingAt(NOON), leavingAt(NOON + DAY_MS)]
  await archive.write([today, tomorrow])
  await appendFile(day, (await readFile(day)).subarray(0, 17))

  expect(await collected(archive.reader.readRows({}, {}))).toEqual([today.row, tomorrow.row])
  await rm(day)
  expect(await collected(archive.reader.readRows({}, {}))).toEqual([tomorrow.row])
})

it('a day of more rows than are sorted in memory comes in the order of ids as well', async () => {
  const { open } = await start()
  const rows = rowsFrom(NOON, 21_000)
  const archive = open()
  await archive.write([...rows.slice(0, 100), ...rows.slice(200)])
  await archive.write(rows.slice(100, 200))

  const read = await collected(archive.reader.readRows({}, {}))
  expect(read.map(({ requestId }) => requestId)).toEqual(idsOf(rows))
})
