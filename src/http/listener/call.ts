import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { withoutKeys } from '../../gateway/accounts/keys.ts'
import { UNCOUNTED_BYTES } from '../../gateway/answer/memory.ts'
import type { Cancel, Client, Clock, RequestTrace } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import { isOfRule, ruleOf } from '../../policy/counters/refusal.ts'
import type { Denial } from '../../policy/denial.ts'
import { type ChosenForm, chooseForm, type FormSetting } from '../../wire/chosen-form.ts'
import type { StreamError } from '../../wire/client-dialect.ts'
import type { AnyDenial } from '../../wire/errors/codes.ts'
import { denialEvent, renderDenial, streamErrorOf } from '../../wire/errors/denial.ts'
import type { ErrorForm } from '../../wire/errors/forms.ts'
import type { ErrorTerms } from '../../wire/errors/texts.ts'
import { addRate, type RateState } from '../../wire/quota-headers.ts'
import { headerBounds } from '../../wire/response-headers.ts'
import { CallNote } from '../log-entry.ts'
import { type AnswerResources, CallCosts } from './call-costs.ts'
import {
  ANSWER,
  type AnswerEvent,
  type AnswerState,
  CLIENT,
  type ClientEvent,
  type ClientState,
  FINAL,
  GONE,
  HEARD,
} from './call-states.ts'
import type { ClientAddresses } from './client-address.ts'
import { endInPieces, watchReader } from './large-answer.ts'
import { LINGER } from './malformed.ts'
import { hasBody } from './request-form.ts'
import type { Upgrade } from './upgrade.ts'

/** One request as the server received it, and the ways to answer it. `call-states.ts` has its states. */
export class HttpCall implements Client {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  /** The path without its query. */
  readonly path: string
  readonly #context: CallContext
  #client: ClientState = 'waiting'
  #answer: AnswerState = 'none'
  /** Whether the connection ends with this answer, or with one that follows. */
  #isLast = false
  /** Headers of the request by which caches are to tell its answer from others. */
  #vary: string | undefined
  #isDraining = false
  #onDrain: () => void = () => {}
  /** Made when something is counted: most answers are small. */
  #costs: CallCosts | undefined
  /** Whether a drain is waited for, to count again. */
  #isCounting = false
  /** Bytes counted last of a stream that is kept until its end. */
  #keptForEnd = 0
  /** Whether all of its answer waits to be read. */
  #isHandedOver = false
  /** Calls off the time in which what is left of its answer must be read. */
  #unwatchReader: Cancel | undefined
  // Each array is replaced by a longer one: pushing into an empty array makes room for seventeen.
  #closers: readonly (() => void)[] = []
  #leavers: readonly (() => void)[] = []
  /** Writes the last event of a stream that fails; absent where the stream has the form of chats. */
  lastEvent: ((error: StreamError) => string) | undefined
  /** The additions of the request's log line to status and time. */
  readonly note = new CallNote()
  /** When it arrived, on the clock of lengths. */
  readonly startedAt: Millis
  /** Where it is traced. */
  trace: RequestTrace | undefined
  /** Bytes that came of a body that is streamed: one of those may take longer than others. */
  received: (() => number) | undefined
  /** The connection of a request that asks for a WebSocket. */
  readonly upgrade: Upgrade | undefined
  /** The account of the request, once it is known. */
  account: string | undefined
  /** The keeper of the responses that it stores and reads. */
  keeper: string | undefined
  /** The id of the key that it came with. */
  key: string | undefined

  constructor(request: IncomingMessage, response: ServerResponse, requestId: string, context: CallContext) {
    this.#context = context
    this.upgrade = context.upgrade
    this.startedAt = context.clock.elapsed()
    this.request = request
    this.response = response
    this.requestId = requestId
    const target = request.url ?? '/'
    const query = target.indexOf('?')
    this.path = query === -1 ? target : target.slice(0, query)
    response.on('close', () => this.close())
  }

