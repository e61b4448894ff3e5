import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from './files.ts'

interface Packed {
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

/** What `npm pack` would put into the package, without building. */
function packed(...args: readonly string[]): Packed {
  const json = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [pack]: Packed[] = JSON.parse(String(json))
  if (!pack) throw new Error('npm packed nothing')
  return pack
}

/** The files and folders that a module imports, or finds by its own address, but for the root of its package. */
function neededBy(path: string, text: string): readonly string[] {
  const names = text.matchAll(/(?:\bfrom ?|\bimport ?\(?|\bnew URL\()['"`](\.{1,2}\/[^'"`$]+)['"`]/g)
  return [...names].map(([, name]) => join(dirname(path), String(name))).filter(name => !/^\.\/?$/.test(name))
}

describe.each([
  ['the gateway', [], ROOT, 1_000_000],
  ['its demo', ['--workspace', 'demo'], join(ROOT, 'demo'), 60_000],
] as const)('the package of %s', (_, args, folder, most) => {
  const { size, files } = packed(...args)
  const paths = files.map(({ path }) => path)
  const isIn = (needed: string) =>
    paths.some(path => path === needed || path.startsWith(`${needed.replace(/\/$/, '')}/`))

  it('has each file that a module in it imports', () => {
    const modules = paths.filter(path => path.endsWith('.js') && !path.startsWith('dist/console/'))
    const missing = modules.flatMap(path =>
      neededBy(path, readFileSync(join(folder, path), 'utf8'))
        .filter(needed => !isIn(needed))
        .map(needed => `${path} needs ${needed}`),
    )

    expect(modules.length).toBeGreaterThan(20)
    expect(missing).toEqual([])
  })

  it('has no sources, tests or source maps, and stays small', () => {
    expect(paths.filter(path => /\.map$|\.test\.[jt]s|(?<!\.d)\.tsx?$|^(?:src|test|docs|bench)\//.test(path))).toEqual(
      [],
    )
    expect(size).toBeLessThan(most)
  })

  it('may be published', () => {
    const { version, private: kept, engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

    expect(kept).toBeUndefined()
    expect({ version, engines }).toEqual({ version: root.version, engines: root.engines })
    expect(paths).toContain('LICENSE')
  })
})
