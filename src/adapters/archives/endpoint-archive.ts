import { hash } from 'node:crypto'
import { Agent, request } from 'undici'
import { type Archive, type ArchiveState, ArchiveUnavailable } from '../../gateway/archive/archive.ts'
import type { LeavingRow } from '../../gateway/store/archive-store.ts'
import type { Millis } from '../../policy/config.ts'
import { archivedLine, nameOf } from './archived-line.ts'

/**
 * A program that takes rows as NDJSON by POST: each at least once. The same batch has the same `idempotency-key`; where a batch
 * is cut otherwise after a restart, `request_id` and `place` tell a row from all others.
 */
export class EndpointArchive implements Archive {
  readonly shown: string
  readonly #url: URL
  readonly #token: () => string | undefined
  readonly #agent = new Agent({ connect: { timeout: CONNECT_MS }, headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS })

  /** The current token. */
  constructor(url: string, token: () => string | undefined) {
    this.#url = new URL(url)
    // A query may have a secret.
    this.shown = `${this.#url.origin}${this.#url.pathname}`
    this.#token = token
  }

  async write(rows: readonly LeavingRow[]): Promise<void> {
    const names = rows.map(({ place, row }) => nameOf(row.requestId, place))
    const status = await this.#send('POST', rows.map(archivedLine).join(''), {
      'content-type': 'application/x-ndjson',
      'idempotency-key': hash('sha256', names.join('\n')),
    })
    // A redirect would take the rows to a place that no file names.
    if (status < 200 || status >= 300) throw this.#unavailable(`it answered ${status}`)
  }

  /** Only needs an answer: any response to a HEAD will do, unless it refuses the token. */
  async check(): Promise<ArchiveState> {
    const status = await this.#send('HEAD')
    if (status === 401 || status === 403) throw this.#unavailable(`it answered ${status}: look at the token`)
    if (status >= 500 && status !== 501) throw this.#unavailable(`it answered ${status}`)
    return { about: 'it answers' }
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  /** Resolves to the status once the whole answer came. */
  async #send(method: 'POST' | 'HEAD', body?: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
    const token = this.#token()
    try {
      const answer = await request(this.#url, {
        method,
        dispatcher: this.#agent,
        signal: AbortSignal.timeout(ANSWER_MS),
        headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        ...(body !== undefined && { body }),
      })
      await answer.body.dump()
      return answer.statusCode
    } catch (error) {
      throw this.#unavailable(error instanceof Error ? error.message : String(error), error)
    }
  }

  #unavailable(reason: string, cause?: unknown): ArchiveUnavailable {
    return new ArchiveUnavailable(`${this.shown}: ${reason}`, { cause })
  }
}

const CONNECT_MS: Millis = 5000
const ANSWER_MS: Millis = 20_000
