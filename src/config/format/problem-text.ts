import type { Place } from '../../policy/config.ts'
import { counted } from '../../policy/counted.ts'
import { withoutUser } from '../model/formats.ts'
import { secretFields } from '../model/schema.ts'
import type { Problem } from '../problem.ts'

/** The texts of the files that Problems point into. */
export type Sources = ReadonlyMap<string, string>

/** The texts of files, line by line. */
type Lines = ReadonlyMap<string, readonly string[]>

/** Where the rule id begins, so that the ids of several Problems stand below each other. */
const RULE_COLUMN = 78
/** As much of a long line as is shown. */
const MOST_SHOWN = 120
/** The width of the line number before it. */
const MARGIN = 7

/** The screen that shows the problems: whether it has colours, and how many columns. */
export interface Look {
  readonly colour: boolean
  readonly width: number
}

const PLAIN: Look = { colour: false, width: Number.POSITIVE_INFINITY }

/** Problems as operators read them: code frames and a closing line. */
export function renderText(problems: readonly Problem[], sources: Sources, look: Look = PLAIN): string {
  // Each text is split once, however many problems are in it.
  const lines = new Map([...sources].map(([file, text]) => [file, text.split(/\r?\n/)]))
  const frames = problems.map(problem => `${frame(problem, lines, look)}\n`)
  return [...frames, `${summary(problems, Math.max(1, sources.size))}\n`].join('\n')
}

/** A Problem as an operator reads it: what and where, the line, a caret and what to do. */
function frame(problem: Problem, sources: Lines, { colour, width }: Look): string {
  const { file, line, column, rule, severity, message } = problem
  const paint = painter(colour)
  const sign = severity === 'error' ? '✗' : '▲'
  const title = folded(`${sign} ${file}:${line}:${column}  ${clean(message)}`, width).join('\n  ')
  const tone = severity === 'error' ? RED : WARN
  // On a narrow terminal the column moves to the left, and stands on a line of its own where the title reaches it.
  const ruleAt = Math.min(RULE_COLUMN, width - rule.length)
  const blanks = ruleAt - title.length
  const gap =
    blanks >= 2 || width >= title.length + 2 + rule.length ? ' '.repeat(Math.max(2, blanks)) : `\n${' '.repeat(MARGIN)}`
  const head = `${paint(tone, title)}${gap}${paint(DIM, rule)}`
  return [head, ...excerpt(problem, sources, paint, tone, width - MARGIN)].join('\n')
}

/** `4 errors, 1 warning in 6 files` */
function summary(problems: readonly Problem[], files: number): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const warnings = problems.length - errors
  const found = [errors > 0 && counted(errors, 'error'), warnings > 0 && counted(warnings, 'warning')]
  return `${found.filter(Boolean).join(', ') || 'no problems'} in ${counted(files, 'file')}`
}

export { counted }

type Paint = (tone: string, text: string) => string

const RED = '31'
/** Magenta: yellow cannot be read on white. */
const WARN = '35'
const DIM = '2'

const painter =
  (colour: boolean): Paint =>
  (tone, text) =>
    colour ? `\u001b[${tone}m${text}\u001b[0m` : text

function excerpt(
  { file, line, column, length = 1, hint }: Problem,
  sources: Lines,
  paint: Paint,
  tone: string,
  room: number,
): readonly string[] {
  const hints = hint === undefined ? [] : [clean(hint)]
  const text = sources.get(file)?.[line - 1]
  // A file that could not be read has no line to show.
  if (text === undefined || text.trim() === '')
    return hints.flatMap(each => folded(each, room)).map(each => `     ${each}`)
  const most = Math.min(MOST_SHOWN, room)
  const number = String(line).padStart(4)
  const from = Math.max(0, column - 1 - Math.floor(most / 2))
  const shown = clean(masked(text)).slice(from, from + most)
  const caret = '^'.repeat(Math.max(1, Math.min(length, shown.length - (column - 1 - from))))
  const bar = paint(DIM, '     │')
  const below = `${bar} ${' '.repeat(column - 1 - from)}${paint(tone, caret)}`
  const isBeside = hints.every(each => column - from + caret.length + each.length <= room)
  return [
    `${paint(DIM, `${number} │`)} ${shown}`,
    ...(isBeside ? [[below, ...hints].join(' ')] : [below]),
    ...(isBeside ? [] : hints.flatMap(each => folded(each, room)).map(each => `${bar} ${each}`)),
  ]
}

/** A text in lines of so many characters, broken between words. */
function folded(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

const fields = [...secretFields, 'authorization', 'cookie'].join('|')
const reference = '["\']?(?:\\$\\{\\w+\\}|file:[^\\s,}]+?)["\']?\\s*(?:[,}#]|$)'
const SECRET = new RegExp(`(\\b(?:${fields})["']?\\s*:\\s*)(?!${reference})(\\S.*)$`)

/** A literal secret is a Problem. Printed into a log of CI, its frame would be a worse one. */
const masked = (text: string): string =>
  withoutUser(text).replace(SECRET, (_, before: string, secret: string) => before + '•'.repeat(secret.length))

/** Tabs and control characters would move the caret, or the terminal's. */
const clean = (text: string): string => text.replace(/\p{Cc}/gu, ' ')

/** `{problems: […]}`, for programs; `hint` is null where there is none. */
export function renderJson(problems: readonly Problem[]): string {
  const plain = problems.map(({ file, line, column, rule, severity, message, hint }) => {
    return { file, line, column, rule, severity, message, hint: hint ?? null }
  })
  return `${JSON.stringify({ problems: plain }, null, 2)}\n`
}

/** Workflow commands, which GitHub shows as annotations in the files of a pull request. */
export const renderGithub = (problems: readonly Problem[]): string =>
  problems.map(problem => `${annotation(problem)}\n`).join('')

function annotation({ rule, severity, message, hint, ...at }: Problem): string {
  return workflowCommand(severity, at, rule, hint === undefined ? message : `${message} (${hint})`)
}

/** One annotation, without the end of its line. */
export const workflowCommand = (
  level: 'error' | 'warning' | 'notice',
  { file, line, column }: Place,
  title: string,
  text: string,
): string => `::${level} file=${property(file)},line=${line},col=${column},title=${property(title)}::${data(text)}`

/** One that belongs to no line of a file. */
export const workflowNotice = (title: string, text: string): string =>
  `::notice title=${property(title)}::${data(text)}`

const data = (text: string): string => text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A')
const property = (text: string): string => data(text).replace(/:/g, '%3A').replace(/,/g, '%2C')
