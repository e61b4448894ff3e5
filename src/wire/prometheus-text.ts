import { Buffer } from 'node:buffer'

/** One sample of a metric. Labels keep the escapes of the text. */
export interface Sample {
  readonly name: string
  readonly labels: ReadonlyMap<string, string>
  /** May be NaN or infinite, as the format allows. */
  readonly value: number
}

/** A line of the text that has a wanted name and is no sample. */
export class MalformedSample extends Error {}

/** Lines of more bytes are skipped: a sample of a wanted metric is far shorter. */
const MOST_LINE_BYTES = 16_384

const NEWLINE = 10

/**
 * Reads the samples of some metrics from Prometheus's text format, piece by piece. Lines of other metrics are skipped
 * unparsed, so that a page with thousands of histogram buckets costs little. Throws MalformedSample at a line that begins
 * with a wanted name and cannot be read.
 */
export class PrometheusText {
  readonly #wanted: ReadonlySet<string>
  /** Bytes of the wanted names: most lines are skipped by them, without becoming a text. */
  readonly #names: readonly Buffer[]
  readonly #sample: (sample: Sample) => void
  /** The part of a line that came so far. */
  #part: Buffer[] = []
  #partBytes = 0
  #isSkipped = false

  constructor(wanted: ReadonlySet<string>, sample: (sample: Sample) => void) {
    this.#wanted = wanted
    this.#names = [...wanted].map(name => Buffer.from(name))
    this.#sample = sample
  }

  read(bytes: Buffer): void {
    let from = 0
    for (;;) {
      const end = bytes.indexOf(NEWLINE, from)
      if (end < 0) break
      if (this.#partBytes > 0 || this.#names.some(name => beginsAt(bytes, from, name))) {
        this.#add(bytes.subarray(from, end))
        this.#endLine()
      }
      from = end + 1
    }
    this.#add(bytes.subarray(from))
  }

  /** The text is over; its last line needs no line break. */
  end(): void {
    this.#endLine()
  }

  #add(piece: Buffer): void {
    if (piece.length === 0 || this.#isSkipped) return
    this.#partBytes += piece.length
    if (this.#partBytes > MOST_LINE_BYTES) {
      this.#isSkipped = true
      this.#part = []
    } else this.#part.push(piece)
  }

  #endLine(): void {
    const line = this.#isSkipped || this.#partBytes === 0 ? '' : textOf(this.#part)
    this.#part = []
    this.#partBytes = 0
    this.#isSkipped = false
    const name = NAME.exec(line)?.[0]
    if (name !== undefined && this.#wanted.has(name)) this.#sample(readSample(name, line))
  }
}

function beginsAt(bytes: Buffer, from: number, name: Buffer): boolean {
  for (let at = 0; at < name.length; at++) if (bytes[from + at] !== name[at]) return false
  return true
}

const textOf = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString('utf8').replace(/\r$/, '')

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/
const LABEL = /[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"((?:[^"\\]|\\.)*)"[ \t]*(,|(?=\}))/y
const END_OF_LABELS = /[ \t]*\}/y
/** The value, a time stamp in milliseconds or seconds, and what OpenMetrics puts behind it. */
const VALUE = /^[ \t]+([^ \t]+)(?:[ \t]+-?[0-9.]+)?[ \t]*(?:#.*)?$/
const NUMBER = /^[+-]?(?:[0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?|Inf|NaN)$/

function readSample(name: string, line: string): Sample {
  const { labels, end } = readLabels(line, name.length)
  const written = VALUE.exec(line.slice(end))?.[1]
  if (written === undefined || !NUMBER.test(written)) throw new MalformedSample(`${name} has no readable value`)
  return { name, labels, value: numberOf(written) }
}

function readLabels(line: string, from: number): { readonly labels: Sample['labels']; readonly end: number } {
  const labels = new Map<string, string>()
  if (line[from] !== '{') return { labels, end: from }
  let at = from + 1
  for (;;) {
    END_OF_LABELS.lastIndex = at
    if (END_OF_LABELS.test(line)) return { labels, end: END_OF_LABELS.lastIndex }
    LABEL.lastIndex = at
    const found = LABEL.exec(line)
    if (!found) throw new MalformedSample(`${line.slice(0, from)} has labels that cannot be read`)
    labels.set(found[1] ?? '', found[2] ?? '')
    at = LABEL.lastIndex
  }
}

const numberOf = (written: string): number =>
  written.endsWith('Inf') ? Number(`${written.startsWith('-') ? '-' : ''}Infinity`) : Number(written)
