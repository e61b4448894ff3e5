import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A piece of a document that can be read by itself. */
export interface Passage {
  /** The headings above it, outermost first. */
  readonly title: string
  /** Relative to the package. */
  readonly file: string
  /** Plain text of about PASSAGE_MAX characters at most. */
  readonly text: string
}

/** Characters that a model reads in a glance; several passages fit into an answer. */
const PASSAGE_MAX = 600

/** The passages of this package's documents: a clone has all of them, an installed package README alone. */
export function passagesOf(root: string): readonly Passage[] {
  return ['README.md', 'CHANGELOG.md', ...pages(root, 'docs'), ...pages(root, 'docs/decisions')].flatMap(file => {
    const path = join(root, file)
    return existsSync(path) ? cut(file, readFileSync(path, 'utf8')) : []
  })
}

/** The Markdown files of a folder, in the order of their names. */
function pages(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return []
  const names = readdirSync(join(root, folder)).filter(name => name.endsWith('.md'))
  return names.sort().map(name => join(folder, name))
}

/** Cuts Markdown at its headings, but not at what looks like one in a block of code, and what is between them into passages. */
export function cut(file: string, markdown: string): readonly Passage[] {
  const passages: Passage[] = []
  const path: string[] = []
  let lines: string[] = []
  let fenced = false
  const finish = () => {
    const title = path.filter(Boolean).join(' > ') || file
    passages.push(...packed(blocksOf(lines.join('\n'))).map(text => ({ title, file, text })))
    lines = []
  }
  for (const line of markdown.split('\n')) {
    if (FENCE.test(line)) fenced = !fenced
    const heading = fenced ? null : /^(#{1,6}) +(.+)/.exec(line)
    if (!heading) {
      lines.push(line)
      continue
    }
    finish()
    const [, marks = '', title = ''] = heading
    path.splice(marks.length - 1)
    path[marks.length - 1] = plain(title)
  }
  finish()
  return passages
}

const FENCE = /^\s*(?:```|~~~)/

/** Paragraphs, entries of lists and rows of tables. */
const blocksOf = (markdown: string): readonly string[] =>
  markdown
    .split(/\n\s*\n|\n(?=\s*[-*|] ?)/)
    .map(plain)
    .filter(Boolean)

/** Packs consecutive blocks into texts that fit; a longer block stays whole. */
function packed(blocks: readonly string[]): readonly string[] {
  const texts: string[] = []
  for (const block of blocks) {
    const last = texts.at(-1)
    if (last === undefined || last.length + block.length >= PASSAGE_MAX) texts.push(block)
    else texts[texts.length - 1] = `${last}\n${block}`
  }
  return texts
}

/** Markdown without its marks, lines as they are. */
const plain = (markdown: string): string =>
  markdown
    .split('\n')
    .filter(line => !FENCE.test(line) && !/^[|\s:-]*$/.test(line))
    .join('\n')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*|`/g, '')
    .replace(/(?<=\S)[^\S\n]+/g, ' ')
    .trim()
