import { readFileSync } from 'node:fs'
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parse } from 'yaml'

/** One request and its answer, as the server saw them. */
export interface Exchange {
  readonly method: string
  /** Without its query. */
  readonly path: string
  readonly requestBody: Buffer
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
  /** False when the client left before the end of the answer. */
  readonly complete: boolean
  /** Whether the path is one that the files pass through. */
  readonly passed?: boolean
}

type Node = Readonly<Record<string, unknown>>

const document: Node = parse(readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8'))
const ID = 'openapi'

const formats = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  date: /^\d{4}-\d\d-\d\d$/,
  uri: /^https?:\/\/\S+$/,
}
const options = {
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allowUnionTypes: true,
  validateSchema: false,
  formats,
} as const
const schemas = { $id: ID, $defs: absolute(at(document, 'components', 'schemas')) }
const bodies = new Ajv2020(options).addSchema(schemas)
/** Headers are text, whatever they hold. */
const texts = new Ajv2020({ ...options, coerceTypes: true }).addSchema(schemas)

/** Hands on what a server reads and writes for one request, once that is over; nothing of an answer that never began. */
export function tap(request: IncomingMessage, response: ServerResponse, over: (exchange: Exchange) => void): void {
  const asked: Buffer[] = []
  const answered: Buffer[] = []
  /** Whether its body goes out in chunks: where node is not to make one, what is written is one already. */
  let inChunks = false
  const { emit } = request
  // A listener would set the body flowing before its reader is there.
  const listen = (event: string, ...args: unknown[]) => {
    if (event === 'data') asked.push(...args.filter(Buffer.isBuffer))
    return Reflect.apply(emit, request, [event, ...args])
  }
  Object.assign(request, { emit: listen })
  for (const name of ['write', 'end'] as const) {
    const method = response[name]
    const spied = (...args: unknown[]) => {
      const [chunk] = args
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) {
        const bytes = Buffer.from(chunk)
        answered.push(inChunks && !response.chunkedEncoding ? saidIn(bytes) : bytes)
      }
      return Reflect.apply(method, response, args)
    }
    Object.assign(response, { [name]: spied })
  }
  const written: Record<string, string> = {}
  const { writeHead } = response
  const spied = (status: number, lines: readonly string[]) => {
    for (let i = 0; i < lines.length; i += 2) written[lines[i] ?? ''] = lines[i + 1] ?? ''
    const done = Reflect.apply(writeHead, response, [status, lines])
    inChunks = response.chunkedEncoding
    return done
  }
  Object.assign(response, { writeHead: spied })
  response.once('close', () => {
    if (!response.headersSent) return
    over({
      method: request.method ?? '',
      path: (request.url ?? '').replace(/\?.*/, ''),
      requestBody: Buffer.concat(asked),
      status: response.statusCode,
      headers: written,
      body: Buffer.concat(answered),
      complete: response.writableEnded,
    })
  })
}

/** The content of a chunk that is written in one piece. */
function saidIn(chunk: Buffer): Buffer {
  const start = chunk.indexOf('\r\n') + 2
  const end = start + Number.parseInt(chunk.subarray(0, start).toString('latin1'), 16)
  if (end + 2 !== chunk.length || chunk.toString('latin1', end) !== '\r\n')
    throw new Error('a chunk has another length')
  return chunk.subarray(start, end)
}

/** Behaviour of an exchange that the document lacks; empty when all of it is documented. */
export function violationsOf(exchange: Exchange): string[] {
  const { method, path, status } = exchange
  let faults: string[]
  try {
    faults = faultsIn(exchange)
  } catch (error) {
    // Thrown from an event of the server it would end the run, not the test.
    faults = [String(error)]
  }
  return faults.map(fault => `${method} ${path} ${status} ${STATUS_CODES[status] ?? ''}: ${fault}`)
}

function faultsIn(exchange: Exchange): string[] {
  const { method, path, status, passed = false } = exchange
  const found = passed ? path : findPath(path)
  const item = passed ? at(document, 'components', 'pathItems', 'Passthrough') : at(document, 'paths', found ?? '')
  const operation = found && item[method === 'HEAD' ? 'get' : method.toLowerCase()]
  const responses = asNode(operation === undefined ? undefined : asNode(operation).responses)
  const response = documentedAnswer(found, operation, responses, exchange)
  const faults = response
    ? [...headerFaults(response, exchange), ...(method === 'HEAD' ? [] : bodyFaults(response, exchange))]
    : [`answers ${status}, which is not documented`]
  if (status === 200 && operation && !passed) faults.push(...requestFaults(asNode(operation), exchange))
  return faults
}

/** The documented answer: of the operation, or one of those that every path has. */
function documentedAnswer(
  path: string | undefined,
  operation: unknown,
  responses: Node,
  { method, status, headers }: Exchange,
): Node | undefined {
  const common = (name: string) => asNode(at(document, 'components', 'responses', name))
  const closing = headers.connection === 'close' ? CLOSING[status] : undefined
  if (closing !== undefined && responses[status] === undefined) return common(closing)
  if (operation === undefined && status === 429) return common('RateLimited')
  if (path === undefined) return status === 404 ? common('NotFound') : undefined
  if (operation !== undefined) return responses[status] === undefined ? undefined : resolved(responses[status])
  if (method === 'OPTIONS') return status === 204 ? common('Preflight') : undefined
  const other = ELSEWHERE[status]
  return other === undefined ? undefined : common(other)
}

/** The answer of a path to another method; a path of another API may look like it. */
const ELSEWHERE: Readonly<Record<number, string>> = { 404: 'NotFound', 405: 'MethodNotAllowed' }

