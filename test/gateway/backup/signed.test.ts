import { createHash } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BackupKey } from '../../../src/gateway/backup/key.ts'
import { readBackup, type Trust } from '../../../src/gateway/backup/read.ts'
import { readSeal, sealOf } from '../../../src/gateway/backup/seal.ts'
import { type BackupHeader, backupBytes } from '../../../src/gateway/backup/write.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'

let file: string
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'signed-backup-'))
  file = join(directory, 'b.svc')
})
afterAll(() => removeFolder(directory))

const KEY = new BackupKey(Buffer.alloc(32, 1))
const OTHER = new BackupKey(Buffer.alloc(32, 2))
const header: BackupHeader = {
  ...{ svc_backup: 1, gateway: '0.3.0', began: 0, store: 'embedded', rows_since: 0 },
  config: { revision: 'abc', files: [] },
}
async function* none() {}

async function bytesBy(key?: BackupKey): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of backupBytes(header, none(), key)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const outcomeOf = async (bytes: Buffer, trust: Trust) => {
  await writeFile(file, bytes)
  return readBackup(file, trust).then(
    ({ signed }) => signed.by,
    (error: Error) => `${error.name}: ${error.message}`,
  )
}

/** Seals the bytes with another ending. */
const sealed = (bytes: Buffer, seal: (digest: Buffer) => Buffer) => {
  const body = bytes.subarray(0, -(readSeal(bytes)?.length ?? 0))
  return Buffer.concat([body, seal(createHash('sha256').update(body).digest())])
}

it('a backup is read where the key that is trusted signed it', async () => {
  expect(await outcomeOf(await bytesBy(KEY), { key: KEY })).toBe('trusted')
})

it.each<[string, (signed: Buffer) => Buffer, RegExp]>([
  ['whose signature was taken off', signed => sealed(signed, digest => sealOf(digest)), /it is not signed/],
  [
    'that another key signed',
    signed => sealed(signed, digest => sealOf(digest, OTHER)),
    /signed with the key \w{16}, and the key here is \w{16}/,
  ],
  [
    'that somebody signed under the name of the key',
    signed => sealed(signed, digest => sealOf(digest, { id: KEY.id, sign: all => OTHER.sign(all) } as BackupKey)),
    /its signature does not match: the file was changed/,
  ],
])('a backup %s is refused before it is unpacked, and read where that was said', async (_, change, why) => {
  const changed = change(await bytesBy(KEY))

  expect(await outcomeOf(changed, { key: KEY })).toMatch(why)
})

it('without the key nothing is taken for trusted, and everything is read where that was said', async () => {
  expect(await outcomeOf(await bytesBy(KEY), {})).toMatch(/signed with the key \w{16}, which is not here/)
  expect(await outcomeOf(await bytesBy(), {})).toMatch(/it is not signed/)
  expect(await outcomeOf(await bytesBy(KEY), { unsigned: true })).toBe('other')
  expect(await outcomeOf(await bytesBy(), { key: KEY, unsigned: true })).toBe('nobody')
})

it('the key is in no part of the backup', async () => {
  await writeFile(file, await bytesBy(KEY))

  expect((await readFile(file)).includes(Buffer.alloc(8, 1))).toBe(false)
})
