import type { IncomingMessage } from 'node:http'
import type { Duplex, Writable } from 'node:stream'
import type { Why } from '../policy/balance/cost.ts'
import type { EpochMs, Kind, Millis, PassthroughMethod } from '../policy/config.ts'
import type { CopyOutcome } from '../policy/mirror.ts'
import type { DecisionRecord } from '../policy/record.ts'
import type { RetryHeaders } from '../wire/retry-after.ts'
import type { Steps } from '../wire/steps.ts'
import type { Usage } from '../wire/usage/usage.ts'
import type { AlarmMessage } from './alarm-messages.ts'

/**
 * A clock, injected so that tests can control it.
 *
 * @example
 * const clock: Clock = {
 *   now: () => Date.now(),
 *   elapsed: () => performance.now(),
 *   after: (time, run) => {
 *     const timer = setTimeout(run, time)
 *     return () => clearTimeout(timer)
 *   },
 * }
 */
export interface Clock {
  now(): EpochMs
  /** Monotonic milliseconds, for durations. */
  elapsed(): Millis
  /** Runs once after the time, unless it was called off. */
  after(time: Millis, run: () => void): Cancel
}
export type Cancel = () => void

/** Random bytes, as many as asked for, as an argument: `crypto.randomBytes`. */
export type Random = (bytes: number) => Uint8Array

/**
 * Speaks to one replica over HTTP. Never throws and never rejects: what happens arrives at the listener,
 * not before this call has returned. `end` or `failed` is its last call, and none comes once the exchange was aborted.
 */
export type Send = (request: BackendRequest, listener: BackendListener) => Exchange

export interface BackendRequest {
  readonly pool: string
  /** Base URL of the replica. */
  readonly replica: string
  /** On a connection of its own, which is closed after it. */
  readonly fresh: boolean
  /** Below the base URL: `/chat/completions`. */
  readonly path: string
  readonly body: Buffer
  readonly requestId: string
  /** Where requests are traced: of the attempt, in the form of W3C Trace Context. */
  readonly traceparent?: string
  /** Headers of this request alone, beside those of its pool. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface BackendListener<H extends BackendHead = BackendHead> {
  /** The connection stands and the request is on its way. */
  connected(): void
  head(head: H): void
  data(bytes: Buffer): void
  end(): void
  /** `stale`: a connection that was kept open ended before a byte of this answer came. */
  failed(error: Error, stale: boolean): void
}

export interface BackendHead {
  readonly status: number
  readonly contentType: string
  /** The headers of a refusal that say when to come again. */
  readonly retry?: RetryHeaders
  /** The backend's `Date` header. */
  readonly date?: string
}

export interface Exchange {
  pause(): void
  resume(): void
  abort(): void
}

/** Carries one request of a pass-through route to one replica. Like Send, with bodies and answers of any kind. */
export type SendPassthrough = (request: PassthroughRequest, listener: PassthroughListener) => Exchange

export interface PassthroughRequest extends Omit<BackendRequest, 'body'> {
  readonly method: PassthroughMethod
  readonly body?: PassthroughBody
}

/** All of it, or what is still arriving. */
export type PassthroughBody = { readonly contentType: string } & (
  | { readonly bytes: Uint8Array }
  | { readonly upload: Upload }
)

/** A body that is sent on as it arrives: once, and not read before. */
export interface Upload {
  /** Bytes that are sent on, where their number is known before. */
  readonly length?: number
  /** Bytes that came so far from its sender. */
  readonly received: number
  /** Whether all of it came. */
  readonly complete: boolean
  /** Whether more of it is waited for, and its sender is the one to wait for. */
  readonly awaited: boolean
  /** From now on the body goes to the sink, as fast as the sink takes it. */
  into(sink: Writable): void
  /** Its sender took longer than may be: that is a fault of it. */
  late(): void
  /** Runs when there is more of it than may be, or something wrong with it; its end is never sent then. */
  onFault(run: () => void): Cancel
}

export type PassthroughListener = BackendListener<PassthroughHead>

export interface PassthroughHead extends BackendHead {
  /** The headers that clients may read. */
  readonly headers: Readonly<Record<string, string>>
}

/** WebSockets: to replicas, and of clients. */
export interface Sockets {
  /** Opens one at a replica. Like Send until the head: the 101 of a socket, or the reason why there is none. */
  open(request: SocketRequest, listener: BackendListener<SocketHead>): Exchange
  /** Takes over the connection of a client that asked for one; undefined where it is gone. */
  accept(request: IncomingMessage, accepted: AcceptedSocket): Peer | undefined
}

