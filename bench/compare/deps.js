// Packages that only the bench needs: of this project, of bench/portkey, or of a directory that BENCH_DEPS names.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const places = [root, join(root, 'bench/portkey'), process.env.BENCH_DEPS].filter(Boolean)

/** The directory of a package with its version, or undefined where it is not installed. */
export function findPackage(name) {
  for (const place of places) {
    const path = join(place, 'node_modules', name)
    if (!existsSync(join(path, 'package.json'))) continue
    return { path, version: JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).version }
  }
  return undefined
}
