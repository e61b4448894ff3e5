import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './files.ts'

const dist = join(ROOT, 'dist')
const modules = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
  // The console runs in the browser: the gateway imports none of it.
  name => name.endsWith('.js') && !name.startsWith('console'),
)

/** The packages that a module imports, statically or with `import()`. */
const packagesOf = (text: string): readonly string[] =>
  [
    ...text
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .matchAll(
        /(?:^|;)(?:import|export)\b[^'"`;]*?\bfrom ?['"]([^.'"][^'"]*)['"]|\bimport\(['"`]([^.'"`][^'"`]*)['"`]\)/gm,
      ),
  ]
    .map(([, early, late]) => early ?? late ?? '')
    .filter(name => !name.startsWith('node:') && !builtinModules.includes(name))
    .map(name => (name.startsWith('@') ? name.split('/').slice(0, 2).join('/') : (name.split('/')[0] ?? '')))

it('the built gateway imports only its dependencies and, for --demo, svc-gateway-demo', () => {
  const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const imported = new Set(modules.flatMap(name => packagesOf(readFileSync(join(dist, name), 'utf8'))))

  expect([...imported].filter(name => !(name in dependencies) && name !== 'svc-gateway-demo')).toEqual([])
  expect(imported).toContain('undici')
})

it('every bundled package loads, the importers among them, even if DEV=true asks for developer tools', () => {
  const bundled = modules.filter(name => name.startsWith('bundled/')).map(name => `./${name}`)
  const code = `await Promise.all(${JSON.stringify(bundled)}.map(name => import(name)))`
  const env = { ...process.env, DEV: 'true' }
  const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', code], { cwd: dist, env })

  expect(bundled).toEqual(expect.arrayContaining(['./bundled/ink.js', './bundled/svc-gateway-import.js']))
  expect(String(loaded)).toBe('')
})
