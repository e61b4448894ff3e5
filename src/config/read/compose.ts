import { type Document, isAlias, isMap, isScalar, isSeq, type Pair, type Scalar, type Node as YamlNode } from 'yaml'
import { isReference, secret as secretFormat, withoutUser } from '../model/formats.ts'
import type { Read } from '../model/reads.ts'
import { isRefusal, typed } from '../model/scalar.ts'
import { passwordFields, secretFields, secretMapOf } from '../model/schema.ts'
import { hasPlainPassword } from '../model/store-address.ts'
import {
  type Entry,
  isBroken,
  type ListNode,
  type MapNode,
  type Node,
  type ScalarNode,
  type Span,
} from '../model/tree.ts'
import { type Env, interpolate, replaceVariables } from '../model/variables.ts'
import type { Report } from '../problem.ts'
import type { Source } from './disk.ts'
import { documentOf, EMPTY, type Locate } from './document.ts'

interface World {
  readonly locate: Locate
  readonly env: Env
  readonly report: Report
  /** Hears of each variable, and of each file of a secret, that the document names. */
  readonly read: (read: Read) => void
}

/** Where the walk is. */
interface Walk extends World {
  readonly anchors: Map<string, YamlNode>
  /** The nodes above, to notice an alias of one of them. */
  readonly above: readonly YamlNode[]
  /** Nodes that aliases have copied so far. */
  readonly copied: { nodes: number; refused: boolean }
  /** The outermost alias that led here. */
  readonly alias: Span | undefined
  /** The names that lead to the node. */
  readonly path: readonly string[]
  /** The kind of value that must not be shown, in the field of this node; `reference` where it only may be one. */
  readonly holds: 'secret' | 'reference' | 'password' | undefined
  /** Its name, then. */
  readonly secretOf: string | undefined
}

/** More than any honest file copies; a bomb is refused after as many. */
const MOST_COPIES = 20_000
const MOST_LEVELS = 32
/** Tags that change nothing. */
const PLAIN_TAGS: ReadonlySet<string> = new Set([
  '!',
  ...['str', 'map', 'seq'].map(name => `tag:yaml.org,2002:${name}`),
])

/** Builds the tree of a document without syntax errors: follows aliases, puts variables in, finds double keys. */
function compose(document: Document.Parsed, world: World): Node | undefined {
  const start: Walk = {
    ...world,
    anchors: new Map(),
    above: [],
    copied: { nodes: 0, refused: false },
    alias: undefined,
    path: [],
    holds: undefined,
    secretOf: undefined,
  }
  const root = nodeOf(document.contents, start)
  return start.copied.refused ? undefined : root
}

function nodeOf(node: YamlNode | null, walk: Walk, at?: Span): Node {
  const span = at ?? spanOf(node, walk)
  if (!node) return { is: 'scalar', value: null, written: '', span }
  if (walk.alias && ++walk.copied.nodes > MOST_COPIES) return tooMany(walk.alias, walk)
  if (isAlias(node)) return aliased(node.source, span, walk)
  if (node.tag && !PLAIN_TAGS.has(node.tag))
    return broken(span, 'yaml-tag', `the tag \`${node.tag}\` has no meaning here`, 'remove it', walk)
  if ('anchor' in node && node.anchor && !walk.alias) walk.anchors.set(node.anchor, node)
  if (isScalar(node)) return scalar(node, span, walk)
  if (walk.above.length > MOST_LEVELS)
    return broken(span, 'too-deep', 'this is nested too deeply', 'write it with fewer levels', walk)
  const below = { ...walk, above: [...walk.above, node], holds: undefined, secretOf: undefined }
  if (isMap<YamlNode, YamlNode | null>(node)) return map(node.items, span, below)
  if (isSeq<YamlNode>(node))
    return { is: 'list', items: node.items.map(item => nodeOf(item, below)), span } satisfies ListNode
  throw new Error(`the YAML parser knows a node of another kind: ${node.constructor.name}`)
}

function aliased(name: string, span: Span, walk: Walk): Node {
  const target = walk.anchors.get(name)
  if (!target)
    return broken(
      span,
      'unknown-anchor',
      `there is no anchor \`&${name}\` above`,
      'quote a text that starts with `*`',
      walk,
    )
  if (walk.above.includes(target)) {
    return broken(span, 'alias-loop', `\`*${name}\` is inside its own anchor`, 'write it out', walk)
  }
  return nodeOf(target, { ...walk, alias: walk.alias ?? span })
}

function tooMany(span: Span, walk: Walk): Node {
  if (!walk.copied.refused)
    broken(span, 'too-many-aliases', `aliases copy more than ${MOST_COPIES} values`, 'write it out', walk)
  walk.copied.refused = true
  return { is: 'scalar', value: undefined, written: '', span }
}

