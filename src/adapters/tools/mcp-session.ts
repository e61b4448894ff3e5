import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js'
import type { McpToolSettings } from '../../config/settings.ts'
import type { Clock } from '../../gateway/ports.ts'
import { UnderWay } from '../../gateway/under-way.ts'
import type { Millis } from '../../policy/config.ts'
import { onAborted } from './aborted.ts'
import { excerpt } from './bounded.ts'
import type { Egress } from './egress.ts'
import { causeOf, ToldFailure, ToolFailure, UNREADABLE, Unreached } from './failure.ts'
import { BROKEN_OFF } from './mcp-answer.ts'
import { McpFetch } from './mcp-fetch.ts'

/** Until the server has introduced itself. */
const CONNECT_MS: Millis = 10_000

/** The longest the SDK can be told to wait: whoever asks keeps time. */
const NEVER: Millis = 2 ** 31 - 1

/** What makes one session other than another. */
export type McpPlace = Pick<McpToolSettings, 'url' | 'key' | 'transport'>

export interface McpSessionPorts {
  readonly egress: Egress
  readonly clock: Clock
  /** The server has other tools than it had. */
  readonly toolsChanged: () => void
  /** It broke, and will answer nothing any more. */
  readonly ended: () => void
}

/** One session with an MCP server. The server is told of no capabilities, so that it asks for nothing in return. */
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

  /** Rejects with ToolFailure, or with whatever once the signal is aborted, of which the server is told. */
  async request(
    method: 'tools/list' | 'tools/call',
    params: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    // One of its own: the SDK listens to it forever, and would cancel what has long been answered.
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

  /** Ends it once what is under way has ended, and resolves then. */
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

  /** Whatever is under way fails. */
  #break(failure: ToolFailure): void {
    if (this.#failure) return
    this.#failure = failure
    this.#close()
    this.#ports.ended()
  }

  async #end(): Promise<void> {
    // A server that is gone, or knows no end of sessions, has nothing to forget.
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
    const said = excerpt(error.message.replace(/^(MCP error -?\d+: )+/, ''))
    if (error.code === BROKEN_OFF) return new ToolFailure(said, excerpt(String(error.data)))
    if (error.code === ErrorCode.ConnectionClosed && said === 'Connection closed') return new Unreached(said)
    return new ToldFailure(`the tool answered with an error: ${said}`)
  }
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>

/** A quarter of a second, in which nothing else runs. */
export async function loadSdk() {
  const [{ Client }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  return { Client, types }
}

/** A stream that broke off is an answer that never came; its timers would outlive us. */
const NO_RECONNECTION = {
  initialReconnectionDelay: 1,
  maxReconnectionDelay: 1,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 0,
}

/** Results are data, whatever a server says of their form: its schemas are not compiled. */
const TRUSTING = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    input => ({ valid: true, data: input as T, errorMessage: undefined }),
}
