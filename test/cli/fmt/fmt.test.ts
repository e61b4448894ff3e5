import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { registerFmt } from '../../../src/cli/fmt/fmt.ts'
import { directoryOf, type Files } from '../../config/files.ts'
import { runCommand } from '../run-command.ts'

const UGLY = 'a:   {b: [ 1,2 ]}   # c\n'
const FINE = 'a: { b: [1, 2] } # c\n'
const CONFIG = 'version: 1\ninclude: [p/*.yaml]\n'

async function fmt(files: Files, ...args: string[]) {
  const dir = directoryOf(files)
  const left = await runCommand(registerFmt, ['fmt', ...args], { cwd: dir })
  return { dir, read: (file: string) => readFileSync(join(dir, file), 'utf8'), ...left }
}

test('without a file, the configuration and what it includes are put in the style and those that changed are named', async () => {
  const { code, stdout, stderr, read } = await fmt({
    'config.yaml': CONFIG,
    'p/a.yaml': UGLY,
    'p/b.yaml': FINE,
    'other.yaml': UGLY,
  })

  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'p/a.yaml\n', stderr: '1 of 3 files changed\n' })
  expect([read('p/a.yaml'), read('p/b.yaml'), read('other.yaml')]).toEqual([FINE, FINE, UGLY])
})

test('--check changes nothing, names the files that would change, and exits 1', async () => {
  const { code, stdout, stderr, read } = await fmt({ 'a.yaml': UGLY, 'b.yaml': FINE }, '--check', 'a.yaml', 'b.yaml')

  expect({ code, stdout }).toEqual({ code: 1, stdout: 'a.yaml\n' })
  expect(stderr).toBe('1 of 2 files would change: svcctl fmt changes it\n')
  expect(read('a.yaml')).toBe(UGLY)
})

test('--check of files in the style exits 0', async () => {
  const { code, stdout, stderr } = await fmt({ 'b.yaml': FINE }, '--check', 'b.yaml')

  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '1 file, nothing to change\n' })
})

test('what is not YAML is a problem at its place and stays as it is, and the other files are put in the style', async () => {
  const { code, stdout, stderr, read } = await fmt({ 'a.yaml': 'a: "b\n', 'b.yaml': UGLY }, 'a.yaml', 'b.yaml')

  expect({ code, stdout }).toEqual({ code: 1, stdout: 'b.yaml\n' })
  expect(stderr).toMatch(/^✗ a\.yaml:1:4 {2}a quote is not closed +yaml-syntax\n {3}1 │ a: "b\n/)
  expect(read('a.yaml')).toBe('a: "b\n')
})

test('a file that is not there is a problem', async () => {
  const { code, stderr } = await fmt({}, 'a.yaml')

  expect(code).toBe(1)
  expect(stderr).toContain('there is no file `a.yaml`')
  expect(stderr).toContain('correct the path')
})

test('a variable that is not set is no reason to leave a file as it is', async () => {
  const { code, read } = await fmt({ 'config.yaml': `version:   1\nstore: \${NOT_SET}\n` })

  expect({ code, text: read('config.yaml') }).toEqual({ code: 0, text: `version: 1\nstore: \${NOT_SET}\n` })
})

test('a file keeps its mode, a link stays a link, and nothing is left beside them', async () => {
  const dir = directoryOf({ 'real/a.yaml': UGLY })
  chmodSync(join(dir, 'real/a.yaml'), 0o664)
  symlinkSync('real/a.yaml', join(dir, 'link.yaml'))

  const { code } = await runCommand(registerFmt, ['fmt', 'link.yaml'], { cwd: dir })

  expect(code).toBe(0)
  expect(readFileSync(join(dir, 'real/a.yaml'), 'utf8')).toBe(FINE)
  expect(statSync(join(dir, 'real/a.yaml')).mode & 0o777).toBe(0o664)
  expect(lstatSync(join(dir, 'link.yaml')).isSymbolicLink()).toBe(true)
  expect(readdirSync(join(dir, 'real'))).toEqual(['a.yaml'])
})
