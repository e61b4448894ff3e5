import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import config from '../../vitest.config.ts'
import { type Fault, faults } from './faults.ts'

const root = resolve(import.meta.dirname, '../..')
/** What guards the promises of money and limits, as `npm test` runs it. */
const GUARDS = ['test/adapters/store', 'test/policy']
let copy: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'faults-'))
  for (const part of ['src', 'redis', 'schema', ...GUARDS, 'test/support', 'policies'])
    cpSync(join(root, part), join(copy, part), { recursive: true })
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'openapi.yaml'])
    cpSync(join(root, file), join(copy, file))
  // The guards need no compiled program, nor what compiles it.
  const { globalSetup: _compile, ...settings } = config.test ?? {}
  writeFileSync(join(copy, 'vitest.config.js'), `export default ${JSON.stringify({ test: settings })}`)
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
})

afterAll(() => rmSync(copy, { recursive: true, force: true }))

function guards(): { failed: boolean; said: string } {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { status, stdout } = spawnSync(process.execPath, [vitest, 'run', '--bail', '1', ...GUARDS], {
    cwd: copy,
    encoding: 'utf8',
    timeout: 240_000,
  })
  return { failed: status !== 0, said: stdout }
}

/** Seeds the fault, runs the guards, and takes it back. */
function caught({ file, from, to }: Fault): boolean {
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${file} does not say once: ${from}`)
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
  try {
    return guards().failed
  } finally {
    writeFileSync(path, text)
  }
}

it('the guards pass without a fault', () => {
  const { failed, said } = guards()
  expect(failed, said).toBe(false)
})

it.each(faults.map(fault => [fault.what, fault] as const))('is caught: %s', (_what, fault) => {
  expect(caught(fault)).toBe(true)
})
