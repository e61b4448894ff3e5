import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT, textOf } from './files.ts'

interface Pack {
  readonly name: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

let packs: readonly Pack[]

// One npm packs both packages as `npm pack` would, without building or writing them.
beforeAll(() => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--workspace', 'demo', '--include-workspace-root']
  packs = JSON.parse(String(execFileSync('npm', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] })))
})

/** The files and folders that a module imports, or finds by its own address, except for the root of its package. */
function neededBy(path: string, text: string): readonly string[] {
  const names = text.matchAll(/(?:\bfrom ?|\bimport ?\(?|\bnew URL\()['"`](\.{1,2}\/[^'"`$]+)['"`]/g)
  return [...names].map(([, name]) => join(dirname(path), String(name))).filter(name => !/^\.\/?$/.test(name))
}

describe.each([
  ['svc-gateway', '', 1_500_000],
  ['svc-gateway-demo', 'demo', 60_000],
])('the package %s', (name, folder, most) => {
  let size: number
  let paths: readonly string[]
  beforeAll(() => {
    const pack = packs.find(each => each.name === name)
    if (!pack) throw new Error(`npm packed no ${name}`)
    size = pack.size
    paths = pack.files.map(({ path }) => path)
  })
  const fileOf = (path: string) => readFileSync(join(ROOT, folder, path), 'utf8')

  it('contains every file that one of its modules imports', () => {
    const there = new Set(paths.flatMap(path => [path, ...foldersOf(path)]))
    const modules = paths.filter(path => path.endsWith('.js') && !path.startsWith('dist/console/'))
    const missing = modules.flatMap(path =>
      neededBy(path, fileOf(path))
        .filter(needed => !there.has(needed.replace(/\/$/, '')))
        .map(needed => `${path} needs ${needed}`),
    )

    expect(modules.length).toBeGreaterThan(20)
    expect(missing).toEqual([])
  })

  it(`contains no source, test or source map, and is smaller than ${most / 1000} kB`, () => {
    const unwanted = /\.map$|\.test\.[jt]s|(?<!\.d)\.tsx?$|^(?:src|test|docs|bench)\//
    expect(paths.filter(path => unwanted.test(path))).toEqual([])
    expect(size).toBeLessThan(most)
  })

  it('can be published: it is not private, has a license, and the version and Node range of the repository', () => {
    const { version, private: isPrivate, engines } = JSON.parse(fileOf('package.json'))
    const root = JSON.parse(textOf('package.json'))

    expect(isPrivate).toBeUndefined()
    expect({ version, engines }).toEqual({ version: root.version, engines: root.engines })
    expect(paths).toContain('LICENSE')
  })
})

/** `a/b` and `a` of `a/b/c`. */
function foldersOf(path: string): readonly string[] {
  const folder = dirname(path)
  return folder === '.' ? [] : [folder, ...foldersOf(folder)]
}
