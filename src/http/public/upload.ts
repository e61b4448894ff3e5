import type { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'
import type { Cancel, Upload } from '../../gateway/ports.ts'
import type { Denied } from '../../policy/denial.ts'
import { type FormReader, MODEL, type Piece } from '../../wire/multipart/form-reader.ts'

/** How much of a form is read before a backend gets any of it. */
const LOOK_BYTES = 16_384

/** The body of a request, sent on as it arrives. No more of it is read than its receiver takes. */
export class RequestUpload {
  received = 0
  /** The fault found in it. */
  fault: Denied | undefined
  /** Whether it took longer than may be. */
  isLate = false
  readonly #request: IncomingMessage
  readonly #limitBytes: number
  readonly #form: FormReader | undefined
  /** Announced by the sender. */
  readonly #length: number | undefined
  /** Bytes read and not taken yet. */
  #held: Piece[] = []
  #ended = false
  #complain: () => void = () => {}

  /** A form gets the name that each backend knows the model by. */
  constructor(request: IncomingMessage, limitBytes: number, form?: FormReader) {
    this.#request = request
    this.#limitBytes = limitBytes
    this.#form = form
    const { 'content-length': length } = request.headers
    this.#length = length === undefined ? undefined : Number(length)
  }

  /** Reads the beginning of a form, and all of a small one. Resolves to what is wrong with it so far. */
  look(): Promise<Denied | 'left' | undefined> {
    const request = this.#request
    if (!this.#form) return Promise.resolve(undefined)
    if (request.destroyed) return Promise.resolve('left')
    return new Promise(resolve => {
      const done = (outcome: Denied | 'left' | undefined) => {
        request.pause()
        request.off('data', take).off('end', end).off('close', left)
        resolve(outcome)
      }
      const take = (bytes: Buffer) => {
        this.#held.push(...this.#take(bytes))
        if (this.fault || this.received >= LOOK_BYTES) done(this.fault)
      }
      const end = () => {
        this.#held.push(...this.#end())
        done(this.fault)
      }
      const left = () => done('left')
      request.on('data', take).on('end', end).on('close', left)
    })
  }

  /** The upload for a backend that knows the model by this name. */
  for(model: string): Upload {
    const request = this.#request
    const length = this.#lengthFor(model)
    const received = () => this.received
    return {
      ...(length !== undefined && { length }),
      get received() {
        return received()
      },
      get complete() {
        return request.readableEnded
      },
      get awaited() {
        return !request.readableEnded && !request.isPaused()
      },
      late: () => {
        this.isLate = true
        this.#complain()
      },
      into: sink => this.#into(sink, Buffer.from(model)),
      onFault: run => this.#onFault(run),
    }
  }

  /** The length, which for a form is known once its model was seen: not where that comes after a file. */
  #lengthFor(model: string): number | undefined {
    if (!this.#form) return this.#length
    const length = this.#ended ? this.received : this.#length
    if (length === undefined || !this.#form.placed) return undefined
    return length + this.#form.shift + Buffer.byteLength(model)
  }

  #onFault(run: () => void): Cancel {
    this.#complain = run
    return () => {
      this.#complain = () => {}
    }
  }

  #into(sink: Writable, model: Buffer): void {
    const request = this.#request
    const write = (pieces: readonly Piece[]) => {
      let isFree = true
      for (const piece of pieces) isFree = sink.write(piece === MODEL ? model : piece)
      if (!isFree) request.pause()
    }
    const take = (bytes: Buffer) => {
      write(this.#take(bytes))
      if (this.fault) giveUp()
    }
    const more = () => request.resume()
    const end = () => {
      write(this.#end())
      if (this.fault) giveUp()
      else sink.end()
    }
    const stop = () => {
      request.off('data', take).off('end', end)
      sink.off('drain', more)
      request.pause()
    }
    const giveUp = () => {
      stop()
      this.#complain()
    }
    request.resume()
    write(this.#held.splice(0))
    if (this.#ended) return void sink.end()
    request.on('data', take).on('end', end)
    sink.on('drain', more).once('close', stop)
  }

  /** The part of these bytes that is sent on; none once there is a fault. */
  #take(bytes: Buffer): readonly Piece[] {
    this.received += bytes.length
    if (this.received > this.#limitBytes)
      return this.#refuse({ denial: { code: 'PAYLOAD_TOO_LARGE', limitBytes: this.#limitBytes } })
    const pieces = this.#form?.push(bytes) ?? [bytes]
    return 'denial' in pieces ? this.#refuse(pieces) : pieces
  }

  #end(): readonly Piece[] {
    this.#ended = true
    const pieces = this.#form?.end() ?? []
    return 'denial' in pieces ? this.#refuse(pieces) : pieces
  }

  #refuse(fault: Denied): readonly Piece[] {
    this.fault = fault
    return []
  }
}
