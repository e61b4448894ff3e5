import { isCollection, isPair, isScalar, type Pair, type YAMLMap, type YAMLSeq } from 'yaml'

export type Collection = YAMLMap | YAMLSeq

/** The parser gives a comment behind `name:` to the value below: it stays behind the name, or below its anchor. */
export function keepComment({ key, value }: Pair, text: string): void {
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
export function keepGap(node: Collection, text: string): void {
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
export function withHeadings(written: string, printed: string): string {
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
export function withoutGaps(written: string, printed: string): string {
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
