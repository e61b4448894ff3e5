const LF = 0x0a
const CR = 0x0d
const BOM = '\uFEFF'
/** A longer event is none of this format. */
const MAX_EVENT_BYTES = 1_048_576

/** The bytes are not server-sent events that we would relay. */
export class SseError extends Error {
  override readonly name = 'SseError'
}

/** Splits server-sent events, wherever the bytes were cut: CR, LF and CRLF, comments, data over several lines. */
export class SseSplitter {
  #rest: Buffer = Buffer.alloc(0)
  #data: string[] = []
  #size = 0
  /** The last line ended in CR: a line feed that follows belongs to it. */
  #skipLf = false
  #first = true

  /** The data of each event that these bytes completed. Throws SseError on an event over 1 MiB. */
  push(bytes: Buffer): string[] {
    const events: string[] = []
    if (bytes.length === 0) return events
    const fresh = this.#skipLf && bytes[0] === LF ? bytes.subarray(1) : bytes
    this.#skipLf = false
    const input = this.#rest.length === 0 ? fresh : Buffer.concat([this.#rest, fresh])
    let start = 0
    for (let end = lineEnd(input, this.#rest.length); end < input.length; end = lineEnd(input, start)) {
      this.#line(input.toString('utf8', start, end), events)
      start = end + 1
      if (input[end] === CR && start === input.length) this.#skipLf = true
      else if (input[end] === CR && input[start] === LF) start++
    }
    this.#rest = input.subarray(start)
    if (this.#rest.length + this.#size > MAX_EVENT_BYTES) throw new SseError('event over 1 MiB')
    return events
  }

  /** The data of an event that lacks only its closing blank line. */
  end(): string[] {
    const events: string[] = []
    if (this.#rest.length > 0) this.#line(this.#rest.toString('utf8'), events)
    this.#line('', events)
    this.#rest = Buffer.alloc(0)
    return events
  }

  #line(text: string, events: string[]): void {
    const line = this.#first && text.startsWith(BOM) ? text.slice(1) : text
    this.#first = false
    if (line === '') {
      if (this.#data.length > 0) events.push(this.#data.join('\n'))
      this.#data = []
      this.#size = 0
    } else if (line.startsWith('data:')) {
      this.#data.push(line.slice(line[5] === ' ' ? 6 : 5))
      this.#size += line.length
    } else if (line === 'data') this.#data.push('')
  }
}

/** The index of the first line ending at or after `from`, or the length. */
function lineEnd(input: Buffer, from: number): number {
  for (let i = from; i < input.length; i++) if (input[i] === LF || input[i] === CR) return i
  return input.length
}

/** One event as it goes to a client. */
export const sseEvent = (data: string): string =>
  data.includes('\n') ? `data: ${data.replaceAll('\n', '\ndata: ')}\n\n` : `data: ${data}\n\n`

export const sseDone = sseEvent('[DONE]')

/** An error after the first byte, in the form that every SDK shows its user. It is the last event: no marker follows. */
export const errorEvent = (message: string, type: string, code: string): string =>
  sseEvent(JSON.stringify({ error: { message, type, code } }))
