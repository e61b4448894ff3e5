import { once } from 'node:events'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerPlan, isThinkingModel } from './answerer.ts'
import { chunks, completion } from './completion.ts'
import { isInvalid, parseRequest } from './request.ts'

export interface DemoBackendOptions {
  /** The replica's name, which its answers mention. */
  readonly name: string
  readonly models: readonly string[]
  /** Every model thinks, not only those whose names say so. */
  readonly thinking?: boolean
  /** The bearer token that /v1 asks for, if any. */
  readonly key?: string
  /** Milliseconds before each token of a stream. */
  readonly paceMs: number
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
}

/** An HTTP server, not yet listening, that speaks the OpenAI chat-completions wire with a program behind it. */
export function createDemoBackend(options: DemoBackendOptions): http.Server {
  let answers = 0
  const newId = () => `chatcmpl-${options.name}-${options.now().toString(36)}-${++answers}`
  // Longer than clients keep idle connections, so that they never meet one that is being closed.
  return http.createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    // An answer to a client that has left goes nowhere.
    response.on('error', () => {})
    route({ options, newId, request, response }).catch(error => {
      if (!request.socket.destroyed) console.error(error)
      response.destroy()
    })
  })
}

interface Call {
  readonly options: DemoBackendOptions
  readonly newId: () => string
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
}

async function route(call: Call): Promise<void> {
  const { options, request, response } = call
  const path = request.url?.replace(/\?.*$/, '') ?? ''
  const line = `${request.method} ${path}`
  if (line === 'GET /health' || line === 'GET /v1/health') return send(response, 200, { status: 'ok' })
  if (options.key !== undefined && request.headers.authorization !== `Bearer ${options.key}`) {
    return refuse(response, 401, 'invalid_api_key', 'the API key is missing or wrong')
  }
  if (line === 'GET /v1/models') return send(response, 200, catalogue(options))
  if (line === 'POST /v1/chat/completions') return chat(call)
  return refuse(response, 404, 'not_found', `there is no ${line} here`)
}

async function chat(call: Call): Promise<void> {
  const { options, newId, request, response } = call
  const text = await bodyOf(request)
  if (text === undefined) return refuse(response, 413, 'payload_too_large', 'the body is larger than 10 MB')
  const body = parsed(text)
  if (body === undefined) return refuse(response, 400, 'invalid_json', 'the body is not JSON')
  const chatRequest = parseRequest(body)
  if (isInvalid(chatRequest)) return refuse(response, 400, 'invalid_value', chatRequest.message, chatRequest.param)
  const { model } = chatRequest
  if (!options.models.includes(model)) {
    return refuse(response, 404, 'model_not_found', `the model ${model} does not exist`, 'model')
  }

  const speaker = { replica: options.name, thinking: options.thinking ?? isThinkingModel(model) }
  const plan = answerPlan(chatRequest, speaker)
  const envelope = { id: newId(), created: Math.floor(options.now() / 1000), model }
  if (!chatRequest.stream) return send(response, 200, completion(plan, envelope))
  return stream(response, chunks(plan, envelope, chatRequest.includeUsage), options.paceMs)
}

/** One event for each chunk at the given pace; stops when the client goes away. */
async function stream(response: http.ServerResponse, events: Iterable<object>, paceMs: number): Promise<void> {
  if (response.destroyed) return
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' })
  try {
    for (const event of events) {
      const more = response.write(`data: ${JSON.stringify(event)}\n\n`)
      if (!more) await once(response, 'drain', { signal: gone.signal })
      await sleep(paceMs, undefined, { signal: gone.signal })
    }
    response.end('data: [DONE]\n\n')
  } catch (error) {
    if (!gone.signal.aborted) throw error
  }
}

const BODY_MAX = 10_000_000

/** Nothing if it is too large; the rest is still read, so that the client sees the refusal. */
async function bodyOf(request: http.IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size <= BODY_MAX) parts.push(part)
  }
  return size <= BODY_MAX ? Buffer.concat(parts).toString() : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // JSON has no undefined, so it can stand for all that is not JSON.
    return undefined
  }
}

function catalogue({ name, models, now }: DemoBackendOptions): object {
  const created = Math.floor(now() / 1000)
  return { object: 'list', data: models.map(id => ({ id, object: 'model', created, owned_by: name })) }
}

function send(response: http.ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function refuse(
  response: http.ServerResponse,
  status: number,
  code: string,
  message: string,
  param: string | null = null,
): void {
  const type = status === 401 ? 'authentication_error' : 'invalid_request_error'
  send(response, status, { error: { message, type, param, code } })
}
