import type { McpToolSettings } from '../../config/settings.ts'
import type { Alarm, Clock, ToolDefinition } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import { isObject } from '../../wire/json-safety.ts'
import type { Egress } from './egress.ts'
import { bounded, clean } from './limits.ts'
import { SessionLost } from './mcp-fetch.ts'
import { loadSdk, type McpPlace, McpSession } from './mcp-session.ts'
import {
  type Arguments,
  type Complain,
  complainer,
  deeperThan,
  type Outcome,
  RecentFailure,
  type Tool,
  ToolFailure,
  UNREADABLE,
  Unreached,
  unreachable,
} from './tool.ts'

export interface McpServerPorts {
  readonly egress: () => Egress
  readonly clock: Clock
  readonly alarm: Alarm
}

/** One MCP server, whose tools share one session and one list. */
export class McpServer {
  readonly #place: McpPlace
  readonly #ports: McpServerPorts
  readonly #wanted = new Set<string>()
  readonly #complain: Complain
  #session: Promise<McpSession> | undefined
  #tools: ReadonlyMap<string, Listed> | undefined
  #listedAt: Millis = 0
  /** The server notified that its list of tools changed. */
  #changed = false
  #listing: Promise<void> | undefined
  #failure: ToolFailure | undefined
  #restUntil: Millis = Number.NEGATIVE_INFINITY

  constructor(place: McpPlace, ports: McpServerPorts) {
    this.#place = place
    this.#ports = ports
    const wrong = 'the tools of an MCP server cannot be learnt: are its address and key right?'
    const right = 'the tools of an MCP server can be learnt again'
    this.#complain = complainer(ports.alarm, { wrong, right }, { server: new URL(place.url).origin })
  }

  /** Adds a tool to look up in the server's list. Call it before the first lookup. */
  want(tool: string): void {
    this.#wanted.add(tool)
  }

  /**
   * The wanted tools that the server lists. Where it cannot be asked now, its last list; undefined where there never was
   * one. Never rejects.
   */
  async tools(): Promise<ReadonlyMap<string, Listed> | undefined> {
    const fresh = !this.#changed && this.#ports.clock.elapsed() < this.#listedAt + FRESH_MS
    if ((this.#tools && fresh) || this.#resting()) return this.#tools
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined
    })
    if (!this.#tools || this.#changed) await this.#listing
    return this.#tools
  }

  /** The result of `tools/call`. Rejects as `request` of a session does. */
  call(name: string, args: Arguments, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    return this.#within(session => session.request('tools/call', { name, arguments: args }, signal))
  }

  /** Ends the session after the running requests, and resolves then. */
  async close(): Promise<void> {
    const session = await this.#session?.catch(() => undefined)
    await session?.retire()
  }

  /** Never rejects. */
  async #list(): Promise<void> {
    const { clock } = this.#ports
    const controller = new AbortController()
    const late = new Unreached(`no list of its tools within ${LIST_MS / 1000} s`)
    const cancel = clock.after(LIST_MS, () => controller.abort(late))
    this.#changed = false
    try {
      this.#tools = await this.#within(session => listTools(session, this.#wanted, controller.signal))
      this.#listedAt = clock.elapsed()
      this.#complain(undefined)
    } catch (error) {
      this.#listedAt = Number.NEGATIVE_INFINITY
      this.#failed(controller.signal.aborted ? late : unreachable(error))
    } finally {
      cancel()
    }
  }

  /** Runs `use` on the session; where the server has forgotten it, once more on a new one. */
  async #within<T>(use: (session: McpSession) => Promise<T>): Promise<T> {
    const opening = this.#connected()
    const session = await opening
    try {
      return await use(session)
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error
      this.#drop(opening)
      session.retire()
      return use(await this.#connected())
    }
  }

  #connected(): Promise<McpSession> {
    if (this.#session) return this.#session
    if (this.#failure && this.#resting()) return Promise.reject(this.#failure)
    const opening = this.#open(() => this.#drop(opening))
    this.#session = opening
    return opening
  }

  async #open(ended: () => void): Promise<McpSession> {
    const { egress, clock } = this.#ports
    const toolsChanged = () => {
      this.#changed = true
    }
    try {
      const session = await McpSession.open(this.#place, { egress: egress(), clock, toolsChanged, ended })
      // The new session may be with another version of the server.
      this.#listedAt = Number.NEGATIVE_INFINITY
      return session
    } catch (error) {
      ended()
      throw this.#failed(unreachable(error))
    }
  }

  #drop(session: Promise<McpSession>): void {
    if (this.#session === session) this.#session = undefined
  }

  #failed(failure: ToolFailure): ToolFailure {
    this.#failure = new RecentFailure(failure.message, failure.detail)
    this.#restUntil = this.#ports.clock.elapsed() + REST_MS
    this.#complain(failure)
    return this.#failure
  }

