import { lastPart, ownPart, type SharedPart, sharedPart } from '../../policy/decision-line.ts'
import type { DecisionRecord } from '../../policy/record.ts'

/**
 * The line of a decision, with its newline: JSON in ASCII, which takes half as long to read as other texts. The same
 * record always makes the same bytes.
 */
export function lineOf(record: DecisionRecord): string {
  const own = JSON.stringify(ownPart(record)).slice(0, -1)
  const shared = sharedText(sharedPart(record))
  const last = JSON.stringify(lastPart(record)).slice(1)
  return inAscii(`${own},${shared}${last === '}' ? '' : ','}${last}\n`)
}

/** Members of the line. */
function sharedText({ revision, caller, terms, health, signals, ...outcome }: SharedPart): string {
  const before = JSON.stringify({ revision, caller, terms, health }).slice(1, -1)
  return `${before},"signals":${signalsText(signals)},${JSON.stringify(outcome).slice(1, -1)}`
}

/** Names are as many as the files look for, and as long: each is written once. */
function signalsText(signals: Readonly<Record<string, boolean>>): string {
  let text = ''
  for (const name in signals) text += `${text === '' ? '' : ','}${nameText(name)}:${signals[name]}`
  return `{${text}}`
}

/** Other files have other names. */
const MOST_NAMES = 10_000
const names = new Map<string, string>()

function nameText(name: string): string {
  const known = names.get(name)
  if (known !== undefined) return known
  if (names.size >= MOST_NAMES) names.clear()
  const text = inAscii(JSON.stringify(name))
  names.set(name, text)
  return text
}

const inAscii = (json: string): string => (/[^ -~\n]/.test(json) ? json.replace(/[^ -~\n]/g, escaped) : json)

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
