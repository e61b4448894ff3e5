import { mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { saveToken, tokenFile } from '../../src/server/owner-file.ts'
import { removeFolder } from '../lanes/remove-folder.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'token-'))
})
afterEach(() => removeFolder(dir))

const modeOf = (path: string) => statSync(path).mode & 0o777

it('a file that others may read is replaced by one that only its owner may', () => {
  writeFileSync(tokenFile(dir), 'old', { mode: 0o644 })

  saveToken(dir, 'secret')

  expect([modeOf(tokenFile(dir)), readFileSync(tokenFile(dir), 'utf8')]).toEqual([0o600, 'secret\n'])
  expect(readdirSync(dir)).toEqual(['admin.token'])
})

it('the target of a link never gets the token', () => {
  const elsewhere = join(dir, 'elsewhere')
  writeFileSync(elsewhere, 'old', { mode: 0o644 })
  symlinkSync(elsewhere, tokenFile(dir))

  saveToken(dir, 'secret')

  expect([readFileSync(elsewhere, 'utf8'), readFileSync(tokenFile(dir), 'utf8')]).toEqual(['old', 'secret\n'])
})
