import {
  type Document,
  isCollection,
  isMap,
  isPair,
  isScalar,
  type Pair,
  Parser,
  Scalar,
  type ScalarTag,
  type Tags,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { isRecord, type Node } from '../model/tree.ts'
import type { Report } from '../problem.ts'
import { parse } from '../read/compose.ts'
import type { Source } from '../read/disk.ts'
import { documentOf, EMPTY } from '../read/document.ts'

/**
 * A YAML file in the one style: two blanks a level, lists indented, `{ a: 1 }` and `[a, b]` where they fit on a line, one blank
 * before a comment, at most one empty line. The values stay the same, and so do comments, anchors and quoting. Reports invalid
 * YAML and anything that it could not preserve; undefined then.
 */
export function format(source: Source, report: Report): string | undefined {
  const text = printed(source, report)
  if (text === undefined || text === source.text) return text
  const after = { ...source, text }
  if (isSameYaml(source, after) && printed(after, () => {}) === text) return text
  report({
    ...{ file: source.file, line: 1, column: 1, rule: 'not-formatted', severity: 'error' },
    message: 'the file cannot be formatted without losing something, so it stays unchanged',
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

/**
 * Prints a document that the program made in the one style: it has no texts of a file to keep. An entry of `wide` stays on
 * its line, however long that gets.
 */
export function printDocument(document: Document, wide: ReadonlySet<unknown>): string {
  const names = new Map<unknown, number>()
  visit(document, {
    Pair: (_, { key, value }: Pair) => {
      if (isScalar(key)) names.set(value, String(key.value).length)
    },
    Collection: (_, node) => layOut(node, wide.has(node) ? Number.NEGATIVE_INFINITY : (names.get(node) ?? 0)),
  })
  return document.toString({ indent: INDENT, lineWidth: 0, verifyAliasOrder: false })
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

/** The meaning of a source to the gateway, by every name and value, whatever the variables hold. Problems count by their texts. */
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

type Collection = YAMLMap | YAMLSeq

/** The parser gives a comment behind `name:` to the value below: it stays behind the name, or below its anchor. */
function keepComment({ key, value }: Pair, text: string): void {
  if (!isScalar(key) || !key.range || !(isCollection(value) || isScalar(value)) || !value.commentBefore) return
  if (value.anchor || value.tag) {
    intoFirst(value)
    return
  }
  const line = text.slice(key.range[1]).split('\n', 1)[0] ?? ''
  const [first = '', ...others] = value.commentBefore.split('\n')
  if (!line.trimEnd().endsWith(`#${first}`.trimEnd())) return
  key.comment = first
  // Empty lines between a name and its value say nothing.
  value.commentBefore = others.join('\n').replace(/^\s*\n/, '') || null
  value.spaceBefore = false
}

function intoFirst(value: { commentBefore?: string | null }): void {
  const first = isCollection(value) && !value.flow ? value.items[0] : undefined
  const node = isPair(first) ? first.key : first
  if (!isScalar(node) && !isCollection(node)) return
  node.commentBefore = [value.commentBefore, node.commentBefore].filter(Boolean).join('\n')
  value.commentBefore = null
}

/** The parser drops an empty line above a comment that ends a collection: it stays. */
function keepGap(node: Collection, text: string): void {
  const end = node.comment && !node.flow ? endOf(node) : undefined
  if (end !== undefined && /^[^\n]*\n[ \t]*\r?\n\s*#/.test(text.slice(end))) node.comment = `\n${node.comment}`
}

/** Where the last value of a collection ends; undefined where what follows may be a part of it, or of another comment. */
function endOf(value: unknown): number | undefined {
  if (isPair(value)) return endOf(value.value ?? value.key)
  if (isCollection(value) && !value.flow) {
    const last = value.items.at(-1)
    const below = isPair(last) ? last.value : last
    return isCollection(below) && !below.flow && below.comment ? undefined : endOf(last)
  }
  if (isCollection(value)) return value.range?.[1]
  return isScalar(value) && !value.type?.startsWith('BLOCK') ? value.range?.[1] : undefined
}

/**
 * The parser gives a comment that follows a block to the block, also one that stands as far left as what it is the
 * heading of. Such a one stands there again.
 */
function withHeadings(written: string, printed: string): string {
  const headings = headingsIn(written)
  const lines = printed.split('\n')
  let below = 0
  for (let at = lines.length - 1; at >= 0; at--) {
    const text = lines[at]?.trimStart() ?? ''
    const indent = (lines[at]?.length ?? 0) - text.length
    if (text.startsWith('#')) {
      const left = headings.get(text) ?? 0
      if (left === 0) continue
      headings.set(text, left - 1)
      if (indent > below) lines[at] = ' '.repeat(below) + text
    } else if (text !== '') below = indent
  }
  return lines.join('\n')
}

/** How often each comment stands as far left as what follows it. */
function headingsIn(text: string): Map<string, number> {
  const headings = new Map<string, number>()
  let below = 0
  for (const line of text.split('\n').reverse()) {
    const said = line.trim()
    const indent = line.length - line.trimStart().length
    if (!said.startsWith('#')) below = said === '' ? below : indent
    else if (indent === below) headings.set(said, (headings.get(said) ?? 0) + 1)
  }
  return headings
}

/** The printer puts an empty line above the comment that ends a file: none stays where none was. */
function withoutGaps(written: string, printed: string): string {
  const [before, after] = [endingOf(written), endingOf(printed)]
  if (before.comments.length !== after.comments.length) return printed
  const ending = after.comments.map(({ text, gap }, index) => (gap && before.comments[index]?.gap ? '\n' : '') + text)
  return after.rest + ending.join('')
}

/** The comments that end a file, each with the end of its line and whether an empty line stands above it. */
function endingOf(text: string) {
  const rest = text.replace(/(?<=\n)(?:[ \t]*(?:#[^\n]*)?(?:\r?\n|$))+$/, '')
  const comments: { readonly text: string; readonly gap: boolean }[] = []
  let gap = false
  for (const line of text.slice(rest.length).match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (line.trim() !== '') comments.push({ text: line, gap })
    gap = line.trim() === ''
  }
  return { rest, comments }
}
