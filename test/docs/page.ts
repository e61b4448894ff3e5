import { textOf } from '../deploy/files.ts'

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

/** The fenced blocks of a page, in order. The page is named by its path in the repository. */
export function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = []
  let open: { readonly line: number; readonly info: string; readonly lines: string[] } | undefined
  for (const [index, line] of textOf(page).split('\n').entries()) {
    if (!line.startsWith('```')) open?.lines.push(line)
    else if (!open) open = { line: index + 2, info: line.slice(3).trim(), lines: [] }
    else {
      const [language = '', ...note] = open.info.split(' ')
      blocks.push({ line: open.line, language, note: note.join(' '), text: open.lines.join('\n') })
      open = undefined
    }
  }
  return blocks
}
