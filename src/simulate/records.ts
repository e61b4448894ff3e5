import type { DecisionRecord } from '../policy/record.ts'
import { type DecisionLine, LINE_VERSION, type OwnPart, recordOfLine, type SharedPart } from '../wire/decision-line.ts'
import { isObject } from '../wire/json-safety.ts'

/** Reads a line of the decision log; undefined for any other line, such as one that a crash cut short. */
export function readRecord(line: string): DecisionRecord | undefined {
  const whole = parsed(line)
  return isLine(whole) ? recordOfLine(whole, whole, whole) : undefined
}

/** Where the parts of a line begin. No text of a client holds these: its quotes are escaped. */
const SHARED = '},"revision":"'
const LAST = '],"claims":{'
/** The ends of claims, and of a minute. */
const ENDS = ['}}}', ']]}'] as const
/** Requests differ in more than plans, models and what is found in them. */
const MOST_SHARED = 10_000

/** Reads many lines, of which the parts that they have in common are parsed once. Records are without claims and minute. */
export class RecordReader {
  readonly #shared = new Map<string, SharedPart>()

  /** Undefined where the line is no decision. */
  read(line: string): DecisionRecord | undefined {
    return this.#readParts(line) ?? readRecord(line)
  }

  #readParts(line: string): DecisionRecord | undefined {
    const from = line.indexOf(SHARED) + 1
    if (from === 0 || !line.endsWith('}')) return undefined
    const last = line.indexOf(LAST, from) + 1
    // Cut short.
    if (last > 0 && !ENDS.some(end => line.endsWith(end))) return undefined
    const own = parsed(`${line.slice(0, from)}}`)
    if (!isOwn(own)) return undefined
    const shared = this.#sharedOf(line.slice(from + 1, last > 0 ? last : -1))
    return shared && recordOfLine(own, shared)
  }

  #sharedOf(text: string): SharedPart | undefined {
    const known = this.#shared.get(text)
    if (known) return known
    const shared = parsed(`{${text}}`)
    if (!isShared(shared)) return undefined
    if (this.#shared.size >= MOST_SHARED) this.#shared.clear()
    this.#shared.set(copyOf(text), shared)
    return shared
  }
}

/** Shares no memory with the file that the text is a slice of. */
const copyOf = (text: string): string => String(JSON.parse(JSON.stringify(text)))

/** Undefined for a line that is not JSON, which the reader counts. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

// Enough to know whose line it is: gateways write no other lines of this version.

const isLine = (value: unknown): value is DecisionLine => isOwn(value) && isShared(value)

const isOwn = (value: unknown): value is OwnPart =>
  isObject(value) && value.v === LINE_VERSION && typeof value.id === 'string' && isObject(value.request)

function isShared(value: unknown): value is SharedPart {
  if (!isObject(value)) return false
  const { revision, terms, health, signals, plan } = value
  return (
    typeof revision === 'string' && typeof plan === 'string' && isObject(terms) && isObject(health) && isObject(signals)
  )
}
