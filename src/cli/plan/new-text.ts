import { workflowNotice } from '../../config/format/problem-text.ts'
import { jsonText, oneLine } from '../../wire/printable.ts'
import { foldedText } from '../kit/table.ts'
import { codeSpan, comment, short } from './markdown-comment.ts'
import type { NoBase } from './sides.ts'

// The text of a plan that has nothing to compare with, as of the first change of a repository.

const sentence = ({ name, lacks }: NoBase, declared: string): string =>
  `everything is new, since ${oneLine(name)} has no file ${oneLine(lacks)}: ${declared}`

export const newText = (base: NoBase, declared: string): string => `${foldedText(sentence(base, declared))}\n`

export const newGithub = (base: NoBase, declared: string): string =>
  `${workflowNotice('svcctl plan', sentence(base, declared))}\n`

export const newMarkdown = ({ name, lacks }: NoBase, declared: string): string => {
  const [base, file] = [name, lacks].map(text => codeSpan(short(oneLine(text))))
  return comment([`**Everything is new**, since ${base} has no file ${file}: ${declared}`])
}

/** `missing` is the file that the base lacks; there is nothing that changes. */
export const newJson = ({ name, lacks }: NoBase): string =>
  `${jsonText({ against: name, missing: lacks, changes: [], touches: { accounts: null, requests: null }, upgrade: null }, 2)}\n`