  /** Nothing more can be sent: its answer is over, or its connection. */
  close(): void {
    if (FINAL.has(this.#client)) return
    // Asked here and kept: a later end() of a response counts as finished although its client left.
    const isServed = this.response.writableFinished || this.#answer === 'written' || this.#answer === 'switched'
    this.#enterClient(isServed ? 'serve' : 'lose')
    this.#unwatchReader?.()
    this.#costs?.held.holdBeside(0)
    this.#costs?.held.hold(0)
    if (!isServed) this.#callLeavers()
    for (const run of this.#closers) run()
  }

  /** Runs once nothing more can be sent. */
  onClosed(run: () => void): void {
    if (FINAL.has(this.#client)) run()
    else this.#closers = [...this.#closers, run]
  }

  get costs(): CallCosts {
    const { account, clientAddress: address } = this
    this.#costs ??= new CallCosts(this.#context.resources, { account, address })
    return this.#costs
  }

  /** Why there is no room for its answer, where it lost that. */
  get crowded(): Denial | undefined {
    return this.#costs?.held.denial
  }

  /** Counts what its client has not taken yet of an answer that goes out as it comes. A client that leaves too much loses it. */
  countUnread(): void {
    const { response } = this
    const unread = response.writableLength > UNCOUNTED_BYTES ? response.writableLength : 0
    if (unread === 0 && !this.#costs) return
    const { held } = this.costs
    held.onEnded = () => this.destroy()
    held.arrived()
    held.holdOrEnd(unread)
    if (unread === 0 || this.#isCounting) return
    if (response.writableEnded) return void this.#watchReader(unread)
    this.#isCounting = true
    response.once('drain', () => {
      this.#isCounting = false
      this.countUnread()
    })
  }

  /** Counts what is kept of a stream until its end, beside what its client has not taken: by the piece, since each event adds little. */
  keepForEnd(bytes: number): void {
    if (bytes < this.#keptForEnd + UNCOUNTED_BYTES) return
    this.#keptForEnd = bytes
    const { held } = this.costs
    held.onEnded = () => this.destroy()
    held.holdBeside(bytes)
  }

  get terms(): ErrorTerms {
    return { ...this.#context.terms, requestId: this.requestId }
  }

  /** How its client reads errors. */
  get errorForm(): ErrorForm {
    return this.#chosenForm.form
  }

  get #chosenForm(): ChosenForm {
    return chooseForm(this.#context.errorForm, this.path, this.request.headers)
  }

  /** Where the client calls from. It is in no line of the log: beside a plan or a model it would be a person's trail. */
  get clientAddress(): string {
    return this.#context.addresses.ofRequest(this.request)
  }

  get gone(): boolean {
    return GONE.has(this.#client)
  }

  /** Whether it was the gateway that left. */
  get wasCut(): boolean {
    return this.#client === 'cut' || this.#client === 'shut'
  }

  /** Whether its client left, rather than the gateway or the answer. */
  get wasLeft(): boolean {
    return this.#client === 'left'
  }

  /** True once nothing more of the request body is needed. */
  get answering(): boolean {
    return this.gone || this.#answer !== 'none' || this.request.complete
  }

  onGone(run: () => void): Cancel {
    if (this.gone) run()
    else this.#leavers = [...this.#leavers, run]
    return () => {
      this.#leavers = this.#leavers.filter(leaver => leaver !== run)
    }
  }

  /** It is sent to a backend; `waited` is how long its body took to come. */
  tries(waited: Millis): void {
    if (this.note.overheadMs !== undefined) return
    this.note.overheadMs = this.#context.clock.elapsed() - this.startedAt - waited
  }

  /** From here on something of the answer is passed on, beside headers and comments. */
  passes(): void {
    this.#enterAnswer('pass')
  }

  /** The first of an answer is passed on. */
  speaks(): void {
    if (this.note.firstMs !== undefined) return
    this.note.firstMs = this.#context.clock.elapsed() - this.startedAt
  }

  /**
   * The gateway shuts down: as if the client had left, so that what was sent is settled; the error at the end is
   * sent by `sendDraining`. When this is called again, requests that still wait are given up too.
   */
  interrupt(): void {
    const { request, response } = this
    // An answer that was handed to node to its end is node's to send.
    if (FINAL.has(this.#client) || response.writableEnded || this.#isHandedOver) return
    const isHeard = this.#client === 'cut' || HEARD.has(this.#answer)
    this.#enterClient('interrupt')
    if (isHeard) this.#callLeavers()
    if (this.#answer !== 'none' || request.complete) return
    // Its body may never come, and node reports nothing to its reader once the answer is out.
    response.once('close', () => request.destroy())
    this.sendDraining()
  }

  /** The last word to a client that was cut, once its request is settled: never a clean end. */
  sendDraining(): void {
    const { response } = this
    if (response.writableEnded || response.destroyed) return
    const denial: Denial = { code: 'DRAINING' }
    if (this.#answer === 'none') {
      this.deny(denial)
      return
    }
    this.note.code = denial.code
    this.note.interrupted = 'the gateway shut down'
    if (this.streaming) response.end(this.lastWords(denial))
    else response.destroy()
  }

  /** The last event of a stream that has begun, for a denial. */
  lastWords(denial: Denial): string {
    return this.lastEvent
      ? this.lastEvent(streamErrorOf(denial, this.terms))
      : denialEvent(denial, this.terms, this.errorForm)
  }

  /** Whether its connection is no longer one of HTTP. */
  get isSwitched(): boolean {
    return this.#answer === 'switched'
  }

  /** Whether a stream has begun that can still carry an error event. SDKs do not report a cut stream as an error. */
  get streaming(): boolean {
    const { response } = this
    if (response.destroyed || response.writableEnded) return false
    return this.#answer === 'opened' || this.#answer === 'streaming'
  }

  /** The connection was answered and closed in its place, for this reason: nothing more can be sent. */
  failConnection(code: string): void {
    this.note.code = code
    this.close()
  }

  /** Breaks the connection of an answer that cannot be completed: what was sent must not look complete. */
  destroy(): void {
    this.#enterClient('destroy')
    this.response.destroy()
  }

  /** Its answer is the last one of the connection: nothing that arrives from now on is served. */
  rejectFurther(): void {
    this.#context.closing.add(this.request.socket)
    this.closeWhenDone()
  }

  /** Lets the connection end with its answer, or with one that follows. */
  closeWhenDone(): void {
    this.#isLast = true
  }

  /** Its answer depends on these headers of the request. */
  varies(names: string): void {
    this.#vary = names
  }

  /** The gateway takes no more requests: this may go on, or not. */
  drain(): void {
    this.closeWhenDone()
    this.#isDraining = true
    this.#onDrain()
  }

  /** Runs once the gateway takes no more requests; at once if it takes none already. */
  onDrain(run: () => void): void {
    this.#onDrain = run
    if (this.#isDraining) run()
  }

  /** Begins the answer, with the headers of every answer beside these. Nothing is sent yet. */
  writeHead(status: number, ...headers: readonly Readonly<Record<string, string>>[]): void {
    const lines = ['x-request-id', this.requestId, ...this.#context.always]
    const bounds = headerBounds(this.#context.terms.brand)
    for (const some of headers) for (const name in some) lines.push(name, bounds.clip(name, some[name] ?? ''))
    if (this.#vary !== undefined) lines.push('vary', this.#vary)
    const isStream = headers.some(some => some['content-type']?.startsWith('text/event-stream'))
    if (!this.#isLast && this.#context.isLast?.(this.request, isStream)) this.rejectFurther()
    if (this.#isLast) lines.push('connection', 'close')
    this.#enterAnswer(isStream ? 'events' : 'head')
    // Set one by one, node would keep them, look them up and check them again.
    this.response.writeHead(status, lines)
  }

  /** The connection is a WebSocket from now on. The lines of its 101, with the headers of every answer beside these. */
  switches(headers: Readonly<Record<string, string>>): readonly string[] {
    this.#enterAnswer('switch')
    this.response.statusCode = 101
    const bounds = headerBounds(this.#context.terms.brand)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${bounds.clip(name, value)}`)
    const { always } = this.#context
    for (let i = 0; i < always.length; i += 2) lines.push(`${always[i]}: ${always[i + 1]}`)
    return [`x-request-id: ${this.requestId}`, ...lines]
  }

  json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
    this.send(status, 'application/json', Buffer.from(JSON.stringify(body)), headers)
  }

  send(status: number, type: string, bytes: Buffer, headers: Readonly<Record<string, string>> = {}): void {
    if (this.gone && !this.wasCut) return
    const crowded = this.#crowdedBy(bytes.length)
    if (crowded) this.deny(crowded)
    else this.#send({ status, headers, body: { type, bytes } })
  }

  /** An answer without a body, such as 204. */
  empty(status: number, headers: Readonly<Record<string, string>>): void {
    this.#send({ status, headers })
  }

  /** `rate` is what is left of the minute, where that is known. */
  deny(denial: AnyDenial, rate?: RateState): void {
    const type = 'type' in denial ? denial.type : denial.code === 'TOOL_UNAVAILABLE' ? denial.tool : undefined
    this.note.code = denial.code
    if (type !== undefined) this.note.type = type
    if (denial.code === 'rate_limit_exceeded' && isOfRule(denial)) this.note.limit = ruleOf(denial)
    const { form, vary } = this.#chosenForm
    const { body, message, ...answer } = renderDenial(denial, this.terms, form)
    this.note.message = withoutKeys(message).slice(0, MOST_MESSAGE)
    const headers: Record<string, string> = { ...answer.headers }
    if (vary !== undefined) headers.vary = vary
    if (rate) addRate(headers, rate)
    if (rate) form.headers.addRate?.(headers, rate, this.#context.clock.now())
    this.#send({ ...answer, headers, body: { type: 'application/json', bytes: Buffer.from(JSON.stringify(body)) } })
  }

  #send({ status, reason, headers, body }: WholeResponse): void {
    if (this.gone && !this.wasCut) return
    const { request, response } = this
    const unread = hasBody(request) && !request.complete
    if (unread) this.rejectFurther()
    if (reason !== undefined) response.statusMessage = reason
    if (body)
      this.writeHead(status, headers, { 'content-type': body.type, 'content-length': String(body.bytes.length) })
    else this.writeHead(status, headers)
    if (!unread) return void this.#end(body?.bytes)
    if (!body) response.flushHeaders()
    else response.write(body.bytes, () => this.#enterAnswer('finish'))
    this.#endSoon()
  }

  /** Ends the response: with a large body no faster than its client reads. */
  #end(bytes: Buffer | undefined): void {
    const { response } = this
    if (!bytes || bytes.length <= UNCOUNTED_BYTES) return void response.end(bytes)
    this.#isHandedOver = true
    endInPieces(response, bytes)
  }

  /** Throws away what is left of the request, for a moment: who still sends may not have read the answer yet. */
  #endSoon(): void {
    const { request, response } = this
    const end = () => {
      cancel()
      response.end()
    }
    const cancel = this.#context.clock.after(LINGER, end)
    request.once('end', end).resume()
    this.onClosed(cancel)
  }

  /** Why there is no room for an answer of so many bytes. One that was counted as it came has its room. */
  #crowdedBy(bytes: number): Denial | undefined {
    if (bytes <= UNCOUNTED_BYTES) return this.crowded
    const { held } = this.costs
    held.onEnded = () => {}
    if (held.bytes > 0) held.hold(bytes)
    else held.holdOrEnd(bytes)
    if (held.denial) return held.denial
    held.onEnded = () => this.destroy()
    this.#watchReader(bytes)
    return undefined
  }

  #watchReader(bytes: number): void {
    this.#unwatchReader?.()
    this.#unwatchReader = watchReader(this.#context.clock, bytes, () => this.destroy())
  }

  #callLeavers(): void {
    const leavers = this.#leavers
    this.#leavers = []
    for (const run of leavers) run()
  }

  #enterClient(event: ClientEvent): void {
    this.#client = CLIENT[this.#client]?.[event] ?? this.#client
  }

  #enterAnswer(event: AnswerEvent): void {
    const next = ANSWER[this.#answer]?.[event]
    if (next === undefined) throw new Error(`an answer that is ${this.#answer} cannot ${event}`)
    this.#answer = next
  }
}

/** The context that all calls of a listener share. */
export interface CallContext {
  readonly terms: ErrorTerms
  readonly errorForm: FormSetting
  readonly clock: Clock
  readonly addresses: ClientAddresses
  readonly resources: AnswerResources
  /** Headers of every answer: names and values by turns. */
  readonly always: readonly string[]
  /** Connections on which nothing more is served. */
  readonly closing: WeakSet<Duplex>
  /** Whether the answer that begins now is to be the last one of its connection. */
  readonly isLast?: ((request: IncomingMessage, isStream: boolean) => boolean) | undefined
  /** Set where the request asks for a WebSocket. */
  readonly upgrade?: Upgrade | undefined
}

/** The characters of a refusal that are remembered. */
const MOST_MESSAGE = 160

interface WholeResponse {
  readonly status: number
  readonly reason?: string
  readonly headers: Readonly<Record<string, string>>
  /** Absent where the status allows no body. */
  readonly body?: { readonly type: string; readonly bytes: Buffer }
}
