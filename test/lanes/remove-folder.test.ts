import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { HANGS_MS } from './hangs.ts'
import { removeFolder } from './remove-folder.ts'

it('a folder is removed although others go on to write to it for a while', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'written-'))
  const below = join(folder, 'below')
  mkdirSync(below)
  const write = async (writer: number) => {
    for (let each = 0; each < 500; each++) await writeFile(join(below, `${writer}-${each}`), '').catch(() => {})
  }
  const writers = Promise.all([1, 2, 3, 4].map(write))
  await eventually(() => expect(readdirSync(below).length).toBeGreaterThan(0), { timeout: HANGS_MS, interval: 1 })

  await removeFolder(folder)

  expect(existsSync(folder)).toBe(false)
  await writers
})

it('every test removes its folders by removeFolder, which a process that is still ending cannot fail', () => {
  const sources = sourcesIn('test')
  const removers = sources.filter(file => /\brm(?:Sync)?\(.*\brecursive\b/.test(readFileSync(file, 'utf8')))

  expect(removers).toEqual([])
})

/** The TypeScript files below a folder, without installed packages, of which some lanes have more than tests. */
function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !/^(node_modules|\.venv|\.heavy)/.test(name))
    .flatMap(entry => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? sourcesIn(path) : path.endsWith('.ts') ? [path] : []
    })
}
