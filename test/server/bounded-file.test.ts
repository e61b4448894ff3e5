import { mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readSource } from '../../src/config/read/disk.ts'
import { clientTls } from '../../src/operator/client-tls.ts'
import { tokenIn } from '../../src/operator/profiles.ts'
import { readJsonFile } from '../../src/operator/session-file.ts'
import { readBackupKey } from '../../src/server/backup-key.ts'
import { readBounded } from '../../src/server/bounded-file.ts'
import { ROOT } from '../deploy/files.ts'
import { removeFolder } from '../lanes/remove-folder.ts'

let dir: string
let huge: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bounded-'))
  huge = join(dir, 'huge.json')
  writeFileSync(huge, '')
  // It takes no room on the disk, and a gigabyte of memory of whoever reads all of it.
  truncateSync(huge, 1_000_000_000)
})

afterEach(() => removeFolder(dir))

const said = async (read: () => unknown): Promise<string> => {
  try {
    await read()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return ''
}

it.each([
  ['a session', () => readJsonFile(huge), 'larger than 1 MB'],
  ['the token of an operator', () => tokenIn(huge), 'larger than 64 KB'],
  ['the key that signs backups', () => readBackupKey(huge), 'larger than 64 KB'],
  [
    'a certificate',
    () => {
      process.env.SVCCTL_CA = huge
      try {
        return clientTls()
      } finally {
        delete process.env.SVCCTL_CA
      }
    },
    'larger than 1 MB',
  ],
])('%s in a file of 1 GB is refused by its size, and is not read', async (_, read, reason) => {
  const before = process.memoryUsage().rss
  expect(await said(read)).toContain(reason)
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
})

it('a test of policies in a file of 1 GB is a problem of that file', () => {
  const problems: string[] = []
  expect(readSource(huge, dir, undefined, ({ message }) => problems.push(message))).toBeUndefined()
  expect(problems).toEqual(['`huge.json` is larger than 1 MB'])
})

it('an endless pipe or device is read up to the bound', () => {
  expect(() => readBounded('/dev/zero', 1_000_000)).toThrow('larger than 1 MB')
})

it.each([0, 1, 63_999, 64_000])('a file of %s bytes is read whole where 64,000 are allowed', bytes => {
  const file = join(dir, 'text')
  writeFileSync(file, 'x'.repeat(bytes))
  expect(readBounded(file, 64_000)).toBe('x'.repeat(bytes))
})

it('every file that svcctl or a starting gateway reads by name is read by a bound', () => {
  const sources = ['src/cli', 'src/operator', 'src/server'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.ts'))
      .map(name => join(folder, name)),
  )
  const unbounded = sources.filter(name => /\breadFile(?:Sync)?\(/.test(codeOf(readFileSync(join(ROOT, name), 'utf8'))))
  expect(unbounded.sort()).toEqual([
    // Files of the package itself, a script for the pipelines of others, and files of the configuration, which a load reads by a
    // bound of its own.
    'src/cli/doctor/check-machine.ts',
    'src/cli/init/repository-files.ts',
    'src/cli/init/run.ts',
    'src/server/apply/file-change.ts',
    'src/server/version.ts',
  ])
})

/** Without comments and our own `readFiles`. */
const codeOf = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
