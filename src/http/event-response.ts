import type { Socket } from 'node:net'
import type { LiveStream } from '../gateway/answer/live-stream.ts'
import type { EndedAnswer } from '../gateway/attempt/outcome.ts'
import type { Cancel, Clock } from '../gateway/ports.ts'
import type { Millis } from '../policy/config.ts'
import type { Bill } from '../records/ledger-row.ts'
import type { StreamError } from '../wire/client-dialect.ts'
import type { HttpCall } from './listener/call.ts'
import type { StreamForm } from './stream-form.ts'

/** Proxies and SDKs take a longer silence for a dead connection. */
const SILENCE_MAX: Millis = 15_000
/** Readers of event streams skip comments. */
const KEEP_ALIVE = ': keep-alive\n\n'

/** Texts that wait to be sent take more room than bytes, where that matters. */
const LARGE = 4096

/** A response of server-sent events: opened once, with a comment in every silence, ended once. */
export class EventResponse {
  readonly #call: HttpCall
  readonly #clock: Clock
  #wroteAt: Millis = 0
  /** Whether there was more than headers. */
  #wrote = false
  /** Fills a silence behind the first event. */
  ping = KEEP_ALIVE
  #cancel: Cancel = () => {}

  constructor(call: HttpCall, clock: Clock) {
    this.#call = call
    this.#clock = clock
  }

  get opened(): boolean {
    return this.#call.response.headersSent
  }

  /** Sends the headers, unless they are sent: with the first events, where those follow at once. */
  open(headers: Readonly<Record<string, string>>): void {
    if (this.opened || this.#call.gone) return
    const { response } = this.#call
    this.#call.writeHead(200, headers, streamHeaders)
    process.nextTick(() => {
      if (!this.#wrote) response.flushHeaders()
    })
    this.#wroteAt = this.#clock.elapsed()
    this.#watch(SILENCE_MAX)
    this.#call.onGone(() => this.#cancel())
  }

  /** Says something beside the events, which readers of event streams skip. */
  comment(text: string): void {
    const { response } = this.#call
    if (!response.writableEnded && !this.#call.gone) response.write(text)
  }

  /** False when the client reads slower than this: `onDrain` runs when it has caught up. */
  write(events: string, onDrain: () => void): boolean {
    const { response } = this.#call
    this.#wroteAt = this.#clock.elapsed()
    const takesMore = this.#wrote ? this.#send(events) : this.#sendFirst(events)
    this.#call.countUnread()
    if (takesMore) return true
    response.once('drain', onDrain)
    return false
  }

  /**
   * The headers by themselves, but with the same call to the system: node keeps them, and as long as they have only been
   * sent as a part of something else, it keeps them as the sixty pieces they were made of.
   */
  #sendFirst(events: string): boolean {
    const { response } = this.#call
    this.#wrote = true
    sendTogether(response.socket)
    response.flushHeaders()
    return this.#send(events)
  }

  /** As one text: of each chunk node would make four, and a list of them to send. */
  #send(events: string): boolean {
    const { response } = this.#call
    const bytes = Buffer.byteLength(events)
    const encoding = bytes === events.length ? 'latin1' : 'utf8'
    // A client of HTTP/1.0 knows no chunks.
    if (!response.chunkedEncoding) return response.write(events, encoding)
    const chunk = `${bytes.toString(16)}\r\n${events}\r\n`
    response.chunkedEncoding = false
    const takes = response.write(bytes > LARGE ? Buffer.from(chunk, encoding) : chunk, encoding)
    response.chunkedEncoding = true
    return takes
  }

  /** Holds the bytes of this tick of the loop for `end`, which is to follow, and is sent with it; or for a silence. */
  hold(): void {
    const { response } = this.#call
    // Else the connection may be another response's by now.
    if (!response.writableEnded) response.socket?.cork()
  }

  end(last: string): void {
    this.#wrote = true
    this.#cancel()
    this.#call.response.end(last)
    this.#call.countUnread()
  }

  /** Breaks the connection: what was sent must not look complete. */
  destroy(): void {
    this.#cancel()
    this.#call.response.destroy()
  }

  /** The time is looked at when it has passed, so that an event costs no timer. */
  #watch(time: Millis): void {
    this.#cancel = this.#clock.after(time, () => {
      // The server's one catch ends a response behind our back.
      if (this.#call.response.writableEnded) return
      const { response } = this.#call
      const left = SILENCE_MAX - (this.#clock.elapsed() - this.#wroteAt)
      if (left <= 0) {
        this.#wroteAt = this.#clock.elapsed()
        // Held bytes have waited long enough.
        response.socket?.uncork()
        // Who reads nothing is not to look alive by what we write.
        if (!response.writableNeedDrain) response.write(this.#wrote ? this.ping : KEEP_ALIVE)
      }
      this.#watch(left <= 0 ? SILENCE_MAX : left)
    })
  }
}

/** Sends the bytes of this tick of the loop as one, as Node has it for all but headers. */
function sendTogether(socket: Socket | null): void {
  socket?.cork()
  process.nextTick(() => socket?.uncork())
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // nginx would collect the events otherwise.
  'x-accel-buffering': 'no',
}

/**
 * Passes a committed stream on as it comes, in the form of its client. `settle` is awaited before the last bytes: a client
 * that got the end of an answer is in the ledger. Resolves when nothing more will be written.
 */
export function relay(
  call: HttpCall,
  events: EventResponse,
  { stream, form }: { readonly stream: LiveStream; readonly form: StreamForm },
  settle: (ending: EndedAnswer) => Promise<Bill>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopWatching: Cancel = () => {}
    const finish = (ending: EndedAnswer | Promise<EndedAnswer>, last: (bill: Bill) => void | Promise<void>) => {
      stopWatching()
      Promise.resolve(ending)
        .then(settle)
        .then(last)
        .then(resolve, (error: unknown) => {
          // A stream that cannot be settled must not end well.
          events.destroy()
          reject(error)
        })
    }
    // Who shuts down does not wait for a usage.
    const leave = () => finish(call.wasCut ? stream.abort() : stream.clientLeft(), () => {})
    if (call.gone) {
      leave()
      return
    }
    call.passes()
    events.ping = form.ping ?? events.ping
    stopWatching = call.onGone(leave)
    const resume = () => stream.resume()
    stream.attach({
      write: piece => {
        const text = form.write(piece)
        if (form.keepsSaid || stream.keepsSaid) call.keepForEnd(stream.saidBytes)
        if (text === '') return
        call.speaks()
        if (!events.write(text, resume)) stream.pause()
      },
      end: ending => {
        // Many answers come whole: to send what is there now and its end apart would cost as much as all of the rest.
        events.hold()
        finish(ending, bill => {
          const last = ending.how === 'well' ? form.end(bill) : form.fail(INTERRUPTED)
          return typeof last === 'string' ? events.end(last) : last.then(text => events.end(text))
        })
      },
    })
  })
}

const INTERRUPTED: StreamError = {
  message: 'The backend failed before the answer was complete.',
  type: 'upstream_error',
  code: 'UPSTREAM_INTERRUPTED',
}
