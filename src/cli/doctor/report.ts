import { counted } from '../../config/format/problem-text.ts'
import { passwordOf } from '../../config/model/store-address.ts'
import { Secret, type Settings } from '../../config/settings.ts'
import type { Finding, State } from '../../gateway/doctor/finding.ts'
import type { Place } from '../../policy/config.ts'
import { painter } from '../../server/log/terminal-text.ts'
import { oneLine } from '../../wire/printable.ts'
import { terminalWidth, wrapped } from '../kit/table.ts'

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
    return [...shown, ...below.map(line => ' '.repeat(HINT_INDENT) + line)]
  })
  return `${lines.join('\n')}\n\n${sum(findings, 'problem')}, ${sum(findings, 'warning')}\n`
}

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

/**
 * As programs read them: a list. `hint` is null where there is none; `replicas` of a pool counts the replicas without a
 * problem.
 */
export function findingsJson(findings: readonly Finding[]): string {
  const records = findings.map(({ check, subject, state, text, hint, replicas }) => {
    return { check, subject, state, text, hint: hint ?? null, ...(replicas && { replicas }) }
  })
  return `${JSON.stringify(records, null, 2)}\n`
}

/** Shorter ones are common words. */
const LEAST = 6

/** A finding on one line and without secrets, which a backend or a store may have repeated in its error. */
export function redacted(finding: Finding, settings: Settings): Finding {
  const secrets = secretsOf(settings)
  const clean = (text: string) => oneLine(secrets.reduce((said, secret) => said.replaceAll(secret, '[redacted]'), text))
  const { subject, text, hint } = finding
  return { ...finding, subject: clean(subject), text: clean(text), ...(hint && { hint: clean(hint) }) }
}

/** Longest first: one may be a part of another. */
function secretsOf({ backends, tools, guests, store, ledger }: Settings): readonly string[] {
  const keys = [...backends.values(), ...tools.values()].flatMap(each => ('key' in each && each.key ? [each.key] : []))
  const secrets = [...keys, ...(guests?.secrets ?? [])].map(secret => secret.reveal())
  const ofStore =
    store.kind === 'redis' ? [...passwordsOf(store.url.reveal()), store.sentinelPassword?.reveal() ?? ''] : []
  const { archive } = ledger
  const ofArchive = Object.values(archive ?? {}).flatMap(each => (each instanceof Secret ? [each.reveal()] : []))
  const all = [...secrets, ...ofStore, ...ofArchive]
  return [...new Set(all)].filter(({ length }) => length >= LEAST).sort((a, b) => b.length - a.length)
}

/** As written in a URL, and decoded. */
function passwordsOf(url: string): readonly string[] {
  const password = passwordOf(url)
  return [password, decodeURIComponent(password)]
}

/** Where the key at a place of the files comes from, by their texts: `CLOUD_KEY`, `the file secrets/cloud`. Never the key. */
export function keySource(at: Place | undefined, sources: ReadonlyMap<string, string>): string | undefined {
  if (!at) return undefined
  const line =
    sources
      .get(at.file)
      ?.split(/\r?\n/)
      [at.line - 1]?.slice(at.column - 1) ?? ''
  const written = line.replace(/^["']?key["']?\s*:\s*/, '')
  const variable = /^["']?\$\{(\w+)/.exec(written)?.[1]
  if (variable !== undefined) return variable
  const file = /^["']?file:([^"'\s,}]+)/.exec(written)?.[1]
  return file === undefined ? undefined : `the key in ${file}`
}

/** The system's code of an error, such as `ECONNREFUSED`; the first one where several attempts failed. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
