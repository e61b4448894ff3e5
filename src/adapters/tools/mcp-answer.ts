import type { Cancel } from '../../gateway/ports.ts'
import { isObject } from '../../wire/json-safety.ts'
import { type Answer, drop, mediaType } from './egress.ts'
import { atMost, excerpt, whole } from './limits.ts'
import { ToolFailure, UNREADABLE, Unreached, unreachable } from './tool.ts'

/** An answer whose head has come; `over` is to be called when its body has ended. */
export interface Sent {
  readonly answer: Answer
  readonly over: Cancel
}

/** The answer to one request, as JSON or as a stream of events. */
export async function answered({ answer, over: sent }: Sent, id: unknown, done: Cancel): Promise<Response> {
  const over = () => {
    sent()
    done()
  }
  if (mediaType(answer) === 'text/event-stream')
    return streamed(answer, closing(answeringInAnyCase(atMost(answer.body), id), over))
  try {
    if (mediaType(answer) !== 'application/json') throw otherType(answer)
    const text = await whole(answer.body)
    if (!answers(text, id)) throw new ToolFailure(UNREADABLE, 'it answers with broken JSON, or to something else')
    return new Response(text, { headers: headersOf(answer) })
  } finally {
    over()
  }
}

/** The JSON-RPC error code of an answer that never came whole; `data` says why. */
export const BROKEN_OFF = -32_099

function answers(text: string, id: unknown): boolean {
  try {
    const message: unknown = JSON.parse(text)
    return (Array.isArray(message) ? message : [message]).some(each => isObject(each) && each.id === id)
  } catch {
    return false
  }
}

/** The events, and after them an error answer to the request. The SDK ignores it if the request was answered before. */
async function* answeringInAnyCase(events: AsyncIterable<Uint8Array>, id: unknown): AsyncGenerator<Uint8Array> {
  let failure = new ToolFailure(UNREADABLE, 'it ends its stream without an answer')
  try {
    yield* events
  } catch (error) {
    failure = unreachable(error)
  }
  const error = { code: BROKEN_OFF, message: failure.message, data: failure.detail }
  // Empty lines first: the last event may have ended anywhere.
  yield Buffer.from(`\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`)
}

/** The events. Calls `ended` once the reader has had all of them. */
export async function* reportingEnd(
  events: AsyncIterable<Uint8Array>,
  ended: (failure: ToolFailure) => void,
): AsyncGenerator<Uint8Array> {
  let failure: ToolFailure = new Unreached('it ended its stream')
  try {
    yield* events
  } catch (error) {
    failure = unreachable(error)
  }
  // The last chunk may still be on its way to the reader.
  await new Promise(setImmediate)
  ended(failure)
}

export async function* closing(chunks: AsyncIterable<Uint8Array>, over: Cancel): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } finally {
    over()
  }
}

export function eventsOf(answer: Answer): AsyncIterable<Uint8Array> {
  if (mediaType(answer) === 'text/event-stream') return answer.body
  throw otherType(answer)
}

function otherType(answer: Answer): ToolFailure {
  drop(answer)
  return new ToolFailure(UNREADABLE, `it answers with content-type ${excerpt(mediaType(answer))}`)
}

export const streamed = (answer: Answer, chunks: AsyncIterable<Uint8Array>): Response =>
  new Response(chunks, { headers: headersOf(answer) })

/** The headers that the SDK reads. */
function headersOf(answer: Answer): Record<string, string> {
  const session = answer.headers['mcp-session-id']
  return { 'content-type': mediaType(answer), ...(typeof session === 'string' && { 'mcp-session-id': session }) }
}
