import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import type http from 'node:http'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { type Answer, Door, type Received } from './door.ts'

export type { Received } from './door.ts'

export interface McpServerOptions {
  /** `streamable_http` unless said. */
  readonly transport?: 'streamable_http' | 'sse'
  /** Whether it keeps sessions; without, each request stands alone. Streamable HTTP only; true unless said. */
  readonly sessions?: boolean
  /** Whether it answers with plain JSON in place of event streams. Streamable HTTP only. */
  readonly json?: boolean
  /** Whether it has a stream for what it says unasked; otherwise a GET is a 405. True unless said. */
  readonly listens?: boolean
  /** Requests must carry it as bearer. */
  readonly key?: string
  /** Tools on a page of the list; all unless said. */
  readonly pageSize?: number
}

/** A tool of the server, as the test wants it. */
export interface ScriptedTool {
  readonly description?: string
  /** As it is, also where it is no schema. An object of anything unless said. */
  readonly inputSchema?: unknown
  run(args: Readonly<Record<string, unknown>>, signal: AbortSignal): CallToolResult | Promise<CallToolResult>
}

/** A call as a tool received it. */
export interface Called {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** Whether the client called it off, or left, before it was done. */
  cancelled: boolean
}

export const text = (...texts: string[]): CallToolResult => ({
  content: texts.map(each => ({ type: 'text' as const, text: each })),
})

/** Starts an MCP server on a free loopback port, with the tools of `McpServer`. */
export async function startMcpServer(options: McpServerOptions = {}): Promise<McpServer> {
  const server = new McpServer(options)
  await server.door.open()
  return server
}

/**
 * A real MCP server, the SDK's own. Its tools at first:
 * - `echo` says its argument `text`
 * - `fail` fails with the text `no luck`
 * - `hang` says `released` once the test calls `release`, and notices when it is cancelled
 * - `huge` says `bytes` times the letter x
 * - `image` gives a text, an image, an embedded text and a link
 * - `structured` gives `{"sum":3}`, and no text
 */
export class McpServer {
  /** Tools by name; a test may add, change and delete. */
  readonly tools = new Map<string, ScriptedTool>()
  /** Calls of tools, in the order in which they came. */
  readonly calls: Called[] = []
  /** Pages of the list of tools that were asked for. */
  lists = 0
  /** Sessions that were opened since the start. */
  opened = 0
  readonly door: Door
  /** Takes the place of the SDK in answering requests for `tools/call`, to be whatever a server must not be. */
  instead: Answer | undefined

  readonly #options: McpServerOptions
  readonly #sessions = new Map<string, { readonly server: Server; readonly transport: Transport }>()
  readonly #releases = new EventEmitter().setMaxListeners(0)

