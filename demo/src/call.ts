import type http from 'node:http'
import type { Embedder } from './embeddings/embedder.ts'
import type { Invalid } from './json.ts'

export interface DemoBackendOptions {
  /** The replica's name, which its answers mention. */
  readonly name: string
  /** The names under which it chats. */
  readonly models?: readonly string[]
  /** The names under which it embeds, and what embeds for all of them. */
  readonly embeddings?: { readonly models: readonly string[]; readonly embedder: Embedder }
  /** The names under which it draws. */
  readonly images?: readonly string[]
  /** Every chat model thinks, not only those whose names say so. */
  readonly thinking?: boolean
  /** The bearer token that /v1 asks for, if any. */
  readonly key?: string
  /** Milliseconds before each token of a stream. */
  readonly paceMs: number
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
}

/** One request at a demo backend. */
export interface Call {
  readonly options: DemoBackendOptions
  readonly newId: () => string
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
}

const BODY_MAX = 10_000_000

/** The body as JSON; undefined when it was refused. */
export async function jsonBody({ request, response }: Call): Promise<unknown> {
  const text = await bodyOf(request, BODY_MAX)
  if (text === undefined) {
    refuse(response, 413, 'payload_too_large', 'the body is larger than 10 MB')
    return undefined
  }
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message would quote the client's own body.
    refuse(response, 400, 'invalid_json', 'the body is not JSON')
    return undefined
  }
}

/** Nothing if it is more than `most` bytes; the rest is still read, so that the client sees the refusal. */
export async function bodyOf(request: http.IncomingMessage, most: number): Promise<string | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size <= most) parts.push(part)
  }
  return size <= most ? Buffer.concat(parts).toString() : undefined
}

/** Answers with JSON. `madeBy` goes into `x-demo-model`: what is really behind the model's name. */
export function send(response: http.ServerResponse, status: number, value: object, madeBy?: string): void {
  const headers = { 'content-type': 'application/json', ...(madeBy && { 'x-demo-model': madeBy }) }
  response.writeHead(status, headers).end(JSON.stringify(value))
}

/** Answers with an error in the form of OpenAI. */
export function refuse(
  response: http.ServerResponse,
  status: number,
  code: string,
  message: string,
  param: string | null = null,
): void {
  const type = status >= 500 ? 'server_error' : status === 401 ? 'authentication_error' : 'invalid_request_error'
  send(response, status, { error: { message, type, param, code } })
}

/** Refuses a request for what is wrong with it. */
export const refuseInvalid = (response: http.ServerResponse, { message, param }: Invalid): void =>
  refuse(response, 400, 'invalid_value', message, param)

/** Refuses a model that is not among those of the endpoint. */
export const refuseModel = (response: http.ServerResponse, model: string): void =>
  refuse(response, 404, 'model_not_found', `the model ${model} does not exist`, 'model')
