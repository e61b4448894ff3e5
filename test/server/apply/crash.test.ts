import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ConfigFiles } from '../../../src/adapters/config-files/config-files.ts'
import { type Change, machineSteps, type Steps } from '../../../src/adapters/config-files/journal.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { treeOf } from './fixture.ts'

const BEFORE = { 'config.yaml': 'old main', 'kept.yaml': 'kept', 'gone.yaml': 'old, to go', 'policies/a.yaml': 'old a' }
const AFTER = {
  ...{ 'config.yaml': 'new main', 'kept.yaml': 'kept', 'policies/a.yaml': 'new a' },
  ...{ 'policies/b.yaml': 'new b', 'more/c.yaml': 'new c' },
}
const CHANGE: Change = {
  write: Object.entries(AFTER).flatMap(([file, text]) => (text === 'kept' ? [] : [{ file, text }])),
  remove: ['gone.yaml'],
}

function directoryOf(files: Readonly<Record<string, string>>): string {
  const directory = temporaryFolder('svc-apply')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  return directory
}

const filesOf = (directory: string, steps?: Steps) => new ConfigFiles(join(directory, 'config.yaml'), steps)

/** The steps of this machine; `before` and `after` run around each one, by its number from 1 and its name. */
function around(hooks: { before?: (step: number, name: string) => void; after?: (step: number) => void }): Steps {
  let count = 0
  const wrapped =
    <Args extends unknown[]>(name: string, run: (...args: Args) => Promise<void>) =>
    async (...args: Args) => {
      const step = ++count
      hooks.before?.(step, `${name} ${args.join(' ')}`)
      await run(...args)
      hooks.after?.(step)
    }
  return {
    makeDirectory: wrapped('makeDirectory', machineSteps.makeDirectory),
    create: wrapped('create', machineSteps.create),
    replace: wrapped('replace', machineSteps.replace),
    remove: wrapped('remove', machineSteps.remove),
  }
}

/** The directory as a process that is killed leaves it: before its first step, and after each. */
async function remainsOf(run: (directory: string, steps: Steps) => Promise<unknown>): Promise<string[]> {
  const directory = directoryOf(BEFORE)
  const remains: string[] = []
  const copy = () => {
    const to = temporaryFolder('svc-apply')
    cpSync(directory, to, { recursive: true })
    remains.push(to)
  }
  copy()
  await run(directory, around({ after: copy }))
  return remains
}

const change = (directory: string, steps: Steps) => filesOf(directory, steps).change(CHANGE)
const STEPS = 17

it('a change that nothing disturbs leaves the files of after, and nothing else', async () => {
  const directory = directoryOf(BEFORE)
  await filesOf(directory).change(CHANGE)

  expect(treeOf(directory)).toEqual(AFTER)
  expect(await filesOf(directory).finish()).toBe(false)
})

it(`killed before or after any of its ${STEPS} steps it leaves old or new whole, once the next start has finished it`, async () => {
  const remains = await remainsOf(change)
  const outcomes: string[] = []
  for (const directory of remains) {
    await filesOf(directory).finish()
    const { '.config.yaml.apply.next': torn, ...files } = treeOf(directory)
    outcomes.push(JSON.stringify(files) === JSON.stringify(sorted(AFTER)) ? 'new' : 'old')
    expect([sorted(BEFORE), sorted(AFTER)]).toContainEqual(files)
  }

  expect(outcomes).toHaveLength(STEPS + 1)
  expect(outcomes.join(' ')).toMatch(/^(old )+(new ?)+$/)
})

it('killed while it finishes, after any step, the start after that finishes it', async () => {
  for (const first of await remainsOf(change)) {
    const begun = existsSync(join(first, '.config.yaml.apply'))
    const remains: string[] = []
    await filesOf(first, around({ after: () => remains.push(JSON.stringify(treeOf(first))) })).finish()
    for (const remain of remains) {
      const directory = directoryOf(JSON.parse(remain))
      await filesOf(directory).finish()
      const { '.config.yaml.apply.next': _torn, ...files } = treeOf(directory)
      expect(files).toEqual(begun ? sorted(AFTER) : sorted(BEFORE))
    }
  }
})

