import type { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'
import type { Cancel, Upload } from '../gateway/ports.ts'

/** The body of a request, sent on as it arrives. No more of it is read than its receiver takes. */
export class RequestUpload implements Upload {
  readonly length?: number
  received = 0
  /** Whether it turned out to be larger than it may be. */
  tooLarge = false
  readonly #request: IncomingMessage
  readonly #limitBytes: number
  #complain: () => void = () => {}

  constructor(request: IncomingMessage, limitBytes: number) {
    this.#request = request
    this.#limitBytes = limitBytes
    const { 'content-length': length } = request.headers
    if (length !== undefined) this.length = Number(length)
  }

  get complete(): boolean {
    return this.#request.readableEnded
  }

  onTooLarge(run: () => void): Cancel {
    this.#complain = run
    return () => {
      this.#complain = () => {}
    }
  }

  into(sink: Writable): void {
    const request = this.#request
    const take = (bytes: Buffer) => {
      this.received += bytes.length
      if (this.received > this.#limitBytes) {
        this.tooLarge = true
        stop()
        this.#complain()
      } else if (!sink.write(bytes)) request.pause()
    }
    const more = () => request.resume()
    const end = () => sink.end()
    const stop = () => {
      request.off('data', take).off('end', end)
      sink.off('drain', more)
      request.pause()
    }
    request.on('data', take).on('end', end)
    sink.on('drain', more).once('close', stop)
  }
}
