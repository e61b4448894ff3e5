const LF = 0x0a
const CR = 0x0d
const BOM = '\uFEFF'
/** Lines that mean something, and comments. */
const FIELD = /^(?:(?:event|data|id|retry)(?::|$)|:)/
/** The most bytes of an event, and of a line: a picture that a model made comes in one. */
export const MAX_EVENT_BYTES = 16_777_216
/** Why an answer with a longer one is given up. */
export const EVENT_TOO_LONG = 'event over 16 MiB'
/** Stands in translated streams in place of such an event: it is no JSON, as every reader finds. */
export const OVERLONG = 'too long'

/** Room that is kept from one line to the next. */
const ROOM_KEPT = 4096
const NO_BYTES = Buffer.alloc(0)

/** Splits server-sent events, wherever the bytes were cut: CR, LF and CRLF, comments, data over several lines. */
export class SseSplitter {
  /** Room for a line that is not over yet: a copy, since a few bytes must not keep all that they came with. */
  #line = NO_BYTES
  #lineBytes = 0
  #data: string[] = []
  #dataBytes = 0
  /** The last line ended in CR: a line feed that follows belongs to it. */
  #skipLf = false
  #first = true
  #tooLong = false
  readonly #most: number
  /** Lines that are no field of an event, and have JSON in them: what was an event before something broke it. */
  strayLines = 0

  /** `most`: the bytes that an event may have. */
  constructor(most = MAX_EVENT_BYTES) {
    this.#most = most
  }

  /** Bytes that are kept of an event that is not complete. */
  get held(): number {
    return this.#lineBytes + this.#dataBytes
  }

  /** Whether there was an event with more bytes than one may have. Nothing is read from it on. */
  get tooLong(): boolean {
    return this.#tooLong
  }

  /** Whether nothing is kept for the bytes to come: they begin a line of the next event. */
  get rests(): boolean {
    return this.#lineBytes === 0 && this.#data.length === 0 && !this.#skipLf && !this.#first && !this.#tooLong
  }

  /** The data of each event that these bytes completed. */
  push(bytes: Buffer): string[] {
    const events: string[] = []
    if (bytes.length === 0) return events
    let start = this.#skipLf && bytes[0] === LF ? 1 : 0
    this.#skipLf = false
    for (let end = lineEnd(bytes, start); end < bytes.length; end = lineEnd(bytes, start)) {
      if (!this.#fits(end - start)) return events
      this.#endLine(bytes, start, end, events)
      start = end + 1
      if (bytes[end] === CR && start === bytes.length) this.#skipLf = true
      else if (bytes[end] === CR && bytes[start] === LF) start++
    }
    if (start < bytes.length && this.#fits(bytes.length - start)) this.#keep(bytes, start, bytes.length)
    return events
  }

  /** The data of an event that lacks only its closing blank line. */
  end(): string[] {
    const events: string[] = []
    if (this.#lineBytes > 0) this.#endLine(NO_BYTES, 0, 0, events)
    this.#read('', 0, events)
    return events
  }

  /** Whether the present line and its event may have so many bytes more. */
  #fits(bytes: number): boolean {
    this.#tooLong ||= this.#lineBytes + bytes + this.#dataBytes > this.#most
    return !this.#tooLong
  }

  #keep(bytes: Buffer, start: number, end: number): void {
    const length = this.#lineBytes + end - start
    if (length > this.#line.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#line.length))
      this.#line.copy(larger, 0, 0, this.#lineBytes)
      this.#line = larger
    }
    bytes.copy(this.#line, this.#lineBytes, start, end)
    this.#lineBytes = length
  }

  #endLine(bytes: Buffer, start: number, end: number, events: string[]): void {
    if (this.#lineBytes === 0) {
      this.#read(bytes.toString('utf8', start, end), end - start, events)
      return
    }
    this.#keep(bytes, start, end)
    this.#read(this.#line.toString('utf8', 0, this.#lineBytes), this.#lineBytes, events)
    this.#lineBytes = 0
    if (this.#line.length > ROOM_KEPT) this.#line = NO_BYTES
  }

  #read(text: string, bytes: number, events: string[]): void {
    const line = this.#first && text.startsWith(BOM) ? text.slice(1) : text
    this.#first = false
    if (line === '') {
      if (this.#data.length > 0) events.push(this.#data.join('\n'))
      this.#data = []
      this.#dataBytes = 0
    } else if (line === 'data' || line.startsWith('data:')) {
      this.#data.push(line.slice(line[5] === ' ' ? 6 : 5))
      this.#dataBytes += bytes
    } else if (!FIELD.test(line) && line.includes('{')) this.strayLines++
  }
}

/** The index of the first line ending at or after `from`, or the length. */
function lineEnd(input: Buffer, from: number): number {
  for (let i = from; i < input.length; i++) if (input[i] === LF || input[i] === CR) return i
  return input.length
}

/** Whether an event says nothing: some backends send a `null` between chunks. */
export const isVoid = (data: string): boolean => data === '' || data === 'null'

/** One event as it goes to a client. */
export const sseEvent = (data: string): string =>
  data.includes('\n') ? `data: ${data.replaceAll('\n', '\ndata: ')}\n\n` : `data: ${data}\n\n`

/** One event with its name, as Responses and Messages have them. */
export const namedEvent = (name: string, data: string): string =>
  `event: ${name.replaceAll(/[\r\n]/g, '')}\n${sseEvent(data)}`

export const sseDone = sseEvent('[DONE]')

/** An error after the first byte, in the form that every SDK shows its user. It is the last event: no marker follows. */
export const errorEvent = (message: string, type: string, code: string): string =>
  sseEvent(JSON.stringify({ error: { message, type, code } }))
