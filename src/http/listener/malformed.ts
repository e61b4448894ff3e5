import type { Duplex } from 'node:stream'
import type { Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import { invalid } from '../../policy/denial.ts'
import type { AnyDenial, ProtocolDenial } from '../../wire/errors/codes.ts'
import { renderDenial } from '../../wire/errors/denial.ts'
import type { ErrorForm } from '../../wire/errors/forms.ts'
import type { ErrorTerms } from '../../wire/errors/texts.ts'

/** How long a client may go on sending what is thrown away: closed at once, its kernel would throw the answer away too. */
export const LINGER: Millis = 1000

/** Bytes of the request line and all headers. */
export const MAX_HEADER_BYTES = 16_384
/** Headers of one request. Beyond its own limit node drops them without a word, so that is one higher. */
export const MAX_HEADERS = 100

export const tooManyHeaders: ProtocolDenial = {
  code: 'HEADERS_TOO_LARGE',
  limitBytes: MAX_HEADER_BYTES,
  limitCount: MAX_HEADERS,
}

/**
 * Answers what node's parser gave up on, where no request is that could be answered, and closes the connection. `headers`
 * are names and values by turns.
 */
export function answerBroken(
  socket: Duplex,
  denial: AnyDenial,
  headers: readonly string[],
  { errors, form, clock }: { readonly errors: ErrorTerms; readonly form: ErrorForm; readonly clock: Clock },
): void {
  const answer = renderDenial(denial, errors, form)
  const body = Buffer.from(JSON.stringify(answer.body))
  const all = [
    ...headers,
    ...Object.entries(answer.headers).flat(),
    ...['content-type', 'application/json', 'content-length', String(body.length), 'connection', 'close'],
  ]
  const lines = all.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`))
  const head = `HTTP/1.1 ${answer.status} ${answer.reason}\r\n${lines.join('')}\r\n`
  socket.end(Buffer.concat([Buffer.from(head, 'latin1'), body]))
  socket.resume()
  const cancel = clock.after(LINGER, () => socket.destroy())
  socket.once('close', cancel)
}

/** The client's denial for the error of a `clientError` event; undefined when the client has left. */
export function denialOf(error: NodeJS.ErrnoException): AnyDenial | undefined {
  switch (error.code) {
    case 'ECONNRESET':
      return undefined
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'REQUEST_TIMEOUT' }
    case 'HPE_HEADER_OVERFLOW':
      return tooManyHeaders
    default:
      return invalid('', 'The request is not valid HTTP/1.1. Is it TLS on a port without TLS?').denial
  }
}

/** Whether an error of a `clientError` event is of a request that did not arrive in time. */
export const isLate = ({ code }: NodeJS.ErrnoException): boolean => code === 'ERR_HTTP_REQUEST_TIMEOUT'

/** Whether an error of a `clientError` event is of bytes that cannot be read, and not of the connection. */
export const isGarbage = ({ code = '' }: NodeJS.ErrnoException): boolean => code.startsWith('HPE_')

/** Whether these bytes came after a request that was said to be the last one: they may be ignored. */
export const isAfterLast = ({ code }: NodeJS.ErrnoException): boolean => code === 'HPE_CLOSED_CONNECTION'
