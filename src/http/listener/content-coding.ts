import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** A content coding, or `identity` for the bytes themselves. */
export type Form = 'br' | 'gzip' | 'identity'

/** The smallest form that a client takes, by its accept-encoding. */
export function smallestForm(accepted: string | readonly string[] = ''): Form {
  const taken = new Set(
    String(accepted)
      .split(',')
      .map(each =>
        each
          .trim()
          .toLowerCase()
          .split(/\s*;\s*/),
      )
      .filter(([, weight = 'q=1']) => !/^q=0(\.0*)?$/.test(weight))
      .map(([name]) => name),
  )
  if (taken.has('br')) return 'br'
  return taken.has('gzip') ? 'gzip' : 'identity'
}

/** Bytes that are compressed once for each form that is asked for. */
export class Compressed {
  readonly #forms: Map<Form, Buffer>

  constructor(bytes: Buffer) {
    this.#forms = new Map([['identity', bytes]])
  }

  bytesIn(form: Form): Buffer {
    const known = this.#forms.get(form)
    if (known) return known
    const bytes = this.bytesIn('identity')
    const made = form === 'gzip' ? gzipSync(bytes) : brotliCompressSync(bytes, { params: QUALITY })
    this.#forms.set(form, made)
    return made
  }
}

/** Some milliseconds for a document of 100 KB; the best would take a tenth of a second. */
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 5 }
