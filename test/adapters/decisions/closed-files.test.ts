import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { findDecision } from '../../../src/adapters/decisions/find.ts'
import { Lines, Rotation } from '../../../src/adapters/decisions/rotation.ts'
import { newRequestId } from '../../../src/gateway/accounts/keys.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { openFilesIn } from '../../support/open-files.ts'
import { AT } from './made.ts'

let directory: string
let file: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'svc-closed-'))
  file = join(directory, 'decisions-000001.ndjson')
  writeFileSync(file, '{}\n')
})
afterEach(() => removeFolder(directory))

it('a log that a full disk keeps from being begun is closed', async () => {
  const handle = await open(file)
  const files: FileHandle = Object.getPrototypeOf(handle)
  await handle.close()
  vi.spyOn(files, 'appendFile').mockRejectedValueOnce(Object.assign(new Error('no space'), { code: 'ENOSPC' }))
  const lines = new Lines()
  lines.add('{}')
  const rotation = new Rotation(() => ({ log: true, directory, maxBytes: 1000, files: 2 }))

  await expect(rotation.append(lines)).rejects.toThrow('no space')
  expect(openFilesIn(directory)).toEqual([])
})

it('logs that are searched are closed where one of them is gone by then', async () => {
  symlinkSync(join(directory, 'gone'), join(directory, 'decisions-000002.ndjson'))
  const id = newRequestId(AT, size => crypto.getRandomValues(new Uint8Array(size)))

  await expect(findDecision(directory, id, 1000)).rejects.toThrow('ENOENT')
  expect(openFilesIn(directory)).toEqual([])
})
