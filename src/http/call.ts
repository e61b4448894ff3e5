import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Cancel, Client } from '../gateway/ports.ts'
import type { Denial } from '../policy/denial.ts'
import { type ErrorTerms, renderDenial } from '../wire/denial.ts'
import type { ClientAddress } from './client-address.ts'

/** One request as the server received it, and the ways to answer it. */
export class HttpCall implements Client {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  /** The path without its query. */
  readonly path: string
  readonly terms: ErrorTerms
  /** Resolves once nothing more can be sent. */
  readonly closed: Promise<void>
  readonly #addressOf: ClientAddress
  readonly #leavers = new Set<() => void>()
  #gone = false
  /** What the request's line of the log adds to status and time. */
  note: CallNote = {}

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    { terms, addressOf }: { readonly terms: ErrorTerms; readonly addressOf: ClientAddress },
  ) {
    this.#addressOf = addressOf
    this.request = request
    this.response = response
    this.requestId = requestId
    this.terms = terms
    const target = request.url ?? '/'
    const query = target.indexOf('?')
    this.path = query === -1 ? target : target.slice(0, query)
    response.setHeader('x-request-id', requestId)
    this.closed = new Promise(resolve => {
      const close = () => {
        response.off('close', close)
        request.socket.off('close', close)
        // Asked here and kept: a later end() of a response nobody reads counts as finished.
        this.#gone = !response.writableFinished
        if (this.#gone) for (const run of [...this.#leavers]) run()
        resolve()
      }
      response.on('close', close)
      // Node tells only the response whose turn it is; those of pipelined requests would never hear.
      request.socket.on('close', close)
    })
  }

  /** Where the client calls from. It is in no line of the log: beside a plan or a model it would be a person's trail. */
  get clientAddress(): string {
    return this.#addressOf(this.request)
  }

  get gone(): boolean {
    return this.#gone
  }

  /** Whether its answer has begun, or will without more of the request. */
  get answering(): boolean {
    return this.response.headersSent || this.request.complete
  }

  onGone(run: () => void): Cancel {
    if (this.#gone) run()
    else this.#leavers.add(run)
    return () => this.#leavers.delete(run)
  }

  json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
    this.send(status, 'application/json', Buffer.from(JSON.stringify(body)), headers)
  }

  send(status: number, type: string, bytes: Buffer, headers: Readonly<Record<string, string>> = {}): void {
    this.response.writeHead(status, { ...headers, 'content-type': type, 'content-length': bytes.length })
    this.response.end(bytes)
  }

  deny(denial: Denial): void {
    this.note = { ...this.note, code: denial.code, ...('type' in denial && { type: denial.type }) }
    const { status, reason, headers, body } = renderDenial(denial, this.terms)
    const bytes = Buffer.from(JSON.stringify(body))
    this.response.writeHead(status, reason, {
      ...headers,
      'content-type': 'application/json',
      'content-length': bytes.length,
    })
    this.response.end(bytes)
  }
}

/** Facts of a request for its line of the log; no prompt, no key. */
export interface CallNote {
  readonly code?: string
  readonly type?: string
  readonly plan?: string
  readonly asked?: string
  readonly model?: string
  readonly pool?: string
  readonly failures?: readonly { pool: string; cause: string }[]
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cost?: number
  readonly estimated?: boolean
  /** Set when the answer did not end well. */
  readonly interrupted?: string
}
