import type { IncomingMessage } from 'node:http'
import { Pieces } from '../../gateway/pieces.ts'
import { paced } from '../../gateway/received.ts'
import { type Denial, type Denied, invalid } from '../../policy/denial.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import { readValid, validator } from '../../wire/openai/validate.ts'
import type { HeldBody } from '../ingress/body-memory.ts'
import type { HttpCall } from './call.ts'

/** Each piece takes a step of the event loop, however small it is: a body in smaller ones than this on the average is refused. */
const LEAST_PIECE_BYTES = 64
const PIECES_FREE = 4096

/** Reads a JSON body whole: that of an operator, or a small one. Rejects when the client leaves before it is complete. */
async function readBody(
  request: IncomingMessage,
  limitBytes: number,
  accepts?: (type: string) => boolean,
): Promise<Buffer | Denied> {
  const pieces = await readPieces(request, limitBytes, undefined, accepts)
  return 'denial' in pieces ? pieces : pieces.join()
}

/** Reads a body in the pieces in which it came. `held` counts the received bytes, and may refuse more. */
export function readPieces(
  request: IncomingMessage,
  limitBytes: number,
  held?: HeldBody,
  accepts = isJson,
): Promise<Pieces | Denied> {
  const type = request.headers['content-type']
  if (type !== undefined && !accepts(type)) return Promise.resolve({ denial: { code: 'UNSUPPORTED_MEDIA_TYPE' } })
  const tooLarge: Denial = { code: 'PAYLOAD_TOO_LARGE', limitBytes }
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.resolve({ denial: tooLarge })
  // Its events are over: they would never come.
  if (request.destroyed) return Promise.reject(new ClientLeft())
  return new Promise((resolve, reject) => {
    const pieces = new Pieces(limitBytes)
    let size = 0
    let count = 0
    let isOver = false
    const drop = () => {
      isOver = true
      pieces.drop()
      held?.release()
    }
    const refuse = (denial: Denial) => {
      drop()
      resolve({ denial })
    }
    if (held) held.onRefused = refuse
    // Nothing else breaks a request than its connection. Every request closes: an error is made only where it says something.
    const broken = () => {
      if (request.complete || isOver) return
      drop()
      reject(new ClientLeft())
    }
    request.on('data', (piece: Buffer) => {
      // Refused bytes take time as well.
      paced(request, piece.length)
      if (isOver) return
      size += piece.length
      if (size > limitBytes) return refuse(tooLarge)
      if (++count > PIECES_FREE && size < count * LEAST_PIECE_BYTES) return refuse(TOO_MANY_PIECES.denial)
      pieces.push(piece)
      held?.add(piece.length)
    })
    request.on('end', () => {
      held?.complete()
      resolve(pieces)
    })
    request.on('close', broken)
  })
}

const TOO_MANY_PIECES = invalid(
  'body',
  `arrives in more than ${PIECES_FREE} pieces of less than ${LEAST_PIECE_BYTES} bytes`,
)

/** RFC 8259 8.1 knows one charset, and none is the same. */
const isJson = (type: string): boolean =>
  /^application\/json[ \t]*(?:;|$)/i.test(type) && !/;[ \t]*charset=(?!"?utf-8"?[ \t]*(?:;|$))/i.test(type)

/** The client closed the connection: there is no one left to answer. */
export class ClientLeft extends Error {
  override readonly name = 'ClientLeft'
}

/** Reads the query of a request: each of the parameters at most once, and no other. */
export function readQuery<Name extends string>(
  { request }: HttpCall,
  known: readonly Name[],
): Readonly<Partial<Record<Name, string>>> | Denied {
  const target = request.url ?? ''
  const query: Partial<Record<Name, string>> = {}
  if (!target.includes('?')) return query
  for (const [given, value] of new URLSearchParams(target.slice(target.indexOf('?')))) {
    const name = known.find(each => each === given)
    if (name === undefined) return invalid(given, `is not accepted; there are ${known.join(', ')}`)
    if (query[name] !== undefined) return invalid(name, 'is given twice')
    query[name] = value
  }
  return query
}

/** A whole number from 1 to `most`; undefined where the text is none. */
export function wholeIn(text: string, most: number): number | undefined {
  const whole = /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : 0
  return whole >= 1 && whole <= most ? whole : undefined
}

/**
 * A key or a device takes 256 characters. `limits.body_memory` does not count these bodies: of as many connections as
 * there may be, 10,000 by default, they take no more than 41 MB together.
 */
const MAX_BODY_BYTES = 4096

/** Reads a body that has one field, a text, and no other; wrapped, so that it differs from a denial. */
export function oneField(name: string, schema: object = {}) {
  const validate = validator({
    type: 'object',
    required: [name],
    properties: { [name]: { ...schema, type: 'string' } },
    additionalProperties: false,
  })
  return async (call: HttpCall): Promise<{ readonly value: string } | Denied> => {
    const body = await readSmall(call, validate)
    return 'denial' in body ? body : { value: String(body.body[name]) }
  }
}

/** Reads a body whole, up to 4 KB unless it may be larger; `empty` stands for one without a byte. */
export async function readSmall(
  call: HttpCall,
  validate: ReturnType<typeof validator>,
  empty = '',
  mostBytes = MAX_BODY_BYTES,
  accepts?: (type: string) => boolean,
): Promise<{ readonly body: JsonObject } | Denied> {
  const bytes = await readBody(call.request, mostBytes, accepts)
  if ('denial' in bytes) return bytes
  return readValid(bytes.length === 0 ? Buffer.from(empty) : bytes, validate)
}