export interface SocketRequest extends Omit<BackendRequest, 'fresh' | 'body'> {
  /** The name by which the backend knows the model. */
  readonly model: string
  /** Subprotocols, of which the backend chooses one. */
  readonly protocols: readonly string[]
  /** Bytes of one message. */
  readonly maxMessage: number
}

export interface SocketHead extends BackendHead {
  /** Set with a 101. */
  readonly peer?: Peer
}

/** The connection of a client, and what it is answered with. */
export interface AcceptedSocket {
  readonly socket: Duplex
  /** Bytes that came beyond the request. */
  readonly early: Buffer
  /** Lines of the 101: `name: value`. */
  readonly headers: readonly string[]
  readonly protocol: string | undefined
  readonly maxMessage: number
}

/** Who is at the other end of a WebSocket. Nothing is read from it before `attach`. */
export interface Peer {
  /** The subprotocol that it chose. */
  readonly protocol: string | undefined
  attach(events: PeerEvents): void
  /** False where so much waits to be sent that no more should follow: `drained` comes later. */
  send(frame: Frame): boolean
  pause(): void
  resume(): void
  /** Says goodbye; without a code where the other side gave none. Its `closed` comes within some seconds. */
  close(code: number | undefined, reason: string): void
  /** Breaks the connection. */
  destroy(): void
}

export interface PeerEvents {
  frame(frame: Frame): void
  /** The waiting messages were sent. */
  drained(): void
  /** Nothing comes after it. */
  closed(end: PeerEnd): void
}

/** A message that is whole, or a control frame; a pong answers the ping of the other side. */
export interface Frame {
  readonly kind: 'text' | 'binary' | 'ping' | 'pong'
  readonly bytes: Buffer
}

/** How one side ended its socket. */
export interface PeerEnd {
  /** As it said; absent where it said none, or nothing at all. */
  readonly code?: number
  readonly reason: string
  /** Why there was no goodbye: it broke off, or what it sent was no WebSocket or too large. */
  readonly fault?: 'broke off' | 'not WebSocket' | 'message too large'
}

/** Sends one GET to a replica. Like Send: never throws, and what happens arrives at the listener, later. */
export type Probe = (request: ProbeRequest, listener: BackendListener) => Exchange

export interface ProbeRequest {
  /** `http://10.0.0.11:8000` */
  readonly origin: string
  /** From the root of the origin. */
  readonly path: string
  /** Headers of its pool's dialect: the key above all. */
  readonly headers: Readonly<Record<string, string>>
  readonly connectTimeout: Millis
  /** On a connection of its own, which is closed after it. */
  readonly fresh: boolean
}

/**
 * Runs the hosted tools of a configuration. Its promises never reject, and the caller does not wait for a call that it aborted
 * by the signal.
 *
 * @example
 * const tools: HostedTools = {
 *   define: async name =>
 *     name === 'today' ? { description: 'Tells the date.', parameters: { type: 'object' } } : undefined,
 *   call: async name =>
 *     name === 'today'
 *       ? { text: new Date().toISOString().slice(0, 10), failed: false }
 *       : { text: 'There is no such tool.', failed: true, free: true },
 * }
 */
export interface HostedTools {
  /** The definition of a tool for models; undefined when it cannot be learnt now. */
  define(name: string, signal: AbortSignal): Promise<ToolDefinition | undefined>
  /** Runs a tool with its arguments as the model wrote them, which may not even be JSON. */
  call(name: string, args: string, signal: AbortSignal): Promise<ToolResult>
}

