import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js'
import type { McpToolSettings } from '../../config/settings.ts'
import { UnderWay } from '../../gateway/lifetimes.ts'
import type { Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import type { Egress } from './egress.ts'
import { excerpt, onAborted } from './limits.ts'
import { BROKEN_OFF } from './mcp-answer.ts'
import { McpFetch } from './mcp-fetch.ts'
import { causeOf, ReportedFailure, ToolFailure, UNREADABLE, Unreached } from './tool.ts'

/** Tools with the same address, key and transport share a session. */
export type McpPlace = Pick<McpToolSettings, 'url' | 'key' | 'transport'>

export interface McpSessionPorts {
  readonly egress: Egress
  readonly clock: Clock
  /** Is called when the server notifies that its list of tools changed. */
  readonly toolsChanged: () => void
  /** Called when the session broke: it answers no more requests. */
  readonly ended: () => void
}

/** One session with an MCP server. It declares no capabilities, so that the server sends no requests of its own. */
export class McpSession {
  readonly #sdk: Sdk
  readonly #client: Client
  readonly #place: McpPlace
  readonly #ports: McpSessionPorts
  #terminate: () => Promise<void> = async () => {}
  #failure: ToolFailure | undefined
  readonly #running = new UnderWay()
  #retirement: Promise<void> | undefined

  private constructor(sdk: Sdk, place: McpPlace, ports: McpSessionPorts) {
    this.#sdk = sdk
    this.#place = place
    this.#ports = ports
    this.#client = new sdk.Client(
      { name: 'svc-gateway', version: '1' },
      { capabilities: {}, jsonSchemaValidator: TRUSTING },
    )
    this.#client.setNotificationHandler(sdk.types.ToolListChangedNotificationSchema, ports.toolsChanged)
  }

  /** Connects. Rejects with ToolFailure, after 10 s at the latest. */
  static async open(place: McpPlace, ports: McpSessionPorts): Promise<McpSession> {
    const session = new McpSession(await loadSdk(), place, ports)
    await session.#connect()
    return session
  }

  /** Rejects with ToolFailure; once the signal is aborted with any error. An abort is sent to the server. */
  async request(
    method: 'tools/list' | 'tools/call',
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    // A signal of its own for each request: the SDK listens to it forever, and would cancel requests that were answered long ago.
    const controller = new AbortController()
    const cancel = onAborted(signal, () => controller.abort('no longer needed'))
    this.#running.begin()
    try {
      const options = { signal: controller.signal, timeout: NEVER }
      return await this.#client.request({ method, params }, this.#sdk.types.ResultSchema, options)
    } catch (error) {
      throw this.#failure ?? this.#failureOf(error)
    } finally {
      cancel()
      this.#running.end()
    }
  }

  /** Ends the session after the running requests, and resolves then. */
  retire(): Promise<void> {
    this.#retirement ??= this.#running.none().then(() => this.#end())
    return this.#retirement
  }

  async #connect(): Promise<void> {
    const { clock } = this.#ports
    let late = () => {}
    const broken = new Promise<never>((_, reject) => {
      const fail = (failure: ToolFailure) => {
        this.#break(failure)
        reject(failure)
      }
      late = clock.after(CONNECT_MS, () => fail(new Unreached(`no session within ${CONNECT_MS / 1000} s`)))
      this.#fail = fail
    })
    broken.catch(() => {})
    try {
      await Promise.race([this.#client.connect(await this.#transport(), { timeout: NEVER }), broken])
    } catch (error) {
      this.#break(this.#failureOf(error))
      throw this.#failure
    } finally {
      late()
    }
  }

  #fail: (failure: ToolFailure) => void = () => {}

  async #transport(): Promise<Transport> {
    const { url, key, transport } = this.#place
    const { egress, clock } = this.#ports
    const place = new URL(url)
    const target = { origin: place.origin, ...(key && { key }) }
    const { fetch } = new McpFetch({ target, transport, egress, clock, ended: failure => this.#fail(failure) })
    if (transport === 'sse') {
      const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js')
      return new SSEClientTransport(place, { fetch })
    }
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
    const streamable = new StreamableHTTPClientTransport(place, { fetch, reconnectionOptions: NO_RECONNECTION })
    this.#terminate = () => streamable.terminateSession()
    return streamable
  }

  /** Fails all running requests. */
  #break(failure: ToolFailure): void {
    if (this.#failure) return
    this.#failure = failure
    this.#close()
    this.#ports.ended()
  }

  async #end(): Promise<void> {
    // A server that is gone, or does not support the end of a session, has none to forget.
    await this.#terminate().catch(() => {})
    this.#close()
  }

  #close(): void {
    this.#client.close().catch(() => {})
  }

  #failureOf(error: unknown): ToolFailure {
    if (error instanceof ToolFailure) return error
    const { McpError, ErrorCode } = this.#sdk.types
    if (!(error instanceof McpError)) return new ToolFailure(UNREADABLE, excerpt(causeOf(error)))
    const text = excerpt(error.message.replace(/^(MCP error -?\d+: )+/, ''))
    if (error.code === BROKEN_OFF) return new ToolFailure(text, excerpt(String(error.data)))
    if (error.code === ErrorCode.ConnectionClosed && text === 'Connection closed') return new Unreached(text)
    return new ReportedFailure(`the tool answered with an error: ${text}`)
  }
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>

/** Loads the SDK, which takes a quarter of a second in which nothing else runs. */
export async function loadSdk() {
  const [{ Client }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  return { Client, types }
}

/** The longest that the handshake with a server may take. */
const CONNECT_MS: Millis = 10_000

/** The longest timeout that the SDK accepts: the caller keeps the time. */
const NEVER: Millis = 2 ** 31 - 1

/** A stream that broke off counts as an answer that never came; the timers of a reconnection would outlive the session. */
const NO_RECONNECTION = {
  initialReconnectionDelay: 1,
  maxReconnectionDelay: 1,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 0,
}

/** Results are plain data: the output schemas of a server are not compiled. */
const TRUSTING = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    input => ({ valid: true, data: input as T, errorMessage: undefined }),
}
