import { Agent, type Dispatcher, request } from 'undici'
import type { Secret } from '../../config/settings.ts'
import { lookupHost } from '../../gateway/descriptors.ts'
import { parseUrl } from '../../kit/parse-url.ts'
import { ToolFailure, unreachable } from './tool.ts'

/** Where requests may go, and with what. */
export interface Target {
  readonly origin: string
  /** Is sent as a bearer token, to this origin only. */
  readonly key?: Secret
}

/** One request. */
export interface Ask {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'OPTIONS'
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

export type Answer = Dispatcher.ResponseData

/** The way out to tools: to configured origins, without cookies, compression, or credentials but the tool's own. */
export class Egress {
  // The callers keep the time: undici's own timers are coarse.
  readonly #agent = new Agent({
    connect: { timeout: CONNECT_MS, lookup: lookupHost },
    headersTimeout: 0,
    bodyTimeout: 0,
  })

  /**
   * The answer to a request, with any status but a redirect: three redirects are followed, if they keep method and
   * origin. Rejects with ToolFailure.
   */
  async send(target: Target, ask: Ask): Promise<Answer> {
    let { url } = ask
    for (let redirects = 0; ; redirects++) {
      if (url.origin !== target.origin) throw elsewhere('to another origin')
      const answer = await this.#sendOnce(target, ask, url)
      if (answer.statusCode < 300 || answer.statusCode >= 400) return answer
      drop(answer)
      url = next(answer, url)
      if (redirects === REDIRECTS_MAX) throw elsewhere(`more than ${REDIRECTS_MAX} times`)
    }
  }

  /** Closes the connections after the running requests. */
  close(): void {
    this.#agent.close().catch(() => {
      // Closed before.
    })
  }

  async #sendOnce({ key }: Target, { method, headers, body, signal }: Ask, url: URL): Promise<Answer> {
    try {
      const answer = await request(url, {
        dispatcher: this.#agent,
        method,
        headers: {
          ...headers,
          'accept-encoding': 'identity',
          ...(key && { authorization: `Bearer ${key.reveal()}` }),
        },
        ...(body !== undefined && { body }),
        signal,
      })
      // The body may be dropped while it arrives.
      answer.body.on('error', () => {})
      return answer
    } catch (error) {
      throw unreachable(error)
    }
  }
}

const CONNECT_MS = 5000
const REDIRECTS_MAX = 3

/** Discards the body of an answer. */
export const drop = ({ body }: Answer): void => void body.destroy()

/** `application/json; charset=utf-8` is application/json. */
export function mediaType({ headers }: Answer): string {
  const [essence] = String(headers['content-type'] ?? '').split(';')
  return essence?.trim().toLowerCase() ?? ''
}

function next({ statusCode, headers }: Answer, from: URL): URL {
  const { location } = headers
  if (statusCode !== 307 && statusCode !== 308) throw elsewhere(`with ${statusCode}, which may drop the request`)
  const target = typeof location === 'string' ? parseUrl(location, from) : undefined
  if (!target) throw elsewhere('nowhere')
  return target
}

const elsewhere = (how: string): ToolFailure =>
  new ToolFailure('the tool sent the request elsewhere', `it redirects ${how}`)