  constructor(options: McpServerOptions) {
    this.#options = options
    this.door = new Door((...exchange) => this.#answer(...exchange))
    this.tools.set('echo', {
      description: 'Says what it is told.',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      run: args => text(String(args.text)),
    })
    this.tools.set('fail', { run: () => ({ ...text('no luck'), isError: true }) })
    this.tools.set('hang', { run: (_, signal) => this.#released(signal) })
    this.tools.set('huge', { run: ({ bytes }) => text('x'.repeat(Number(bytes))) })
    this.tools.set('image', { run: () => MIXED })
    this.tools.set('structured', { run: () => ({ content: [], structuredContent: { sum: 3 } }) })
  }

  /** The URL for clients. */
  get url(): string {
    return `${this.door.origin}${this.#options.transport === 'sse' ? '/sse' : '/mcp'}`
  }

  /** All HTTP requests, in the order in which their bodies were complete. */
  get requests(): readonly Received[] {
    return this.door.requests
  }

  /** Lets the calls of `hang` end that run now. */
  release(): void {
    this.#releases.emit('release')
  }

  /** Tells the clients that listen that the tools have changed. */
  async changed(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map(({ server }) => server.sendToolListChanged()))
  }

  /** Forgets its sessions, as after a restart. */
  async forget(): Promise<void> {
    const sessions = [...this.#sessions.values()]
    this.#sessions.clear()
    await Promise.all(sessions.map(({ transport }) => transport.close()))
  }

  /** As if it was down: what is open ends, and what comes is cut off. */
  refuse(): void {
    this.door.refuse()
  }

  /** Forgets its sessions, and serves again. */
  async listenAgain(): Promise<void> {
    await this.forget()
    this.door.serve()
  }

  /** Resolves once the condition holds; it is looked at whenever something happens here. */
  async until(condition: () => boolean): Promise<void> {
    await this.door.until(condition)
  }

  async close(): Promise<void> {
    await this.forget()
    await this.door.close()
  }

  async #answer(received: Received, response: http.ServerResponse, request: http.IncomingMessage): Promise<void> {
    const { key, transport, sessions = true } = this.#options
    if (this.instead && received.rawBody.includes('"tools/call"')) return void this.instead(received, response, request)
    if (key !== undefined && received.headers.authorization !== `Bearer ${key}`) refuse(response, 401)
    else if (transport === 'sse') await this.#sse(received, response, request)
    else if (sessions) await this.#streamable(received, response, request)
    else await this.#alone(received, response, request)
  }

  async #sse({ method, path, rawBody }: Received, response: http.ServerResponse, request: http.IncomingMessage) {
    if (method === 'GET') {
      const transport = new SSEServerTransport('/messages', response)
      await this.#serve(transport, transport.sessionId)
      return
    }
    const session = this.#sessions.get(new URL(path, this.door.origin).searchParams.get('sessionId') ?? '')
    if (session?.transport instanceof SSEServerTransport)
      await session.transport.handlePostMessage(request, response, JSON.parse(rawBody))
    else refuse(response, 404)
  }

  async #streamable(received: Received, response: http.ServerResponse, request: http.IncomingMessage) {
    const { method, headers, rawBody } = received
    const { json = false, listens = true } = this.#options
    if (method === 'GET' && !listens) return refuse(response, 405)
    const id = headers['mcp-session-id']
    const known = typeof id === 'string' ? this.#sessions.get(id)?.transport : undefined
    if (id !== undefined && !known) return refuse(response, 404)
    const body = rawBody === '' ? undefined : JSON.parse(rawBody)
    if (known instanceof StreamableHTTPServerTransport) return known.handleRequest(request, response, body)
    const name = randomUUID()
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => name, enableJsonResponse: json })
    await this.#serve(transport, name)
    await transport.handleRequest(request, response, body)
  }

  /** Each request by a server of its own. */
  async #alone({ method, rawBody }: Received, response: http.ServerResponse, request: http.IncomingMessage) {
    if (method !== 'POST') return refuse(response, 405)
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: this.#options.json ?? false })
    const server = this.#scripted()
    response.on('close', () => server.close())
    await server.connect(transport)
    await transport.handleRequest(request, response, JSON.parse(rawBody))
  }

  async #serve(transport: Transport, name: string): Promise<void> {
    const server = this.#scripted()
    this.#sessions.set(name, { server, transport })
    this.opened++
    server.onclose = () => this.#sessions.delete(name)
    await server.connect(transport)
  }

  #scripted(): Server {
    const server = new Server({ name: 'scripted', version: '1' }, { capabilities: { tools: { listChanged: true } } })
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => this.#list(Number(params?.cursor ?? 0)))
    server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
      this.#call(params.name, params.arguments ?? {}, signal),
    )
    return server
  }

  #list(from: number) {
    this.lists++
    const { pageSize = Number.POSITIVE_INFINITY } = this.#options
    const tools = [...this.tools].map(([name, { description, inputSchema = { type: 'object' } }]) => ({
      name,
      ...(description !== undefined && { description }),
      inputSchema,
    }))
    const to = from + pageSize
    return { tools: tools.slice(from, to), ...(to < tools.length && { nextCursor: String(to) }) }
  }

  async #call(name: string, args: Called['args'], signal: AbortSignal): Promise<CallToolResult> {
    const tool = this.tools.get(name)
    if (!tool) throw new McpError(-32602, `there is no tool ${name}`)
    const call: Called = { tool: name, args, cancelled: false }
    signal.addEventListener('abort', () => {
      call.cancelled = true
      this.door.happened()
    })
    this.calls.push(call)
    this.door.happened()
    return tool.run(args, signal)
  }

  #released(signal: AbortSignal): Promise<CallToolResult> {
    return new Promise(resolve => {
      const end = () => resolve(text('released'))
      this.#releases.once('release', end)
      signal.addEventListener('abort', end)
    })
  }
}

const refuse = (response: http.ServerResponse, status: number): void => void response.writeHead(status).end()

const MIXED: CallToolResult = {
  content: [
    { type: 'text', text: 'a picture:' },
    { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'file:///notes', text: 'and notes' } },
    { type: 'resource_link', uri: 'https://example.com/', name: 'more' },
  ],
}
