import { type Denied, invalid } from '../../policy/denial.ts'
import { type PartHead, readPartHead } from './part-head.ts'

/** A piece of a form: bytes as its sender sent them, or the place of the model's name. */
export type Piece = Buffer | typeof MODEL
export const MODEL: unique symbol = Symbol('model')

const MAX_HEAD_BYTES = 16_384
const MAX_MODEL_BYTES = 256
const NO_BYTES: Buffer = Buffer.alloc(0)
const CRLF: Buffer = Buffer.from('\r\n')
/** Some clients end with an empty line. */
const END = /^(?:\r\n){0,2}$/
const HEAD_END = '\r\n\r\n'
const MODEL_HEAD: Buffer = Buffer.from('Content-Disposition: form-data; name="model"\r\n\r\n')

/**
 * Reads a multipart/form-data body as it arrives, in chunks of any size. It passes every byte on unchanged except the part
 * `model`, which takes the backend's name for the model, and adds that part at the end if it is missing. An ambiguous form is a
 * flaw, after which it emits nothing more; only `end` emits the end of a form, so that no backend receives the end of a flawed
 * one. It buffers the headers of a part, its name and the length of a boundary.
 */
export class FormReader {
  /** The difference in bytes between our form and the client's, without the name of the model; known once that is `placed`. */
  shift = 0
  /** Whether it is known where the model stands. */
  placed = false
  readonly #delimiter: Buffer
  readonly #judge: (model: string) => Denied | undefined
  #state: 'delimiter' | 'head' | 'content' | 'model' | 'close' = 'delimiter'
  /** Received bytes that were not handed on. */
  #bytes = NO_BYTES
  /** Where of it the present state begins, and, in what is passed on, how much of the part came before. */
  #at = 0
  #passed = 0
  #part: PartHead = { name: '' }
  #pieces: Piece[] = []
  #flaw: Denied | undefined

  /** `judge` returns what is wrong with the model that a form names. */
  constructor(boundary: string, judge: (model: string) => Denied | undefined) {
    this.#delimiter = Buffer.from(`--${boundary}`, 'latin1')
    this.#judge = judge
  }

  push(bytes: Buffer): readonly Piece[] | Denied {
    if (this.#flaw) return this.#flaw
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes])
    while (this.#step());
    if (this.#flaw) return this.#flaw
    // Kept bytes must not keep the whole piece that they came in.
    this.#handOn(this.#at)
    this.#bytes = Buffer.from(this.#bytes)
    return this.#pieces.splice(0)
  }

  /** The last of it. */
  end(): readonly Piece[] | Denied {
    const rest = this.#bytes.toString('latin1', this.#delimiter.length + 2)
    if (this.#state !== 'close' || !END.test(rest)) this.#refuse('does not end with its boundary')
    if (this.#flaw) return this.#flaw
    if (!this.placed) this.#place([this.#delimiter, CRLF, MODEL_HEAD, MODEL, CRLF])
    this.#pieces.push(this.#bytes)
    return this.#pieces.splice(0)
  }

  /** True if there is more to do with the received bytes. */
  #step(): boolean {
    switch (this.#state) {
      case 'delimiter':
        return this.#readDelimiter()
      case 'head':
        return this.#readHead()
      case 'content':
        return this.#passContent()
      case 'model':
        return this.#readModel()
      case 'close':
        return this.#bytes.length - this.#at > this.#delimiter.length + 6 && this.#refuse('has something after its end')
    }
  }

  #readDelimiter(): boolean {
    const end = this.#at + this.#delimiter.length
    if (this.#bytes.length < end + 2) return false
    if (!this.#bytes.subarray(this.#at, end).equals(this.#delimiter))
      return this.#refuse('does not begin with its boundary')
    const next = this.#bytes.toString('latin1', end, end + 2)
    if (next === '--') this.#state = 'close'
    else if (next === '\r\n') this.#enter('head', end + 2)
    else return this.#refuse('has its boundary inside a part')
    return true
  }

  #readHead(): boolean {
    const end = this.#bytes.indexOf(HEAD_END, this.#at)
    if ((end < 0 ? this.#bytes.length - HEAD_END.length + 1 : end) - this.#at > MAX_HEAD_BYTES)
      return this.#refuse(`has a part with headers of more than ${MAX_HEAD_BYTES} bytes`)
    if (end < 0) return false
    const head = this.#bytes.subarray(this.#at, end)
    const part = head.includes(this.#delimiter) ? 'has its boundary inside a part' : readPartHead(head)
    if (typeof part === 'string') return this.#refuse(part)
    this.#part = part
    this.#passed = 0
    if (part.name !== 'model') this.#enter('content', end + HEAD_END.length)
    else if (this.placed) return this.#refuse('names two models')
    else this.#state = 'model'
    return true
  }

  #passContent(): boolean {
    const at = this.#bytes.indexOf(this.#delimiter, this.#at)
    const end = at < 0 ? this.#bytes.length - this.#delimiter.length - 1 : at
    if (at >= 0) return this.#endPart(this.#at, at, this.#passed)
    if (end > this.#at) {
      this.#passed += end - this.#at
      this.#at = end
    }
    return false
  }

  #readModel(): boolean {
    const start = this.#bytes.indexOf(HEAD_END, this.#at) + HEAD_END.length
    const at = this.#bytes.indexOf(this.#delimiter, start)
    const most = MAX_MODEL_BYTES + CRLF.length + (at < 0 ? this.#delimiter.length : 0)
    if ((at < 0 ? this.#bytes.length : at) - start > most)
      return this.#deny(invalid('model', `must be a text of at most ${MAX_MODEL_BYTES} characters`))
    if (at < 0) return false
    const [head, value] = [this.#at, this.#bytes.toString('utf8', start, at - CRLF.length)]
    if (!this.#endPart(start, at, 0)) return false
    const denial = this.#judge(value)
    if (denial) return this.#deny(denial)
    this.#replace(head, at - CRLF.length)
    return true
  }

  /** Ends a part before its delimiter; `passed` bytes of the part came before `start`. */
  #endPart(start: number, at: number, passed: number): boolean {
    const size = passed + at - start - CRLF.length
    if (size < 0 || !this.#bytes.subarray(at - CRLF.length, at).equals(CRLF))
      return this.#refuse('has its boundary inside a part')
    const { length = size } = this.#part
    if (length !== size) return this.#refuse('has a part of another length than it says')
    this.#enter('delimiter', at)
    return true
  }

  /** Puts ours in the place of the sender's part. */
  #replace(start: number, end: number): void {
    const at = this.#at
    this.#handOn(start)
    this.shift -= end - start
    this.#place([MODEL_HEAD, MODEL])
    this.#bytes = this.#bytes.subarray(end - start)
    this.#at = at - end
  }

  #place(pieces: readonly Piece[]): void {
    this.placed = true
    for (const piece of pieces) {
      this.#pieces.push(piece)
      if (piece !== MODEL) this.shift += piece.length
    }
  }

  /** Hands on the bytes before `end`. */
  #handOn(end: number): void {
    if (end > 0) this.#pieces.push(this.#bytes.subarray(0, end))
    this.#bytes = this.#bytes.subarray(end)
    this.#at -= end
  }

  #enter(state: 'delimiter' | 'head' | 'content', at: number): void {
    this.#state = state
    this.#at = at
  }

  #refuse(problem: string): false {
    return this.#deny(invalid('form', problem))
  }

  #deny(denied: Denied): false {
    this.#flaw = denied
    return false
  }
}
