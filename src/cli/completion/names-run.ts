import { type Named, namesIn } from '../../config/check/names.ts'
import type { NameKind } from './places.ts'
import { configOf } from './words.ts'

/** Names are of these, so that no shell finds anything else in them. */
const SAFE = /^[A-Za-z0-9][\w.-]*$/

/** The names of a kind, as far as there are any. Never rejects: who presses Tab wants to be told nothing else. */
export async function names(kind: NameKind, words: readonly string[]): Promise<readonly string[]> {
  try {
    const found = kind === 'fields' ? await fieldNames() : configuredNames(kind, words)
    return found.filter(name => SAFE.test(name))
  } catch {
    return []
  }
}

async function fieldNames(): Promise<readonly string[]> {
  const { fields } = await import('../../config/check/schema.ts')
  return [...new Set(fields.map(({ path }) => path.replaceAll('.<name>', '')))]
}

function configuredNames(kind: Named, words: readonly string[]): readonly string[] {
  const file = configOf(words) ?? process.env.SVCCTL_CONFIG ?? 'config.yaml'
  return namesIn(file, kind, process.cwd())
}