function map(pairs: readonly Pair<YamlNode, YamlNode | null>[], span: Span, walk: Walk): MapNode {
  const entries = new Map<string, Entry>()
  for (const { key, value } of pairs) {
    const at = spanOf(key, walk)
    const name = nameOf(key, at, walk)
    if (name === undefined) continue
    const first = entries.get(name)
    if (first) reportDouble(name, at, first.key, walk)
    const path = [...walk.path, name]
    const node = nodeOf(value, { ...walk, path, ...heldAt(path) }, emptyAt(value, at))
    if (!first) entries.set(name, { key: at, value: node })
  }
  return { is: 'map', entries, span }
}

function heldAt(path: readonly string[]): Pick<Walk, 'holds' | 'secretOf'> {
  const map = secretMapOf(path)
  if (map !== undefined) return { holds: 'reference', secretOf: map }
  const name = path.at(-1) ?? ''
  const holds = secretFields.has(name) ? 'secret' : passwordFields.has(name) ? 'password' : undefined
  return { holds, secretOf: holds && name }
}

/** A value that was left out has no place of its own: Problems are at its key. */
const emptyAt = (value: YamlNode | null, key: Span): Span | undefined =>
  !value || (isScalar(value) && value.source === '' && value.type === 'PLAIN') ? key : undefined

function nameOf(key: YamlNode | null, at: Span, { report }: Walk): string | undefined {
  const error = { ...at, severity: 'error' } as const
  if (!isScalar(key) || typeof key.value !== 'string') {
    report({ ...error, rule: 'bad-key', message: 'a name must be a text', hint: 'write `name: value`' })
    return undefined
  }
  if (key.value === '<<') {
    report({
      ...error,
      rule: 'merge-key',
      message: '`<<` does not merge',
      hint: 'write the fields out, or use an alias for a whole value',
    })
    return undefined
  }
  return key.value
}

function scalar(node: Scalar, span: Span, walk: Walk): ScalarNode {
  const text = String(node.value)
  const plain = node.type === 'PLAIN' && !node.tag
  // Covered before it is cut: what is to be covered is found by what follows it.
  const written = shorten(withoutUser(text))
  tellReads(text, span, walk)
  // A secret stays a reference here, so that no value of one is in the tree.
  if (walk.holds === 'secret' || (walk.holds === 'reference' && isReference(text)))
    return { is: 'scalar', value: plain && typed(text) === null ? null : text, written: text, span }
  if (walk.holds === 'password' && hasPlainPassword(text)) return broken(span, ...PLAIN_PASSWORD, walk)
  const filled = interpolate(text, walk.env)
  const value = isRefusal(filled) || !plain ? filled : typed(filled)
  if (!isRefusal(value)) return { is: 'scalar', value, written, span }
  const message = value.rule === 'missing-env' ? value.says : `\`${written}\` ${value.says}`
  return broken(span, value.rule, message, value.hint, walk)
}

function tellReads(text: string, span: Span, { holds, secretOf, read }: Walk): void {
  const source = holds === 'secret' || holds === 'reference' ? secretFormat.read(text) : undefined
  if (source && 'file' in source) read({ source: `file:${source.file}`, secretOf, span })
  replaceVariables(text, source => {
    read({ source, secretOf, span })
    return ''
  })
}

const PLAIN_PASSWORD = [
  'plain-secret',
  'the file contains the password',
  `use \${VARIABLE} instead, without a default`,
] as const

function reportDouble(name: string, at: Span, first: Span, { report }: Walk): void {
  const message = `\`${shorten(name)}\` is written twice`
  report({ ...at, rule: 'duplicate-key', severity: 'error', message, hint: `the first is in line ${first.line}` })
}

function broken(span: Span, rule: string, message: string, hint: string, { report }: Walk): ScalarNode {
  report({ ...span, rule, severity: 'error', message, hint })
  return { is: 'scalar', value: undefined, written: '', span }
}

function spanOf(node: YamlNode | null, { locate }: Walk): Span {
  const [start, end] = node?.range ?? [0, 0]
  return locate(start, end)
}

const shorten = (text: string): string => {
  const line = text.split('\n', 1)[0] ?? ''
  return line.length > 60 || line.length < text.trimEnd().length ? `${line.slice(0, 59)}…` : line
}

/** Parses one file into a tree. Reports every mistake of its YAML; undefined when the file has no tree. */
export function parse(
  source: Source,
  env: Env,
  report: Report,
  read: (read: Read) => void = () => {},
): MapNode | undefined {
  const written = documentOf(source, report)
  if (!written) return undefined
  const { document, locate } = written
  const root = compose(document, { locate, env, report, read })
  if (root?.is === 'map') return root
  if (!root || isBroken(root)) return undefined
  const [at, rule, message, hint] =
    root.is === 'scalar' && root.value === null
      ? ([locate(0, 1), ...EMPTY] as const)
      : ([root.span, 'not-a-map', 'the file is not a map', 'write `name: value` on each line'] as const)
  report({ ...at, rule, severity: 'error', message, hint })
  return undefined
}
