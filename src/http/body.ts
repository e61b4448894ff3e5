import type { IncomingMessage } from 'node:http'
import type { Denial } from '../policy/denial.ts'

/** Reads a JSON body whole. Rejects when the client leaves before it is complete. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | Denial> {
  const type = request.headers['content-type']
  if (type !== undefined && !isJson(type)) return Promise.resolve({ code: 'UNSUPPORTED_MEDIA_TYPE' })
  const tooLarge: Denial = { code: 'PAYLOAD_TOO_LARGE', limitBytes }
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.resolve(tooLarge)
  // Its events are over: they would never come.
  if (request.destroyed) return Promise.reject(new ClientLeft())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    // Nothing else breaks a request than its connection. Every request closes: an error is made only where it says something.
    const broken = () => {
      if (!request.complete) reject(new ClientLeft())
    }
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limitBytes) resolve(tooLarge)
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    request.on('close', broken)
  })
}

/** RFC 8259 8.1 knows one charset, and none is the same. */
const isJson = (type: string): boolean =>
  /^application\/json[ \t]*(?:;|$)/i.test(type) && !/;[ \t]*charset=(?!"?utf-8"?[ \t]*(?:;|$))/i.test(type)

/** The client closed the connection: there is nobody to answer. */
export class ClientLeft extends Error {
  override readonly name = 'ClientLeft'
}
