import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { removeFolder } from '../lanes/remove-folder.ts'
import { type Fault, faults } from './faults.ts'

const root = resolve(import.meta.dirname, '../..')
/** Tests that guard the promises on money and limits. */
const GUARDS = ['test/adapters/store', 'test/policy']
const LANES = ['node', 'processes']
/** Tests that wait for servers to fail over take minutes, once for each fault. */
const TOO_SLOW =
  /store\/(redis(-cluster)?|backup\/(copies|restores|under-load)|redis\/redis-(cluster-|failover|journal|reach|sentinel).*)\.test\.ts$/
let copy: string

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'faults-'))
  for (const part of ['src', 'redis', 'schema', ...GUARDS, 'test/support', 'test/lanes', 'test/cli', 'policies'])
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: path => !TOO_SLOW.test(path) })
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'openapi.yaml', 'vitest.config.ts'])
    cpSync(join(root, file), join(copy, file))
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
})

afterAll(() => removeFolder(copy))

function guards(): { failed: boolean; said: string } {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const words = ['run', '--bail', '1', ...LANES.flatMap(lane => ['--project', lane]), ...GUARDS]
  const { status, stdout } = spawnSync(process.execPath, [vitest, ...words], {
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
