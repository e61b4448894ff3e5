import { createHash } from 'node:crypto'
import { entriesOf, type MapNode, type Node } from '../model/tree.ts'

/** Fields of `server` that may differ between the machines of a fleet. */
const OF_MACHINE: ReadonlySet<string> = new Set(['listen', 'admin', 'admin_url', 'fleet_url', 'state_dir', 'workers'])

/**
 * A digest of each section over all files, as 8 hexadecimal digits, so that gateways can say which of their sections differ.
 * Comments and the order of names change nothing, and neither do the fields of `server` that each machine has its own of.
 */
export function sectionsOf(roots: readonly (MapNode | undefined)[]): Readonly<Record<string, string>> {
  const values = new Map<string, unknown[]>()
  for (const root of roots)
    for (const [name, { value }] of entriesOf(root))
      values.set(name, [...(values.get(name) ?? []), plain(value, name === 'server' ? OF_MACHINE : NONE)])
  return Object.fromEntries([...values].map(([name, all]) => [name, digestOf(all)]))
}

/** As written, with names of variables instead of their values. */
function plain(node: Node, without: ReadonlySet<string> = NONE): unknown {
  if (node.is === 'scalar') return node.written
  if (node.is === 'list') return node.items.map(item => plain(item))
  const entries = [...entriesOf(node)].filter(([name]) => !without.has(name))
  return entries.map(([name, { value }]) => [name, plain(value)]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
}

const NONE: ReadonlySet<string> = new Set()

const digestOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 8)
