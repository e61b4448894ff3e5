import type { Place } from '../../policy/config.ts'

/** A place that knows how many characters it covers on its line. */
export interface Span extends Place {
  readonly length: number
}

/** A YAML file as it was written, aliases followed and variables put in. */
export type Node = MapNode | ListNode | ScalarNode

export interface MapNode {
  readonly is: 'map'
  readonly entries: ReadonlyMap<string, Entry>
  readonly span: Span
}

export interface Entry {
  readonly key: Span
  readonly value: Node
}

export interface ListNode {
  readonly is: 'list'
  readonly items: readonly Node[]
  readonly span: Span
}

export interface ScalarNode {
  readonly is: 'scalar'
  /** Undefined where a Problem was already reported for it: whatever follows from that is not worth a second one. */
  readonly value: Value | undefined
  /** As the operator wrote it. Problems show this, so that what a variable holds never appears in one. */
  readonly written: string
  readonly span: Span
}

export type Value = string | number | boolean | null

/** Where something is in a file: the names of maps and the positions in lists that lead to it. */
export type Path = readonly (string | number)[]

/** The node at a path. */
export function nodeAt(root: Node, path: Path): Node | undefined {
  let node: Node | undefined = root
  for (const step of path) node = node && child(node, step)
  return node
}

function child(node: Node, step: string | number): Node | undefined {
  if (node.is === 'map') return node.entries.get(String(step))?.value
  if (node.is === 'list') return node.items[Number(step)]
  return undefined
}

/** The key of a map's entry: a path that ends in a field's name. */
export function keyAt(root: Node, path: Path): Span | undefined {
  const parent = nodeAt(root, path.slice(0, -1))
  return parent?.is === 'map' ? parent.entries.get(String(path.at(-1)))?.key : undefined
}

/** The entries of a map; of anything else none. */
export const entriesOf = (node: Node | undefined): Iterable<[string, Entry]> => (node?.is === 'map' ? node.entries : [])

/** The texts of a list; whatever else is in it was reported by the schema. */
export const textsOf = (node: Node | undefined): readonly (ScalarNode & { value: string })[] =>
  node?.is === 'list' ? node.items.filter(isText) : []

/** One text, or several in a list. */
export const wordsOf = (node: Node | undefined): readonly (ScalarNode & { value: string })[] =>
  isText(node) ? [node] : textsOf(node)

/** Whether a node is a text. */
export const isText = (node: Node | undefined): node is ScalarNode & { value: string } =>
  node?.is === 'scalar' && typeof node.value === 'string'

/** Whether a Problem was reported for the value of a node. */
export const isBroken = (node: Node | undefined): boolean => node?.is === 'scalar' && node.value === undefined

/** True if a value is missing. */
export const isEmpty = (node: Node | undefined): boolean =>
  node?.is === 'scalar' && (node.value === null || node.value === '')

/** The plain data of a node, as a JSON Schema sees it. */
export function plain(node: Node): unknown {
  if (node.is === 'scalar') return node.value ?? null
  if (node.is === 'list') return node.items.map(plain)
  // Without a prototype, a field called `__proto__` is a field like any other.
  const data: Record<string, unknown> = Object.create(null)
  for (const [name, { value }] of node.entries) data[name] = plain(value)
  return data
}

/** True if plain data represents a map. */
export const isRecord = (data: unknown): data is Record<string | number, unknown> =>
  typeof data === 'object' && data !== null && !Array.isArray(data)

/** How a node is shown in a message. */
export function shown(node: Node | undefined): string {
  if (node?.is === 'scalar') return node.written
  return node?.is === 'list' ? '[…]' : '{…}'
}
