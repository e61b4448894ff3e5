import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { HttpCall } from '../listener/call.ts'
import { ClientLeft } from '../listener/request-input.ts'

/**
 * Answers with chunks of a media type, read as fast as the client takes them. Throws what the chunks throw: before the first
 * of them the answer can still be an error, later it breaks off.
 */
export async function sendStream(
  call: HttpCall,
  type: string,
  chunks: AsyncGenerator<string | Buffer, void, undefined>,
): Promise<void> {
  const first = await chunks.next()
  call.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' })
  if (first.done) return void call.response.end()
  let hasFailed = false
  const rest = async function* () {
    yield first.value
    try {
      yield* chunks
    } catch (error) {
      hasFailed = true
      throw error
    }
  }
  await pipeline(Readable.from(rest()), call.response).catch((error: unknown) => {
    // Breaking off also closes the connection, which looks as if the client had left.
    throw call.gone && !hasFailed ? new ClientLeft() : error
  })
}
