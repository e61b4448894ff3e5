import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { McpToolSettings } from '../../config/settings.ts'
import type { Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import { isObject } from '../../wire/json-safety.ts'
import { type Ask, drop, type Egress, type Target } from './egress.ts'
import { eventsAtMost, onAborted } from './limits.ts'
import { answered, closing, eventsOf, reportingEnd, type Sent, streamed } from './mcp-answer.ts'
import { ToolFailure, UNREACHABLE, Unreached, unreachable } from './tool.ts'

/** The server does not know the session, so that it did not begin the request. */
export class SessionLost extends ToolFailure {}

export interface McpFetchPorts {
  readonly target: Target
  readonly transport: McpToolSettings['transport']
  readonly egress: Egress
  readonly clock: Clock
  /** Is called when the stream that brings all answers has ended. */
  readonly ended: (failure: ToolFailure) => void
}

/**
 * The `fetch` of the SDK's transports: with limits, and with an error for each answer that never comes. The SDK itself
 * would wait for the answers of a stream that ended without them.
 */
export class McpFetch {
  readonly #ports: McpFetchPorts
  /** Running requests, by their id. */
  readonly #requests = new Map<unknown, AbortController>()

  constructor(ports: McpFetchPorts) {
    this.#ports = ports
  }

  readonly fetch: FetchLike = (url, init = {}) => {
    const asked = {
      url: new URL(url),
      headers: Object.fromEntries(new Headers(init.headers)),
      signal: init.signal ?? new AbortController().signal,
    }
    if (init.method === 'POST') return this.#post(asked, String(init.body))
    if (init.method === 'DELETE') return this.#notice({ ...asked, method: 'DELETE' }, END_MS)
    return this.#ports.transport === 'sse' ? this.#stream({ ...asked, method: 'GET' }) : this.#listen(asked)
  }

  async #post(asked: Asked, body: string): Promise<Response> {
    const message: unknown = JSON.parse(body)
    const ask: Ask = { ...asked, method: 'POST', body }
    const { id, method, params } = isObject(message) ? message : {}
    if (this.#ports.transport === 'streamable_http' && id !== undefined && typeof method === 'string')
      return this.#request(ask, id, method)
    try {
      return await this.#notice(ask)
    } catch (error) {
      // A server that takes no message will not answer on its stream either, which has only not noticed yet.
      if (this.#ports.transport === 'sse' && error instanceof Unreached) this.#ports.ended(error)
      throw error
    } finally {
      // The cancellation was sent; the request ends here, whether the server heeds it or not.
      if (method === 'notifications/cancelled' && isObject(params))
        this.#requests.get(params.requestId)?.abort(new ToolFailure('cancelled'))
    }
  }

  /** A message whose answer, if there is one, comes over the stream. */
  async #notice(ask: Ask, time = HEADERS_MS): Promise<Response> {
    const { answer, over } = await this.#send(ask, time)
    drop(answer)
    over()
    return new Response(null, { status: answer.statusCode })
  }

  /** A message that is answered in the body. */
  async #request(ask: Ask, id: unknown, method: string): Promise<Response> {
    const controller = new AbortController()
    this.#requests.set(id, controller)
    const cancel = onAborted(ask.signal, () => controller.abort(ask.signal.reason))
    const over = () => {
      cancel()
      this.#requests.delete(id)
    }
    try {
      const time = method === 'tools/call' ? undefined : HEADERS_MS
      const sent = await this.#send({ ...ask, signal: controller.signal }, time)
      return await answered(sent, id, over)
    } catch (error) {
      over()
      throw error
    }
  }

  /** The stream for notifications of the server, where it offers one. */
  async #listen(asked: Asked): Promise<Response> {
    const { answer, over } = await this.#send({ ...asked, method: 'GET' }, HEADERS_MS, status => status === 405)
    if (answer.statusCode === 405) {
      drop(answer)
      over()
      return new Response(null, { status: 405 })
    }
    return streamed(answer, closing(eventsAtMost(eventsOf(answer)), over))
  }

  /** The stream over which all answers come: none comes after its end. */
  async #stream(ask: Ask): Promise<Response> {
    const { ended } = this.#ports
    try {
      const { answer, over } = await this.#send(ask, HEADERS_MS)
      return streamed(answer, reportingEnd(closing(eventsAtMost(eventsOf(answer)), over), ended))
    } catch (error) {
      ended(unreachable(error))
      throw error
    }
  }

  /** The answer if its status is below 300, or `fine` accepts it; `over` is to be called when its body has ended. Rejects with ToolFailure. */
  async #send(ask: Ask, time?: Millis, fine = (_: number) => false): Promise<Sent> {
    const { egress, target, clock } = this.#ports
    const controller = new AbortController()
    const over = onAborted(ask.signal, () => controller.abort(ask.signal.reason))
    const late = () => controller.abort(new Unreached(`no answer within ${(time ?? 0) / 1000} s`))
    const inTime = time === undefined ? () => {} : clock.after(time, late)
    try {
      const answer = await egress.send(target, { ...ask, signal: controller.signal })
      if (answer.statusCode < 300 || fine(answer.statusCode)) return { answer, over }
      drop(answer)
      throw this.#refusal(answer.statusCode, ask)
    } catch (error) {
      over()
      throw error
    } finally {
      inTime()
    }
  }

  #refusal(status: number, { method, headers }: Ask): ToolFailure {
    const detail = `it answers ${status}`
    // With SSE the session is a part of the address.
    const ofSession = headers['mcp-session-id'] || (this.#ports.transport === 'sse' && method === 'POST')
    // Servers written after the SDK's examples answer 400 for a session that they forgot.
    if ((status === 404 || status === 400) && ofSession) return new SessionLost(UNREACHABLE, detail)
    return new ToolFailure(`the tool answered ${status}`, detail)
  }
}

type Asked = Pick<Ask, 'url' | 'headers' | 'signal'>

/** The longest from a request to the headers of its answer, but for calls of tools: their callers keep the time. */
const HEADERS_MS: Millis = 10_000
/** The time for ending a session, because the end of the process may wait for it. */
const END_MS: Millis = 1000
