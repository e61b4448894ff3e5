import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { removeFolder } from './remove-folder.ts'

const root = join(import.meta.dirname, '../..')
const lanes = import.meta.dirname

/** A project with a property that fails, 60 failing tests, one that is skipped, and a file that cannot be loaded. */
let project: string
let lines: readonly string[]

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'svc-summary-'))
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'))
  const config = {
    reporters: ['default', [join(lanes, 'summary.ts'), {}]],
    projects: [{ test: { name: 'some', include: ['*.test.ts'], setupFiles: [join(lanes, 'repeat-seed.ts')] } }],
  }
  write('vitest.config.js', `export default { test: ${JSON.stringify(config)} }`)
  write(
    'a-property.test.ts',
    `import fc from 'fast-check'
     import { it } from 'vitest'
     it('holds (for any) $ number', () => {
       fc.assert(fc.property(fc.integer({ min: 0, max: 1e9 }), n => { console.log('first case', n); return n < 0 }), { numRuns: 1, endOnFailure: true })
     })`,
  )
  write(
    'many.test.ts',
    `import { expect, it } from 'vitest'
     it.each(Array.from({ length: 60 }, (_, n) => n))('fails %i', n => expect(n).toBe(-1))
     console.warn('SKIPPED: tests that need Redis. Install it: apt-get install redis-server')
     it.skip('needs Redis', () => {})`,
  )
  write('unloadable.test.ts', `throw new Error('cannot be loaded')`)
  lines = run([]).split('\n')
})

afterAll(() => removeFolder(project))

const write = (name: string, text: string) => writeFileSync(join(project, name), text)
function run(words: readonly string[], env = {}): string {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { stdout } = spawnSync(process.execPath, [vitest, 'run', ...words], {
    cwd: project,
    env: { ...process.env, NO_COLOR: '1', FAILURES: join(project, 'failures'), ...env },
    encoding: 'utf8',
  })
  return stdout
}

it('the last 40 lines of a failing run name a test that failed, its reason, and how many more there are', () => {
  const end = lines.slice(-40).join('\n')

  expect(end).toContain('a-property.test.ts › holds (for any) $ number')
  expect(end).toContain('Property failed after 1 tests')
  expect(end).toMatch(/and \d+ more failures/)
})

it('the file that FAILURES names has what the run ended with', () => {
  const failures = join(project, 'failures-of-one-file')
  const output = run(['unloadable'], { FAILURES: failures })

  expect(output).toContain(readFileSync(failures, 'utf8'))
  expect(readFileSync(failures, 'utf8')).toContain('unloadable.test.ts\n    cannot be loaded')
})

it('a file that cannot be loaded is named with its reason', () => {
  const unloadable = run(['unloadable'])

  expect(unloadable).toMatch(/unloadable\.test\.ts\n {4}cannot be loaded\n/)
})

it('the command beside a failed property repeats its first case', () => {
  const firstCase = (output: string) => /first case \d+/.exec(output)?.[0]
  const [, seed = '', words = ''] = /SEED=(-?\d+) npx --no vitest run (.*)/.exec(lines.join('\n')) ?? []
  const repeated = run(words.split(' -t ')[0]?.split(' ') ?? [], { SEED: seed })

  expect(firstCase(lines.join('\n'))).toMatch(/\d/)
  expect(firstCase(repeated)).toBe(firstCase(lines.join('\n')))
})

it('the name in the command selects the test that failed', () => {
  const [, name = ''] = / -t '(holds .*)'$/m.exec(lines.join('\n')) ?? []

  expect(run(['-t', name])).toMatch(/Tests {2}1 failed \| \d+ skipped/)
})

it('skipped tests are counted in one line with what they need', () => {
  expect(lines.filter(line => line.startsWith('SKIPPED'))).toHaveLength(1)
  expect(lines.at(-2)).toBe('SKIPPED 1 tests: tests that need Redis. Install it: apt-get install redis-server')
})
