import { Parser } from 'yaml'
import { parse } from '../read/parse.ts'
import type { Source } from '../read/source.ts'
import { isRecord, type Node } from '../read/tree.ts'

/** Whether two texts of a file say the same, have the same anchors, and the same comments. */
export function isSameYaml(one: Source, other: Source): boolean {
  return meaningOf(one) === meaningOf(other) && loose(one.text) === loose(other.text)
}

/** What the gateway would read, by every name and value, whatever the variables hold. Problems count by what they say. */
function meaningOf(source: Source): string {
  const problems: string[] = []
  const root = parse(source, {}, ({ rule, message }) => problems.push(`${rule} ${message}`))
  return JSON.stringify([root && bare(root), problems])
}

const bare = (node: Node): unknown => {
  if (node.is === 'scalar') return [node.value ?? null, node.written]
  if (node.is === 'list') return node.items.map(bare)
  return { map: [...node.entries].map(([name, { value }]) => [name, bare(value)]) }
}

/** Comments, anchors, aliases and tags. Sorted: where a comment stands may change, not what it says. */
const loose = (text: string): string => [...new Parser().parse(text)].flatMap(partsIn).sort().join('\n')

const KEPT: ReadonlySet<unknown> = new Set(['comment', 'anchor', 'alias', 'tag'])

function partsIn(token: unknown): readonly string[] {
  if (Array.isArray(token)) return token.flatMap(partsIn)
  if (!isRecord(token)) return []
  const own = KEPT.has(token.type) ? [String(token.source).trim()] : []
  return [...own, ...Object.values(token).flatMap(partsIn)]
}