it('a step that fails, whichever it is, leaves the files of before, and says so', async () => {
  for (let failing = 1; failing <= STEPS; failing++) {
    const directory = directoryOf(BEFORE)
    const before = (step: number) => {
      if (step === failing) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
    }
    await expect(filesOf(directory, around({ before })).change(CHANGE)).rejects.toMatchObject({
      whole: true,
      message: 'the files could not be written (ENOSPC: no space left on device)',
    })
    expect(treeOf(directory)).toEqual(sorted(BEFORE))
    expect(await filesOf(directory).finish()).toBe(false)
  }
})

it('a step that fails after it did what it was to do, whichever it is, leaves the files of before too', async () => {
  for (let failing = 1; failing <= STEPS; failing++) {
    const directory = directoryOf(BEFORE)
    const after = (step: number) => {
      if (step === failing) throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
    }
    await expect(filesOf(directory, around({ after })).change(CHANGE)).rejects.toMatchObject({ whole: true })
    expect(treeOf(directory)).toEqual(sorted(BEFORE))
    expect(await filesOf(directory).finish()).toBe(false)
  }
})

it('a file that is to go is gone where somebody removed its directory meanwhile', async () => {
  const gone: Change = { write: [{ file: 'config.yaml', text: 'new main' }], remove: ['policies/a.yaml'] }
  const [begun] = (await remainsOf((directory, steps) => filesOf(directory, steps).change(gone))).filter(each =>
    existsSync(join(each, '.config.yaml.apply')),
  )
  if (begun === undefined) throw new Error('no journal was ever there')
  await removeFolder(join(begun, 'policies'))

  expect(await filesOf(begun).finish()).toBe(true)
  expect(treeOf(begun)).toEqual({ 'config.yaml': 'new main', 'gone.yaml': 'old, to go', 'kept.yaml': 'kept' })
})

it('a disk on which nothing works from some step on is told, and the next start makes it whole', async () => {
  for (let failing = 1; failing <= STEPS; failing++) {
    const directory = directoryOf(BEFORE)
    const before = (step: number) => {
      if (step >= failing) throw new Error('EROFS')
    }
    await expect(filesOf(directory, around({ before })).change(CHANGE)).rejects.toThrow(
      'the files could not be written',
    )
    await filesOf(directory).finish()
    const { '.config.yaml.apply.next': _torn, ...files } = treeOf(directory)
    expect([sorted(BEFORE), sorted(AFTER)]).toContainEqual(files)
  }
})

it('a journal that is damaged is told, and nothing is written by it', async () => {
  const [begun] = (await remainsOf(change)).filter(each => existsSync(join(each, '.config.yaml.apply')))
  if (begun === undefined) throw new Error('no journal was ever there')
  const path = join(begun, '.config.yaml.apply')
  const text = readFileSync(path, 'utf8')
  const damaged = [
    '',
    '{',
    '[]',
    'null',
    '{"write":[],"remove":[]}',
    text.replace('new main', 'NEW main'),
    text.slice(1),
  ]
  for (const each of damaged) {
    writeFileSync(path, each)
    const before = treeOf(begun)
    await expect(filesOf(begun).finish()).rejects.toThrow(`${path} is damaged`)
    expect(treeOf(begun)).toEqual(before)
  }
})

it('the journal, which holds all texts, is for its owner alone', async () => {
  const modes: string[] = []
  const directory = directoryOf(BEFORE)
  const path = join(directory, '.config.yaml.apply')
  const look = () => {
    if (existsSync(path)) modes.push((statSync(path).mode & 0o777).toString(8))
  }
  await filesOf(directory, around({ after: look })).change(CHANGE)

  expect(new Set(modes)).toEqual(new Set(['600']))
})

const sorted = (files: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(files).sort())
