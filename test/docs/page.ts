import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, textOf } from '../deploy/files.ts'

/** A fenced block of a page of docs/. */
export interface Block {
  /** Of the first line of its text, from 1. */
  readonly line: number
  /** `sh`, `yaml`, `text`; empty where none is said. */
  readonly language: string
  /** What stands after the language, such as `exit=1`. */
  readonly note: string
  readonly text: string
}

/** The pages that people read, by their paths in the repository: all but the decisions, and the help of svcctl, which is generated. */
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

/** The test that runs a block which says `run=FILE#TITLE`, since a reader of tests cannot: `FILE#TITLE`, or nothing where the block does not. */
export const elsewhereOf = ({ note }: Block): string | undefined => /^run=(.+)$/.exec(note)?.[1]

/** What is wrong with the test that a block of a page names: nothing, where the file has a test of that title, and takes blocks from the page. */
export function faultOfElsewhere(elsewhere: string, page: string): string | undefined {
  const [file = '', title = ''] = elsewhere.split(/#(.*)/)
  if (!file.endsWith('.test.ts') || !existsSync(join(ROOT, file))) return `${file} is no file of tests`
  const text = textOf(file)
  if (!text.includes('blocksOf(') || !text.includes(`'${page}'`)) return `${file} takes no block from ${page}`
  return title && ["'", '`', '"'].some(quote => text.includes(`${quote}${title}${quote}`))
    ? undefined
    : `${file} has no test \`${title}\``
}