  #resting(): boolean {
    return this.#ports.clock.elapsed() < this.#restUntil
  }
}

/** How long a list of tools is used before it is read again. */
const FRESH_MS: Millis = 5 * 60_000
/** How long a server is left alone after a failure. */
const REST_MS: Millis = 5000
const LIST_MS: Millis = 10_000

/** The definition of a tool as its server lists it, or why it cannot be given to a model. */
type Listed = { readonly definition: ToolDefinition } | { readonly problem: string }

/** The wanted tools that the server lists on its first 20 pages. Rejects as `request` does. */
async function listTools(
  session: McpSession,
  wanted: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Listed>> {
  const found = new Map<string, Listed>()
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const { tools, nextCursor } = await session.request('tools/list', cursor === undefined ? {} : { cursor }, signal)
    if (!Array.isArray(tools)) throw new ToolFailure(UNREADABLE, 'its list of tools is none')
    for (const tool of tools.filter(isObject)) {
      const { name } = tool
      if (typeof name === 'string' && wanted.has(name) && !found.has(name)) found.set(name, listed(tool))
    }
    if (typeof nextCursor !== 'string' || found.size === wanted.size) break
    cursor = nextCursor
  }
  return found
}

function listed({ description, inputSchema }: Readonly<Record<string, unknown>>): Listed {
  if (!isObject(inputSchema) || inputSchema.type !== 'object')
    return { problem: 'its input schema is not that of an object' }
  if (deeperThan(inputSchema, SCHEMA_DEPTH_MAX))
    return { problem: `its input schema is nested deeper than ${SCHEMA_DEPTH_MAX} levels` }
  if (Buffer.byteLength(JSON.stringify(inputSchema)) > SCHEMA_BYTES_MAX)
    return { problem: 'its input schema is longer than 64 KiB' }
  const text = typeof description === 'string' ? bounded(clean(description), DESCRIPTION_BYTES_MAX) : ''
  return { definition: { description: text, parameters: inputSchema } }
}

const PAGES_MAX = 20
const DESCRIPTION_BYTES_MAX = 8 * 1024
const SCHEMA_BYTES_MAX = 64 * 1024
const SCHEMA_DEPTH_MAX = 64

/** A tool of an MCP server. */
export class McpTool implements Tool {
  readonly #settings: McpToolSettings
  readonly #server: McpServer
  readonly #complain: Complain

  constructor(settings: McpToolSettings, server: McpServer, complain: Complain) {
    this.#settings = settings
    this.#server = server
    this.#complain = complain
    server.want(settings.tool)
  }

  async define(): Promise<ToolDefinition | undefined> {
    const { tool, description } = this.#settings
    const tools = await this.#server.tools()
    // The server has raised the alarm.
    if (!tools) return undefined
    const listed = tools.get(tool) ?? { problem: 'the server lists no such tool' }
    this.#complain('problem' in listed ? new ToolFailure(listed.problem) : undefined)
    if ('problem' in listed) return undefined
    return description === undefined ? listed.definition : { ...listed.definition, description }
  }

  load(): Promise<unknown> {
    return loadSdk()
  }

  async call(args: Arguments, signal: AbortSignal): Promise<Outcome> {
    return outcomeOf(await this.#server.call(this.#settings.tool, args, signal))
  }
}

/** The result of a `tools/call` as text: its texts, else its structured content, and a mark for any other content. */
function outcomeOf(result: Readonly<Record<string, unknown>>): Outcome {
  const { content = [], structuredContent, isError } = result
  if (!Array.isArray(content) || !('content' in result || 'structuredContent' in result))
    throw new ToolFailure(UNREADABLE, 'its result has no content')
  const parts = content.map(partOf)
  const lines = parts.map(({ text, mark }) => text ?? mark ?? '')
  const structured = structuredContent !== undefined && !parts.some(({ text }) => text)
  if (structured) lines.unshift(JSON.stringify(structuredContent))
  return { text: lines.join('\n'), failed: isError === true }
}

interface Part {
  readonly text?: string
  /** The placeholder for content that is not text. */
  readonly mark?: string
}

function partOf(block: unknown): Part {
  if (!isObject(block)) return leftOut('content')
  const { type, text, resource } = block
  if (type === 'text' && typeof text === 'string') return { text }
  if (type === 'resource' && isObject(resource))
    return typeof resource.text === 'string' ? { text: resource.text } : leftOut('resource', resource.mimeType)
  if (type === 'image' || type === 'audio') return leftOut(type, block.mimeType)
  return leftOut(type === 'resource_link' ? 'link' : 'content')
}

const leftOut = (what: string, mimeType?: unknown): Part => ({
  mark: `[${typeof mimeType === 'string' && MIME.test(mimeType) ? mimeType : what} left out]`,
})

const MIME = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/
