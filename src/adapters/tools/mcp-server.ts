import type { Alarm, Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import { type Complain, complainer } from './complaint.ts'
import type { Egress } from './egress.ts'
import { KnownFailure, type ToolFailure, Unreached, unreachable } from './failure.ts'
import { type Listed, listTools } from './mcp-definitions.ts'
import { SessionLost } from './mcp-fetch.ts'
import { type McpPlace, McpSession } from './mcp-session.ts'
import type { Arguments } from './tool.ts'

/** How long a list of tools is believed. */
const FRESH_MS: Millis = 5 * 60_000
/** After a failure, until the server is asked again. */
const REST_MS: Millis = 5000
const LIST_MS: Millis = 10_000

export interface McpServerPorts {
  readonly egress: () => Egress
  readonly clock: Clock
  readonly alarm: Alarm
}

/** One MCP server, which some of our tools share: one session, and one list of tools. */
export class McpServer {
  readonly #place: McpPlace
  readonly #ports: McpServerPorts
  readonly #wanted = new Set<string>()
  readonly #complain: Complain
  #session: Promise<McpSession> | undefined
  #tools: ReadonlyMap<string, Listed> | undefined
  #listedAt: Millis = 0
  /** The server said that its tools are others. */
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

  /** To be called for each tool that will be asked for, before any is. */
  want(tool: string): void {
    this.#wanted.add(tool)
  }

  /**
   * What the server lists, as far as it is wanted; the last it listed where it cannot be asked, undefined where it never
   * could. Never rejects.
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

  /** Ends the session once what is under way has ended, and resolves then. */
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

  /** A session that the server has forgotten is made again, once. */
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
      // It may be with another version of the server.
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
    this.#failure = new KnownFailure(failure.message, failure.detail)
    this.#restUntil = this.#ports.clock.elapsed() + REST_MS
    this.#complain(failure)
    return this.#failure
  }

  #resting(): boolean {
    return this.#ports.clock.elapsed() < this.#restUntil
  }
}
