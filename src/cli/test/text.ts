import { counted } from '../../config/format/problem-text.ts'
import type { Place } from '../../policy/config.ts'
import { painter } from '../../server/log/terminal-text.ts'
import type { Mismatch } from '../../simulate/expectations.ts'
import type { Coverage, FileResults, Result, Run } from '../../simulate/run-tests.ts'
import { shownStep } from '../../simulate/shown.ts'
import { jsonText } from '../../wire/printable.ts'
import { foldedText, terminalWidth, widthOf, wrapped } from '../kit/table.ts'

type Paint = ReturnType<typeof painter>

/** Where the counts stand. */
const COUNT_COLUMN = 66
/** Where names begin: after two blanks, a sign and a blank. */
const NAME_COLUMN = 4

/** How a run is printed. */
export interface Look {
  readonly withCoverage: boolean
  readonly colour: boolean
  /** Whether the command named the files: `explain` finds only cases of files that it finds by itself. */
  readonly named: boolean
}

/** A run as people read it. Its last line is `34 passed, 1 failed`. */
export function text({ files, coverage }: Run, { withCoverage, colour, named }: Look): string {
  const paint = painter(colour)
  const blocks = files.filter(({ results }) => results.length > 0).map(each => fileText(each, named, paint))
  const covered = withCoverage ? [coverage.map(each => foldedText(coverageText(each), 2)).join('\n')] : []
  return `${[...blocks, ...covered, lastLine(files)].join('\n\n')}\n`
}

const isPassed = ({ mismatches }: Result): boolean => mismatches.length === 0

function lastLine(files: readonly FileResults[]): string {
  const { passed, failed } = countsOf(files)
  return `${passed} passed, ${failed} failed`
}

export interface Counts {
  readonly passed: number
  readonly failed: number
}

export function countsOf(files: readonly FileResults[]): Counts {
  const results = files.flatMap(({ results }) => results)
  const passed = results.filter(isPassed).length
  return { passed, failed: results.length - passed }
}

function fileText({ file, results }: FileResults, named: boolean, paint: Paint): string {
  const cells = results.filter(({ kind }) => kind === 'cell')
  const good = cells.filter(isPassed).length
  const matrix = good > 0 ? [line('matrix', counted(good, 'cell'), paint)] : []
  const shown = results.filter(each => each.kind !== 'cell' || !isPassed(each))
  return [file, ...matrix, ...shown.map(each => resultText(each, named, paint))].join('\n')
}

function resultText(result: Result, named: boolean, paint: Paint): string {
  const { name, looked } = result
  if (isPassed(result)) return line(name, looked === undefined ? '' : counted(looked, 'combination'), paint)
  return [
    foldedName(paint('red', '✗'), name),
    ...details(result, named).map(detail => foldedText(`        ${detail}`, 8)),
  ].join('\n')
}

function line(name: string, count: string, paint: Paint): string {
  const head = foldedName(paint('green', '✓'), name)
  if (count === '') return head
  const column = Math.min(COUNT_COLUMN, terminalWidth() - count.length)
  const blanks = column - widthOf(name) - NAME_COLUMN
  const isBeside = blanks >= 2 || terminalWidth() === Number.POSITIVE_INFINITY
  const gap = isBeside ? ' '.repeat(Math.max(2, blanks)) : `\n${' '.repeat(column)}`
  return `${head}${gap}${paint('dim', count)}`
}

/** A sign and a name, which goes on below where it begins. */
const foldedName = (sign: string, name: string): string =>
  `  ${sign} ${wrapped(name, terminalWidth() - NAME_COLUMN).join(`\n${' '.repeat(NAME_COLUMN)}`)}`

function details({ kind, name, at, mismatches, decided }: Result, named: boolean): readonly string[] {
  const compared = mismatches.flatMap(mismatch => (kind === 'invariant' ? broken(mismatch) : different(mismatch)))
  const place = decided?.at ? `, ${placeText(decided.at)}` : ''
  const by = decided ? [`decided by stage ${decided.stage}${place} (${decided.text})`] : []
  const more = kind === 'invariant' || named ? [] : [`svcctl explain --case '${name.replaceAll("'", "'\\''")}'`]
  return [...compared, ...by, `expected in ${placeText(at)}`, ...more]
}

const different = ({ path, expected, got }: Mismatch): readonly string[] => [
  `expect  ${path}: ${shown(expected)}`,
  `got     ${path}: ${shown(got)}`,
]

const broken = ({ path, got }: Mismatch): readonly string[] => [path, `${shown(got)}`]

const shown = (value: unknown): string =>
  value === undefined ? 'absent' : typeof value === 'string' ? value : JSON.stringify(value)

const placeText = ({ file, line }: Place): string => `${file}:${line}`

function coverageText({ of, declared, missed }: Coverage): string {
  const count = `${declared - missed.length} of ${declared} ${of} exercised`
  const places = missed.map(({ name, at }) => `${name} (${placeText(at)})`)
  return missed.length === 0 ? count : `${count}; never: ${places.join(', ')}`
}

/** A run as programs read it. */
export function json({ files, coverage }: Run, withCoverage: boolean): string {
  const told = {
    ...countsOf(files),
    tests: files.flatMap(({ file, results }) => results.map(result => resultRecord(file, result))),
    ...(withCoverage && { coverage: coverage.map(coverageRecord) }),
  }
  return `${jsonText(told, 2)}\n`
}

function resultRecord(file: string, { kind, name, at, mismatches, decided, looked }: Result): object {
  return {
    ...{ file, line: at.line, kind, name, passed: mismatches.length === 0 },
    ...(looked !== undefined && { combinations: looked }),
    ...(mismatches.length > 0 && {
      failures: mismatches.map(({ path, expected, got }) => ({ path, expected, got: got ?? null })),
    }),
    ...(decided && { decided_by: shownStep(decided) }),
  }
}

const coverageRecord = ({ of, declared, missed }: Coverage): object => ({
  ...{ of, declared },
  missed: missed.map(({ name, at: { file, line } }) => ({ name, file, line })),
})
