// Packages that only the bench needs: from this project, bench/portkey, or the directory in BENCH_DEPS.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const places = [root, join(root, 'bench/portkey'), process.env.BENCH_DEPS].filter(Boolean)

/** The directory of a package with its version, or undefined if it is not installed. */
export function findPackage(name) {
  for (const place of places) {
    const path = join(place, 'node_modules', name)
    if (!existsSync(join(path, 'package.json'))) continue
    return { path, version: JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).version }
  }
  return undefined
}
