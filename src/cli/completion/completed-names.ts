import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import { nodeAt } from '../../config/model/tree.ts'
import { machineDisk } from '../../config/read/disk.ts'
import { readFiles } from '../../config/read/files.ts'
import type { NameKind } from './places.ts'

/**
 * The names of a kind, as far as there are any. Never rejects: after Tab, an error would stand in the middle of the
 * command line.
 */
export async function names(kind: NameKind, words: readonly string[]): Promise<readonly string[]> {
  try {
    const found = kind === 'fields' ? await fieldNames() : configuredNames(kind, words)
    return found.filter(name => SAFE.test(name))
  } catch {
    return []
  }
}

/** Names have these characters alone, so that no shell expands anything in them. */
const SAFE = /^[A-Za-z0-9][\w.-]*$/

async function fieldNames(): Promise<readonly string[]> {
  const { fields } = await import('../../config/model/schema.ts')
  return [...new Set(fields.map(({ path }) => path.replaceAll('.<name>', '')))]
}

function configuredNames(kind: Named, words: readonly string[]): readonly string[] {
  const file = configOf(words) ?? process.env.SVCCTL_CONFIG ?? 'config.yaml'
  return namesIn(file, kind, process.cwd())
}

/** The configuration that a command line names, of which shells give the words as they are written; undefined where it names none. */
export function configOf(words: readonly string[]): string | undefined {
  let found: string | undefined
  for (const [at, word] of words.entries()) {
    const [, attached] = /^(?:--config=|-c(?!=))(.+)$/.exec(word) ?? []
    if (attached !== undefined) found = attached
    // Bash splits `--config=FILE` into three words.
    else if (word === '-c' || word === '--config') found = words[at + 1] === '=' ? words[at + 2] : words[at + 1]
  }
  return found === undefined ? undefined : unquoted(found)
}

/** The value of a shell word: quotes and the home directory are resolved, nothing is run. */
const unquoted = (word: string): string =>
  word
    .replace(/^~(?=\/|$)/, homedir())
    .replace(/\\(.)|'([^']*)'|"([^"]*)"/g, (_, escaped?: string, single?: string, double?: string) =>
      [escaped, single, double].join(''),
    )

/** Where the names of a kind are keys. */
const MAPS = { plans: ['plans'], models: ['models', 'aliases'], pools: ['pools'] } as const

type Named = keyof typeof MAPS

/**
 * The names of a configuration's plans, models or pools, in the order in which they are written, as far as its
 * files can be read. Takes no schema, which is most of what it takes to load a configuration.
 */
export function namesIn(file: string, kind: Named, cwd: string): readonly string[] {
  const path = resolve(cwd, file)
  const { roots } = readFiles({ path, directory: dirname(path), cwd, env: {}, disk: machineDisk }, () => {})
  const maps = roots.flatMap(root => (root ? MAPS[kind].map(name => nodeAt(root, [name])) : []))
  return [...new Set(maps.flatMap(map => (map?.is === 'map' ? [...map.entries.keys()] : [])))]
}
