import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Load, load } from '../../../src/config/load.ts'
import { machineDisk, textDisk } from '../../../src/config/read/disk.ts'
import { glob } from '../../../src/config/read/glob.ts'
import type { FileText } from '../../../src/config/settings.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const env = { CLOUD_KEY: 'sk-live' }

function directoryOf(files: readonly FileText[]): string {
  const directory = temporaryFolder('svc-disk')
  for (const { file, text } of files) {
    mkdirSync(dirname(join(directory, file)), { recursive: true })
    writeFileSync(join(directory, file), text)
  }
  return directory
}

function good(result: Load) {
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.loaded
}

test('equal texts have one revision, from disk or not, in any directory and for any working directory', () => {
  const here = good(load('config.example.yaml', env, root))
  const elsewhere = directoryOf(here.texts)
  const main = join(elsewhere, 'config.example.yaml')
  const others = [
    load('config.example.yaml', env, elsewhere),
    load(main, env, root),
    load(main, env, '/'),
    load('../config.example.yaml', env, join(elsewhere, 'policies')),
    load('/nowhere/at/all/config.example.yaml', env, '/', textDisk(here.texts, '/nowhere/at/all')),
  ].map(good)

  expect(others.map(({ config }) => config.revision)).toEqual(others.map(() => here.config.revision))
  expect(others.map(({ fingerprint }) => fingerprint)).toEqual(others.map(() => here.fingerprint))
  expect(others.map(({ texts }) => texts)).toEqual(others.map(() => here.texts))
})

test('a revision changes with the name of a file, and with the order', () => {
  const files = good(load('config.example.yaml', env, root)).texts
  const renamed = files.map(({ file, text }) => ({ file: file.replace('policies/', 'rules/'), text }))
  const [main, ...rest] = renamed
  if (!main) throw new Error('no files')
  const moved = [{ ...main, text: main.text.replaceAll('policies/', 'rules/') }, ...rest]
  const one = good(load('/x/config.example.yaml', env, '/x', textDisk(moved, '/x')))

  expect(one.config.revision).not.toBe(good(load('config.example.yaml', env, root)).config.revision)
})

test('problems in texts are reported at their positions, byte for byte as from the disk', () => {
  const files = good(load('config.example.yaml', env, root)).texts.map(({ file, text }) => ({
    file,
    text: text.replaceAll('rpm: ', 'rpm: x'),
  }))
  const directory = directoryOf(files)
  const fromDisk = load('config.example.yaml', env, directory)
  const fromTexts = load('config.example.yaml', env, directory, textDisk(files, directory))

  expect(fromDisk.ok).toBe(false)
  expect(fromTexts).toEqual(fromDisk)
})

test('patterns find the same among texts as on a disk', () => {
  const names = [
    'a.yaml',
    'b.yaml',
    '.hidden.yaml',
    'sub/a.yaml',
    'sub/deep/c.yaml',
    'other/a.yaml',
    'x1.yaml',
    'x22.yaml',
  ]
  const files = names.map(file => ({ file, text: '' }))
  const directory = directoryOf(files)
  const texts = textDisk(files, directory)
  const patterns = [
    '*.yaml',
    '*',
    's*/*',
    '*/a.yaml',
    '*/*/*',
    'x?.yaml',
    '.*.yaml',
    'a.yaml',
    'nothing*',
    '../*/a.yaml',
  ]

  for (const pattern of patterns) {
    // Beside the directory itself the disk has what others left there.
    const own = (found: readonly string[]) => found.filter(path => path.startsWith(directory))
    expect(glob(pattern, directory, texts), pattern).toEqual(own(glob(pattern, directory, machineDisk)))
  }
})

test('nothing but the texts is read, though it lies on the disk', () => {
  const directory = directoryOf([{ file: 'there.yaml', text: 'aliases: {}' }])
  const disk = textDisk([{ file: 'config.yaml', text: 'include: [there.yaml, "*.yml"]' }], directory)
  const result = load(resolve(directory, 'config.yaml'), {}, directory, disk)

  expect(result.ok ? [] : result.problems.map(({ rule }) => rule)).toEqual(
    expect.arrayContaining(['no-file', 'include-nothing']),
  )
})
