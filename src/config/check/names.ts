import { dirname, resolve } from 'node:path'
import { machineDisk } from '../read/disk.ts'
import { readFiles } from '../read/read-files.ts'
import { nodeAt } from '../read/tree.ts'

/** Where the names of a kind are keys. */
const MAPS = { plans: ['plans'], models: ['models', 'aliases'], pools: ['pools'] } as const

export type Named = keyof typeof MAPS

/**
 * What the plans, models or pools of a configuration are called, in the order in which they are written, as far as its
 * files can be read. Takes no schema, which is most of what it takes to load a configuration.
 */
export function namesIn(file: string, kind: Named, cwd: string): readonly string[] {
  const path = resolve(cwd, file)
  const { roots } = readFiles({ path, directory: dirname(path), cwd, env: {}, disk: machineDisk }, () => {})
  const maps = roots.flatMap(root => (root ? MAPS[kind].map(name => nodeAt(root, [name])) : []))
  return [...new Set(maps.flatMap(map => (map?.is === 'map' ? [...map.entries.keys()] : [])))]
}