/** Answers of a connection on any path before it is closed. */
const CLOSING: Readonly<Record<number, string>> = {
  400: 'Invalid',
  415: 'UnsupportedMediaType',
  431: 'HeadersTooLarge',
  503: 'Unavailable',
}

/** Headers whose meaning is ours: one that the answer does not document is a fault. */
const OURS = /^(x-svc-|x-should-retry$|retry-after|allow$|www-authenticate$)/

function headerFaults(response: Node, { headers }: Exchange): string[] {
  const declared = Object.entries(asNode(response.headers)).map(([name, header]) => [name, resolved(header)] as const)
  const undocumented = Object.keys(headers).filter(
    name => OURS.test(name) && !declared.some(([known]) => known === name),
  )
  const schema = {
    type: 'object',
    required: declared.filter(([, header]) => header.required === true).map(([name]) => name),
    properties: Object.fromEntries(declared.map(([name, header]) => [name, absolute(header.schema)])),
  }
  return [
    ...undocumented.map(name => `header ${name} is not documented`),
    ...faultsOf(compiled(texts, schema), { ...headers }, 'header'),
  ]
}

function bodyFaults(response: Node, exchange: Exchange): string[] {
  const { headers, body, complete } = exchange
  const content = asNode(response.content)
  const type = String(headers['content-type'] ?? '').replace(/;.*/, '')
  if (Object.keys(content).length === 0) return body.length > 0 ? ['has a body, and none is documented'] : []
  if (content['*/*']) return []
  const media = content[type]
  if (media === undefined) return [`has the content type ${type}, which is not documented`]
  const schema = absolute(asNode(media).schema)
  if (type === 'text/event-stream') return eventFaults(compiled(bodies, schema), exchange)
  if (!complete) return []
  const text = decoded(body, headers['content-encoding']).toString('utf8')
  const value = type === 'application/json' ? JSON.parse(text) : text
  return faultsOf(compiled(bodies, schema), value, 'body')
}

function decoded(body: Buffer, coding: unknown): Buffer {
  if (coding === 'br') return brotliDecompressSync(body)
  return coding === 'gzip' ? gunzipSync(body) : body
}

/** Each whole event, comments left out. The marker or an error is the last one, and without it no stream may end. */
function eventFaults(validate: ValidateFunction, { body, complete }: Exchange): string[] {
  const events = body.toString('utf8').split('\n\n').slice(0, -1)
  const values = events.flatMap(event => (event.startsWith(':') ? [] : [dataOf(event)]))
  const last = values.findLastIndex(isEnd)
  // Responses have the marker after their last event.
  const end = values[last] === '[DONE]' && isLast(values[last - 1]) ? last : values.findIndex(isEnd)
  const faults = values.flatMap((value, i) => faultsOf(validate, value, `event ${i}`))
  if (end >= 0 && end < values.length - 1) faults.push(`event ${end} is an end, and more follows`)
  if (end < 0 && complete) faults.push('ends with neither the marker nor an error')
  return faults
}

/** Types of the last events of Responses and Messages. */
const LAST = new Set(['response.completed', 'response.incomplete', 'response.failed', 'message_stop', 'error'])

const isLast = (value: unknown): boolean => LAST.has(String(asNode(value).type))

const isEnd = (value: unknown): boolean => value === '[DONE]' || isLast(value) || asNode(value).error !== undefined

function dataOf(event: string): unknown {
  const data = event.replace(/^event: .*\n/, '').replace(/^data: /, '')
  return data === '[DONE]' ? data : JSON.parse(data)
}

const FORM = 'application/x-www-form-urlencoded'

/** An accepted request must be valid. */
function requestFaults(operation: Node, { requestBody }: Exchange): string[] {
  const { required } = asNode(operation.requestBody)
  if (operation.requestBody === undefined || (required !== true && requestBody.length === 0)) return []
  const content = at(operation, 'requestBody', 'content')
  const text = requestBody.toString('utf8')
  const isForm = FORM in content
  const schema = absolute(at(content, isForm ? FORM : 'application/json', 'schema'))
  const value = isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text)
  return faultsOf(compiled(bodies, schema), value, 'accepted request')
}

function faultsOf(validate: ValidateFunction, value: unknown, what: string): string[] {
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${what} ${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

const validators = new Map<string, ValidateFunction>()

/** A schema compiled once. */
function compiled(ajv: Ajv2020, schema: unknown): ValidateFunction {
  const key = `${ajv === texts} ${JSON.stringify(schema)}`
  const validate = validators.get(key) ?? ajv.compile(asNode(schema))
  validators.set(key, validate)
  return validate
}

function findPath(path: string): string | undefined {
  const patterns = Object.keys(at(document, 'paths'))
  if (patterns.includes(path)) return path
  return patterns.find(pattern =>
    // Names of models may have slashes.
    new RegExp(
      `^${pattern.replaceAll('.', '\\.').replace(/\{\w+\}/g, pattern.startsWith('/v1/models/') ? '.+' : '[^/]+')}$`,
    ).test(path),
  )
}

/** The referenced node, or the node itself. */
function resolved(node: unknown): Node {
  const { $ref } = asNode(node)
  return typeof $ref === 'string' ? at(document, ...$ref.split('/').slice(1)) : asNode(node)
}

/** A schema whose references lead to the schemas of the document from anywhere. */
function absolute(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema ?? {}).replaceAll('"#/components/schemas/', `"${ID}#/$defs/`))
}

function at(node: unknown, ...path: readonly string[]): Node {
  return asNode(path.reduce<unknown>((here, step) => asNode(here)[step], node))
}

function asNode(value: unknown): Node {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
