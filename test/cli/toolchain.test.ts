import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { directoryOf } from '../config/files.ts'
import { compileProgram, type Program } from './program.ts'

// The real program, of which each command has tests in this process; runs.test.ts has what each of them prints.
let program: Program
let cwd: string

beforeAll(() => {
  program = compileProgram()
}, 60_000)
afterAll(() => program.end())

/** Tells every module that is resolved on stderr. */
const LISTENER = `import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(\`import { writeSync } from 'node:fs'
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context)
  writeSync(2, 'module ' + found.url + '\\\\n')
  return found
}\`))`

async function modulesOf(...args: string[]): Promise<readonly string[]> {
  const options = { env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(LISTENER)}` } }
  const { code, stderr } = await program.run(args, options)
  expect(code).toBe(0)
  return [...new Set([...stderr.matchAll(/^module (.*)$/gm)].map(([, url = '']) => url))]
}

test.each([[['--version']], [['--help']], [['show', '--help']]])(
  'for %s commander is loaded and no other package, no configuration, and no reader of bodies',
  async args => {
    const modules = await modulesOf(...args)

    expect(modules.length).toBeGreaterThan(5)
    const packages = modules.map(url => /\/node_modules\/(?:.*\/node_modules\/)?([^/]+)\//.exec(url)?.[1])
    expect(new Set(packages.filter(name => name !== undefined))).toEqual(new Set(['commander']))
    // The clock of this machine is `gateway/patience.ts`, which imports nothing.
    const isHeavy = (url: string) => /\/(?:config|adapters|gateway(?!\/patience\.js)|http|openai|fast)\//.test(url)
    expect(modules.filter(isHeavy)).toEqual([])
  },
)

test('a configuration that init writes is formatted, valid, shown and listed', async () => {
  cwd = directoryOf({})
  const run = (...args: string[]) => program.run(args, { cwd })

  const written = await run('init', 'new', '--brand', 'acme')
  expect(written.code).toBe(0)
  cwd = join(cwd, 'new')
  expect(await run('fmt', '--check')).toEqual({ code: 0, stdout: '', stderr: '4 files, nothing to change\n' })
  expect(await run('validate', '--strict')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('is valid: 2 plans'),
  })
  expect((await run('show', '--matrix')).stdout).toContain('acme-core  chat   standard   tier:standard  all')
  expect((await run('models')).stdout).toMatch(/^acme-core +chat +standard +main +32000 +\$0\.10 in/m)
  expect((await run('init')).code).toBe(1)
})

test('the completion of the real program knows its commands', async () => {
  const ask = `source <(node "${program.main}" completion bash); COMP_WORDS=(svcctl s); COMP_CWORD=1; _svcctl; printf '%s ' "\${COMPREPLY[@]}"`

  expect(await program.shell(ask)).toEqual({ code: 0, stdout: 'serve show store ', stderr: '' })
})

/** A server whose connections end before they say anything: between two tries nothing keeps the process alive. */
const SILENT = `globalThis.fetch = () => new Promise((_, reject) => setTimeout(() => reject(new Error('closed')), 50).unref())`

test('a command ends once its work is done, not where it waits for what keeps no process alive', async () => {
  const cwd = await directoryOf({})
  const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(SILENT)}` }

  const { code, stdout } = await program.run(['init', 'new'], { cwd, env })

  expect(code).toBe(0)
  expect(stdout).toContain('new/policies/pools.yaml')
})
