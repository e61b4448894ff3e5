import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { directoryOf, small } from '../config/files.ts'
import { compileProgram, type Program } from './program.ts'

// The real program, of which each command has tests in this process.
let program: Program
let cwd: string
const golden = fileURLToPath(new URL('golden', import.meta.url))
const env = { REDIS_PASSWORD: 'a', GUEST_SECRET: 'g'.repeat(40), CLOUD_KEY: 'c', DOCS_KEY: 'd' }

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
  'for %s commander is loaded and no other package, and no configuration',
  async args => {
    const modules = await modulesOf(...args)

    expect(modules.length).toBeGreaterThan(5)
    const packages = modules.map(url => /\/node_modules\/(?:.*\/node_modules\/)?([^/]+)\//.exec(url)?.[1])
    expect(new Set(packages.filter(name => name !== undefined))).toEqual(new Set(['commander']))
    expect(modules.filter(url => /\/(?:config|adapters|gateway|http)\//.test(url))).toEqual([])
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
  expect((await run('models')).stdout).toMatch(/^acme-core +chat +standard +main +32000 +\$0\.1 in/m)
  expect((await run('init')).code).toBe(1)
})

test('what is piped is the golden output, with no colour and nothing else', async () => {
  const read = (file: string) => readFileSync(join(golden, file), 'utf8')
  const piped = (command: string) =>
    program.shell(`node "${program.main}" ${command} | cat`, {
      cwd: golden,
      env: { ...env, PATH: process.env.PATH ?? '' },
    })

  expect(await piped('show --matrix')).toEqual({ code: 0, stdout: read('matrix.txt'), stderr: '' })
  expect(await piped('models --json')).toEqual({ code: 0, stdout: read('models.json.txt'), stderr: '' })
  expect(await piped('doc plans.rpm')).toEqual({ code: 0, stdout: read('doc-plans.rpm.txt'), stderr: '' })
})

test('a reader that has enough is no failure', async () => {
  const { code, stdout, stderr } = await program.shell(
    `node "${program.main}" show | head -n 1; exit \${PIPESTATUS[0]}`,
    {
      cwd: golden,
      env,
    },
  )

  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '# 2 files: config.yaml, policy.yaml\n', stderr: '' })
})

test('the completion of the real program knows its commands', async () => {
  const ask = `source <(node "${program.main}" completion bash); COMP_WORDS=(svcctl s); COMP_CWORD=1; _svcctl; printf '%s ' "\${COMPREPLY[@]}"`

  expect(await program.shell(ask)).toEqual({ code: 0, stdout: 'serve show ', stderr: '' })
})

test('problems and unknown fields have no escape codes where stderr is no terminal, and exit 1', async () => {
  const dir = directoryOf({ 'config.yaml': small.replace('rpm: 20', 'rpm: 0') })

  for (const args of [['show'], ['models'], ['doc', 'plans.rpn']]) {
    const { code, stdout, stderr } = await program.run(args, { cwd: dir })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^✗ /)
    expect(stderr).not.toContain('\u001b')
  }
})
