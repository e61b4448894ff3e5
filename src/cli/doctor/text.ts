import { counted } from '../../config/format/code-frame.ts'
import type { Finding, State } from '../../gateway/doctor/finding.ts'
import { painter } from '../../server/paint.ts'
import { terminalWidth } from '../table.ts'
import { wrapped } from '../width.ts'

const SIGNS = { ok: '✓', warning: '▲', problem: '✗' } as const
const TONES = { ok: 'green', warning: 'warn', problem: 'red' } as const
/** Checks of several things, which the line names. */
const NAMED: ReadonlySet<string> = new Set(['pools', 'tools'])
const CHECK_WIDTH = 11
/** Where texts begin: after two blanks, a sign and a blank. */
const TEXT_COLUMN = CHECK_WIDTH + 4
const HINT_INDENT = TEXT_COLUMN + 2
/** Texts are not squeezed into less. */
const LEAST_TEXT = 32

/** As people read them: a line each, what to do beneath, and a sum. */
export function findingsText(findings: readonly Finding[], colour: boolean): string {
  const paint = painter(colour)
  const lines = findings.flatMap(finding => {
    const { check, state, text, hint } = finding
    const subject = NAMED.has(check) ? `${subjectText(finding).padEnd(widthOf(findings, check))}  ` : ''
    const head = `  ${paint(TONES[state], SIGNS[state])} ${check.padEnd(CHECK_WIDTH)}${subject}`
    const shown = beside(head, TEXT_COLUMN + subject.length, text)
    if (state === 'ok' || !hint) return shown
    const below = wrapped(hint, terminalWidth() - HINT_INDENT)
    return [...shown, ...below.map(line => ' '.repeat(HINT_INDENT) + paint('dim', line))]
  })
  return `${lines.join('\n')}\n\n${sum(findings, 'problem')}, ${sum(findings, 'warning')}\n`
}

/** A text beside its head, or below it where the terminal leaves it too little room. */
function beside(head: string, column: number, text: string): readonly string[] {
  const isBelow = terminalWidth() - column < LEAST_TEXT && column + text.length > terminalWidth()
  const indent = isBelow ? HINT_INDENT : column
  const [first = '', ...more] = wrapped(text, terminalWidth() - indent)
  const rest = more.map(line => ' '.repeat(indent) + line)
  return isBelow ? [head.trimEnd(), ' '.repeat(indent) + first, ...rest] : [head + first, ...rest]
}

/** `onprem-core 2/2` */
const subjectText = ({ subject, replicas }: Finding): string =>
  replicas ? `${subject} ${replicas.fit}/${replicas.of}` : subject

const widthOf = (findings: readonly Finding[], check: string): number =>
  Math.max(...findings.filter(each => each.check === check).map(each => subjectText(each).length))

const sum = (findings: readonly Finding[], state: State): string =>
  counted(findings.filter(each => each.state === state).length, state)

/** As programs read them: a list. `hint` is null where there is none; of a pool, `replicas` counts those without a problem. */
export function findingsJson(findings: readonly Finding[]): string {
  const records = findings.map(({ check, subject, state, text, hint, replicas }) => {
    return { check, subject, state, text, hint: hint ?? null, ...(replicas && { replicas }) }
  })
  return `${JSON.stringify(records, null, 2)}\n`
}
