import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, textOf } from '../deploy/files.ts'

/** A fenced block of a page of docs/. */
export interface Block {
  /** The line of its first text line, from 1. */
  readonly line: number
  /** `sh`, `yaml`, `text`; empty if the fence has none. */
  readonly language: string
  /** The words after the language, such as `exit=1`. */
  readonly note: string
  readonly text: string
}

/** The pages for users, by their paths in the repository. Decisions and the generated help of svcctl are not among them. */
export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md') && !name.startsWith('decisions') && name !== 'svcctl.md')
    .map(name => `docs/${name}`),
]

/** The fenced blocks of a page, in order, also those within lists. The page is named by its path in the repository. */
export const blocksOf = (page: string): readonly Block[] => blocksIn(textOf(page))

/** The fenced blocks of a text, without the indent of their fences. */
export function blocksIn(text: string): readonly Block[] {
  const blocks: Block[] = []
  let open:
    | { readonly line: number; readonly indent: string; readonly info: string; readonly lines: string[] }
    | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent = '', info] = /^(\s*)```(.*)$/.exec(line) ?? []
    if (info === undefined) open?.lines.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line)
    else if (!open) open = { line: index + 2, indent, info: info.trim(), lines: [] }
    else {
      const [language = '', ...note] = open.info.split(' ')
      blocks.push({ line: open.line, language, note: note.join(' '), text: open.lines.join('\n') })
      open = undefined
    }
  }
  return blocks
}

/** The test that runs the block, if the block names one: `run=FILE`, or `run=FILE#TITLE` for one test of the file. */
export const elsewhereOf = ({ note }: Pick<Block, 'note'>): string | undefined => /^run=(.+)$/.exec(note)?.[1]

/** Why the test that a block names does not run it: there is no such test, or it does not look the block up in the page. */
export function faultOfElsewhere({ note, text }: Pick<Block, 'note' | 'text'>, page: string): string | undefined {
  const elsewhere = elsewhereOf({ note })
  if (elsewhere === undefined) return undefined
  const [file = '', title] = elsewhere.split(/#(.*)/)
  if (!file.endsWith('.test.ts') || !existsSync(join(ROOT, file))) return `${file} is no file of tests`
  const source = textOf(file)
  if (!source.includes('blocksOf(') || !source.includes(`'${page}'`)) return `${file} takes no block from ${page}`
  const strings = Array.from(source.matchAll(/'([^'\n]{6,})'/g), ([, string = '']) => string)
  if (!strings.some(string => text.includes(string))) return `${file} looks for no words of the block`
  return title === undefined || ["'", '`', '"'].some(quote => source.includes(`${quote}${title}${quote}`))
    ? undefined
    : `${file} has no test \`${title}\``
}