export interface ToolDefinition {
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The result of a call: data of another program, which nothing here interprets. */
export interface ToolResult {
  /** The result, or why there is none; at most `maxResultBytes` of UTF-8, and marked where something was cut. */
  readonly text: string
  readonly failed: boolean
  /** The call costs the client nothing: it was not sent, or failed by a fault of the tool. */
  readonly free?: boolean
}

/**
 * Records decisions. `write` neither waits nor fails: a record that cannot be kept is dropped.
 *
 * @example
 * const kept: string[] = []
 * const log: DecisionLog = { write: record => void (kept.length < 1000 && kept.push(record.id)) }
 */
export interface DecisionLog {
  write(record: DecisionRecord): void
}

/** How an attempt at a backend ended. `interrupted`: it failed after its answer had begun. */
export type AttemptResult =
  | 'ok'
  | 'rejected'
  | 'rate_limited'
  | 'status'
  | 'timeout'
  | 'connection'
  | 'malformed'
  | 'interrupted'
  | 'left'

/** Tokens of a prompt. */
export interface PromptTokens {
  readonly cached: number
  readonly computed: number
  readonly expected: number
}

/** How a request left the queue of a pool: with a slot, at its timeout, for a later pool, with its client, or for want of a place. */
export type QueueEnd = 'served' | 'timeout' | 'moved' | 'gone' | 'full'

/** Counts attempts, and never throws. */
export interface AttemptCounter {
  /** An attempt is over. */
  attempt(pool: string, replica: string, result: AttemptResult): void
  /** An answer went on without events that could not be read. */
  skippedEvents(pool: string, replica: string, count: number): void
  /** A replica was chosen for a chat. */
  picked(pool: string, why: Why): void
  /** A request left the queue of a pool, or found no place in it. */
  queued(pool: string, end: QueueEnd, waited: Millis): void
  /** A backend counted the prompt of a chat, of which its cache had a part: `expected` is how much the gateway thought. */
  promptCounted(pool: string, tokens: PromptTokens): void
  /** A copy of a request of a model ended at its mirror, or was left out. */
  copied(model: string, pool: string, outcome: CopyOutcome): void
}

/** Traces requests. Nothing here throws or waits, and no prompt or key is passed to it. */
export interface Traces {
  begin(request: TracedRequest): RequestTrace
}

export interface TracedRequest {
  readonly requestId: string
  readonly method: string
  readonly kind: Kind
  /** `/v1/chat/completions` */
  readonly path: string
  readonly stream: boolean
  /** As the client sent it, whatever it is. */
  readonly traceparent?: string
}

/** One request. */
export interface RequestTrace {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  attempt(attempt: TracedAttempt): AttemptTrace
  end(end: TracedEnd): void
}

export interface TracedAttempt {
  readonly model: string
  readonly pool: string
  /** Base URL. */
  readonly replica: string
  /** The name by which the backend knows the model. */
  readonly backendModel: string
  readonly maxTokens: number
}

/** One attempt of it. */
export interface AttemptTrace {
  /** For the backend, in place of whatever a client sent. */
  readonly traceparent: string
  end(end: { readonly result: AttemptResult; readonly status?: number; readonly usage?: Usage }): void
}

/** The facts about a request when it is over. */
export interface TracedEnd {
  readonly status: number
  /** A model of the files: no name that a client made up. */
  readonly model?: string
  readonly plan?: string
  readonly rule?: string
  readonly pool?: string
  readonly code?: string
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** Until the first content. */
  readonly firstMs?: Millis
  readonly interrupted?: boolean
}

/** The client at the other end, who may leave at any time. */
export interface Client {
  readonly gone: boolean
  /** Whether it is gone because the gateway shuts down. */
  readonly wasCut: boolean
  /** Runs when the client leaves before its answer ended; at once if it is gone. */
  onGone(run: () => void): Cancel
  /** Absent where nothing is counted, as in a simulation. */
  readonly costs?: AnswerCosts
}

/** The memory that an answer takes, from the first byte that is kept of it until its client has the last. */
export interface AnswerRoom {
  /** Hears that it lost its room: whoever keeps it must drop it. Undefined while nobody can, so that it keeps its room. */
  onEnded: (() => void) | undefined
  /** It takes so many bytes from now on. False where there is no room for as many. */
  hold(bytes: number): boolean
  /** So many bytes are kept beside what `hold` counts, as for the end of a stream. False where there is no room for them: it has lost its own then. */
  holdBeside(bytes: number): boolean
  /** It takes so many bytes, and more will come from a backend, which must wait until `onRoom` runs where this is false. */
  arrives(bytes: number, onRoom: () => void): boolean
  /** All of it came, and is about to be read, which takes as many bytes again, and `more`: `onRoom` runs once there is room for them, or `onEnded`. */
  copies(onRoom: () => void, more?: number): void
  /** All of it is there, and read. */
  arrived(): void
}

/** Work on an answer, in the turns of its account. */
export interface Reading<T> {
  /** Its result; undefined once it was dropped. */
  readonly done: Promise<T | undefined>
  /** Nobody wants it any more: its bytes are free at once. */
  drop(): void
}

/** The memory that an answer takes of the process, counted for the account that asked for it. */
export interface AnswerCosts {
  readonly held: AnswerRoom
  /** Reads an answer when the turn of its account comes: it blocks the event loop. */
  read<T>(steps: Steps<T>): Promise<T>
  /** Like `read`, for an answer that may lose its room, or its client, before its turn. */
  beginToRead<T>(steps: Steps<T>): Reading<T>
  /** Books time of the event loop that was taken outside of such turns. */
  charge(took: Millis): void
}

/** Alarms the operator of a fault that no client caused. */
export type Alarm = (message: AlarmMessage, details?: Readonly<Record<string, unknown>>) => void
