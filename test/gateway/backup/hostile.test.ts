import { createHash } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkBackup as check } from '../../../src/gateway/backup/check.ts'
import { BackupDamaged } from '../../../src/gateway/backup/read.ts'
import { sealOf } from '../../../src/gateway/backup/seal.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { workOf } from '../../support/work.ts'

const checkBackup = (file: string) => check(file, { unsigned: true })

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hostile-backup-'))
})
afterAll(() => removeFolder(directory))

const HEADER = {
  ...{ svc_backup: 1, gateway: '0.2.0', began: 0, store: 'embedded', rows_since: 0 },
  config: { revision: 'abc', files: [] },
}

/** A file that anybody can make: its checksum is right. */
async function fileOf(text: string | readonly string[]): Promise<string> {
  const bytes = Buffer.concat([text].flat().map(part => gzipSync(part, { level: 1 })))
  const file = join(directory, `${Math.random()}`)
  await writeFile(file, Buffer.concat([bytes, sealOf(createHash('sha256').update(bytes).digest())]))
  return file
}

const lines = (...values: readonly unknown[]) => values.map(value => `${JSON.stringify(value)}\n`).join('')
const outcomeOf = async (file: string) =>
  checkBackup(file).then(
    () => 'read',
    error => (error instanceof BackupDamaged ? error.message : error),
  )

it('a backup of 101 KB whose one line is 101 MB is refused once 100 MB of it came', async () => {
  const part = gzipSync('x'.repeat(1_000_000))
  const bytes = Buffer.concat([gzipSync(lines(HEADER)), ...Array.from({ length: 101 }, () => part)])
  const file = join(directory, 'long')
  await writeFile(file, Buffer.concat([bytes, sealOf(createHash('sha256').update(bytes).digest())]))

  expect(await outcomeOf(file)).toMatch(/one of its lines is longer than 100 MB/)
})

it('a line of a million values is refused unread', async () => {
  const values = `["row",{"x":[${'{},'.repeat(600_000)}{}]}]\n`

  expect(await outcomeOf(await fileOf(lines(HEADER) + values))).toBe('it is damaged: a line cannot be read')
})

it.each([
  ['of no object', []],
  ['without a gateway', { ...HEADER, gateway: 1 }],
  ['of a time that no Date holds', { ...HEADER, began: 1e300 }],
  ['of a store that there is not', { ...HEADER, store: 'other' }],
  ['without a configuration', { ...HEADER, config: null }],
  ['with a revision that is no text', { ...HEADER, config: { revision: {}, files: [] } }],
  ['with files that are no texts', { ...HEADER, config: { revision: 'a', files: [{ file: 'a', text: 1 }] } }],
])('a header %s is that of no backup', async (_, header) => {
  expect(await outcomeOf(await fileOf(lines(header, { end: {} })))).toBe('it is no backup of a gateway')
})

const TOTAL = {
  ...{ account: 'a', plan: 'p', model: 'm', requests: 1, inputTokens: 1, outputTokens: 1, cost: 1 },
}

it.each([
  ['kinds without end', Array.from({ length: 200 }, (_, n) => [`kind-${n}`, {}])],
  ['a kind that is no text', [[{}, {}]]],
  ['a day that no Date holds', [['total', { ...TOTAL, day: 1e300 }]]],
  ['records without fields', [['row', null]]],
])('a backup with %s is damaged', async (_, records) => {
  expect(await outcomeOf(await fileOf(lines(HEADER, ...records, { end: {} })))).toMatch(/^it is damaged/)
})

it('the work of a check grows with the records', async () => {
  const check = async (count: number) => {
    const totals = Array.from({ length: count }, (_, day) => ['total', { ...TOTAL, day }])
    const file = await fileOf(lines(HEADER, ...totals, { end: { total: count } }))
    return workOf(() => checkBackup(file))
  }

  const [work, twice] = [await check(500), await check(1000)]

  expect(twice / work).toBeLessThan(2.2)
})
