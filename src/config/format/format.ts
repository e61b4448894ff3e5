import { isMap, isScalar, type Pair, Parser, Scalar, type ScalarTag, type Tags, visit } from 'yaml'
import type { Report } from '../problem.ts'
import { parse } from '../read/compose.ts'
import type { Source } from '../read/disk.ts'
import { documentOf, EMPTY } from '../read/document.ts'
import { isRecord, type Node } from '../read/tree.ts'
import { type Collection, keepComment, keepGap, withHeadings, withoutGaps } from './format-comments.ts'

/**
 * A YAML file in the one style: two blanks a level, lists indented, `{ a: 1 }` and `[a, b]` where they fit on a line, one
 * blank before a comment, at most one empty line. What it says stays, so do comments, anchors, and how texts are quoted.
 * Reports what is not YAML and what could not be kept; undefined then.
 */
export function format(source: Source, report: Report): string | undefined {
  const text = printed(source, report)
  if (text === undefined || text === source.text) return text
  const after = { ...source, text }
  if (isSameYaml(source, after) && printed(after, () => {}) === text) return text
  report({
    ...{ file: source.file, line: 1, column: 1, rule: 'not-formatted', severity: 'error' },
    message: 'the file cannot be put in the one style without a loss, so it stays as it is',
    hint: 'an anchor or a comment in an unusual place is the most likely reason',
  })
  return undefined
}

/** As long as a line gets before the items of a `{ }` or `[ ]` stand on lines of their own. */
const LINE = 120
const INDENT = 2
const TEXT = 'tag:yaml.org,2002:str'

function printed(source: Source, report: Report): string | undefined {
  const { document, locate } = documentOf(source, report, textsOf(source)) ?? {}
  if (!document || !locate) return undefined
  if (isScalar(document.contents) && document.contents.source === '') {
    const [rule, message, hint] = EMPTY
    report({ ...locate(0, 1), rule, severity: 'error', message, hint })
    return undefined
  }
  /** Characters of the name before a collection. */
  const names = new Map<unknown, number>()
  visit(document, {
    Pair: (_, pair: Pair) => {
      keepComment(pair, source.text)
      if (isScalar(pair.key) && pair.key.range) names.set(pair.value, pair.key.range[1] - pair.key.range[0])
    },
    Collection: (_, node) => {
      keepGap(node, source.text)
      layOut(node, names.get(node) ?? 0)
    },
  })
  const text = document.toString({ indent: INDENT, lineWidth: 0, verifyAliasOrder: false })
  return withoutGaps(source.text, withHeadings(source.text, text))
}

/** Has texts on one line stay to the letter; longer ones are folded anew. */
const textsOf =
  ({ text: whole }: Source) =>
  (tags: Tags): Tags =>
    tags.map(tag => (typeof tag === 'object' && tag.tag === TEXT && !tag.collection ? asWritten(tag, whole) : tag))

const asWritten = (tag: ScalarTag, whole: string): ScalarTag => ({
  ...tag,
  stringify: (item, ctx, onComment, onChompKeep) => {
    const written = whole.slice(...(item.range ?? [0, 0]))
    const isBlock = item.type === Scalar.BLOCK_FOLDED || item.type === Scalar.BLOCK_LITERAL
    if (!isBlock && !written.includes('\n')) return written
    const options = { ...ctx.options, lineWidth: LINE }
    return tag.stringify?.(item, { ...ctx, options }, onComment, onChompKeep) ?? written
  },
})

/** Has a `{ }` or `[ ]` stand on the line of its name where it fits, else as a block. */
function layOut(node: Collection, nameLength: number): void {
  const print = node.toString.bind(node)
  node.toString = (ctx, onComment, onChompKeep) => {
    if (!ctx) return print()
    const padded = { ...ctx, flowCollectionPadding: isMap(node) ? ' ' : '' }
    const text = print(padded, onComment, onChompKeep)
    const fits = !text.includes('\n') && ctx.indent.length + nameLength + text.length <= LINE
    if (fits || ctx.inFlow || !node.flow) return text
    node.flow = false
    return print(padded, onComment, onChompKeep)
  }
}

/** Whether two texts of a file say the same, have the same anchors, and the same comments. */
function isSameYaml(one: Source, other: Source): boolean {
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
