import { maxHeaderSize } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Denial } from '../policy/denial.ts'
import { invalid } from '../wire/body.ts'
import { type ErrorTerms, renderDenial } from '../wire/denial.ts'
import type { ProtocolDenial } from '../wire/docs.ts'

/** Answers what node's parser gave up on, where no request is that could be answered, and closes the connection. */
export function answerBroken(
  socket: Duplex,
  denial: Denial | ProtocolDenial,
  headers: Readonly<Record<string, string>>,
  terms: ErrorTerms,
): void {
  const answer = renderDenial(denial, terms)
  const body = Buffer.from(JSON.stringify(answer.body))
  const lines = Object.entries({
    ...headers,
    ...answer.headers,
    'content-type': 'application/json',
    'content-length': body.length,
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${answer.status} ${answer.reason}\r\n${lines.join('')}\r\n`
  socket.end(Buffer.concat([Buffer.from(head, 'latin1'), body]), () => socket.destroy())
}

/** What the error of a `clientError` event is to the client; undefined when nobody is left to be told. */
export function denialOf(error: NodeJS.ErrnoException): Denial | ProtocolDenial | undefined {
  switch (error.code) {
    case 'ECONNRESET':
      return undefined
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'REQUEST_TIMEOUT' }
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'HEADERS_TOO_LARGE', limitBytes: maxHeaderSize }
    default:
      return invalid('', 'The request is not valid HTTP/1.1; is TLS spoken to a port without it?')
  }
}
