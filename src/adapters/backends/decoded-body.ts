import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/** The receiver of a body as it is decoded. */
interface DecodedListener {
  data(bytes: Buffer): void
  end(): void
  /** The encoded body is damaged, or ends before it is whole. */
  failed(error: Error): void
  /** More of the encoded body is wanted. */
  drain(): void
}

/** Decodes the body of an answer: some proxies compress whatever they are asked. */
export class DecodedBody {
  readonly #decoder: Transform

  private constructor(decoder: Transform, listener: DecodedListener) {
    this.#decoder = decoder
    decoder.on('data', bytes => listener.data(bytes))
    decoder.on('end', () => listener.end())
    decoder.on('error', error => listener.failed(error))
    decoder.on('drain', () => listener.drain())
  }

  /** Undefined where the body has no encoding, or none that is known. */
  static of(encoding: unknown, listener: DecodedListener): DecodedBody | undefined {
    const decoder = typeof encoding === 'string' ? DECODERS[encoding.trim().toLowerCase()] : undefined
    return decoder && new DecodedBody(decoder(), listener)
  }

  /** False if the caller must wait for the listener's `drain`. */
  write(bytes: Buffer): boolean {
    return this.#decoder.write(bytes)
  }

  end(): void {
    this.#decoder.end()
  }

  pause(): void {
    this.#decoder.pause()
  }

  resume(): void {
    this.#decoder.resume()
  }

  drop(): void {
    this.#decoder.destroy()
  }
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}
