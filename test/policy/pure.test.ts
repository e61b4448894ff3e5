import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeFolder } from '../lanes/remove-folder.ts'
import { rows } from './table.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
let out = ''

/** Runs in a process of its own: links compiled modules inside a context that has the language and nothing else. */
const runner = `
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import vm from 'node:vm'

const [root, entry] = process.argv.slice(2)
const context = vm.createContext({})
// The language itself offers a clock and dice: nobody may touch them.
vm.runInContext(\`
  const refuse = name => () => { throw new Error(name + ' is not pure') }
  Math.random = refuse('Math.random')
  const RealDate = Date
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args) => args.length === 0 ? refuse('new Date()')() : new target(...args),
    apply: refuse('Date()'),
    get: (target, name) => name === 'now' ? refuse('Date.now') : target[name],
  })
\`, context)
const modules = new Map()
const load = path => {
  let module = modules.get(path)
  if (!module) modules.set(path, module = new vm.SourceTextModule(readFileSync(path, 'utf8'), { context, identifier: path }))
  return module
}
const link = (specifier, from) => {
  if (!specifier.startsWith('.')) throw new Error('policy imports ' + specifier)
  return load(resolve(from.identifier, '..', specifier))
}
const main = load(join(root, entry))
await main.link(link)
await main.evaluate()
console.log(JSON.stringify(main.namespace.told))
`

beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), 'svc-pure-'))
  const entry = join(root, 'test/policy/pure.entry.ts')
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const flags = ['--outDir', out, '--rootDir', root, '--noEmit', 'false', '--module', 'nodenext', '--target', 'es2023']
  const strict = [
    '--lib',
    'es2023',
    '--types',
    '',
    '--rewriteRelativeImportExtensions',
    '--skipLibCheck',
    '--ignoreConfig',
  ]
  const compiled = spawnSync(process.execPath, [tsc, entry, ...flags, ...strict], { cwd: root, encoding: 'utf8' })
  if (compiled.status !== 0) throw new Error(compiled.stdout + compiled.stderr)
  writeFileSync(join(out, 'package.json'), '{"type":"module"}')
  writeFileSync(join(out, 'runner.mjs'), runner)
})

afterAll(() => removeFolder(out))

describe('policy', () => {
  it('decides and judges without Node, a clock or dice', () => {
    const args = ['--experimental-vm-modules', join(out, 'runner.mjs'), out, 'test/policy/pure.entry.js']
    const run = spawnSync(process.execPath, args, { encoding: 'utf8' })

    expect(run.stderr.replace(/^\(node:.*\n.*\n/, '')).toBe('')
    expect(JSON.parse(run.stdout)).toEqual([...rows.map(([, , expected]) => expected), 'admit', 'refuse'])
  })
})
