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
  /** Runs once after the time, unless cancelled. */
  after(time: Millis, run: () => void): Cancel
}
export type Cancel = () => void

/** A source of random bytes, passed as an argument: `crypto.randomBytes`. */
export type Random = (bytes: number) => Uint8Array

/**
 * Sends one request to a replica over HTTP. Never throws and never rejects: everything that happens is reported to the
 * listener, after this call has returned. `end` or `failed` is the last report; after an abort there is none.
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
  /** The attempt's W3C Trace Context, if requests are traced. */
  readonly traceparent?: string
  /** Headers of this request alone, beside those of its pool. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface BackendListener<H extends BackendHead = BackendHead> {
  /** The connection is open and the request is on its way. */
  connected(): void
  head(head: H): void
  data(bytes: Buffer): void
  end(): void
  /** `stale`: a reused connection closed before a byte of this answer arrived. */
  failed(error: Error, stale: boolean): void
}

export interface BackendHead {
  readonly status: number
  readonly contentType: string
  /** The headers of a refusal that say when to retry. */
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

/** The whole body, or one that is still arriving. */
export type PassthroughBody = { readonly contentType: string } & (
  | { readonly bytes: Uint8Array }
  | { readonly upload: Upload }
)

/** A body that is forwarded once, as it arrives, without being read first. */
export interface Upload {
  /** The bytes to forward, if their number is known in advance. */
  readonly length?: number
  /** The bytes received from the sender so far. */
  readonly received: number
  /** Whether it has arrived completely. */
  readonly complete: boolean
  /** Whether more is expected, and its sender is what delays it. */
  readonly awaited: boolean
  /** Forwards the body to the sink, as fast as the sink accepts it. */
  into(sink: Writable): void
  /** Reports that its sender took too long, which is a fault of the sender. */
  late(): void
  /** Called if the body is too long or malformed; its end is never forwarded then. */
  onFault(run: () => void): Cancel
}

export type PassthroughListener = BackendListener<PassthroughHead>

export interface PassthroughHead extends BackendHead {
  /** The headers that clients may read. */
  readonly headers: Readonly<Record<string, string>>
}

/** WebSockets to replicas and from clients. */
export interface Sockets {
  /** Opens one to a replica. Like Send up to the head: the 101 of a socket, or the reason why there is none. */
  open(request: SocketRequest, listener: BackendListener<SocketHead>): Exchange
  /** Accepts the upgrade of a client's connection; undefined if the client is gone. */
  accept(request: IncomingMessage, accepted: AcceptedSocket): Peer | undefined
}

export interface SocketRequest extends Omit<BackendRequest, 'fresh' | 'body'> {
  /** The name by which the backend knows the model. */
  readonly model: string
  /** The subprotocols offered to the backend, which chooses one. */
  readonly protocols: readonly string[]
  /** The maximum size of one message, in bytes. */
  readonly maxMessage: number
}

export interface SocketHead extends BackendHead {
  /** Set for a 101. */
  readonly peer?: Peer
}

/** A client's connection, and the answer to it. */
export interface AcceptedSocket {
  readonly socket: Duplex
  /** Bytes received after the request. */
  readonly early: Buffer
  /** The header lines of the 101: `name: value`. */
  readonly headers: readonly string[]
  readonly protocol: string | undefined
  readonly maxMessage: number
}

/** The other end of a WebSocket. Nothing is read from it before `attach`. */
export interface Peer {
  /** The subprotocol that it chose. */
  readonly protocol: string | undefined
  attach(events: PeerEvents): void
  /** False if so much waits to be sent that the caller should stop until `drained`. */
  send(frame: Frame): boolean
  pause(): void
  resume(): void
  /** Sends a close frame; without a code if the other side sent none. `closed` follows within seconds. */
  close(code: number | undefined, reason: string): void
  /** Drops the connection. */
  destroy(): void
}

export interface PeerEvents {
  frame(frame: Frame): void
  /** All waiting messages were sent. */
  drained(): void
  /** Called last. */
  closed(end: PeerEnd): void
}

/** A complete message or a control frame; a pong answers the other side's ping. */
export interface Frame {
  readonly kind: 'text' | 'binary' | 'ping' | 'pong'
  readonly bytes: Buffer
}

/** How one side ended its socket. */
export interface PeerEnd {
  /** The code of its close frame; absent if there was none. */
  readonly code?: number
  readonly reason: string
  /**
   * Why there was no close frame: the connection broke, or the other side sent something that is not a WebSocket frame
   * or is too large.
   */
  readonly fault?: 'broke off' | 'not WebSocket' | 'message too large'
}

/** Sends one GET to a replica. Like Send, it never throws, and reports everything to the listener later. */
export type Probe = (request: ProbeRequest, listener: BackendListener) => Exchange

export interface ProbeRequest {
  /** `http://10.0.0.11:8000` */
  readonly origin: string
  /** From the root of the origin. */
  readonly path: string
  /** The headers of its pool's dialect, with the key. */
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
  /** The definition of a tool for models; undefined if it cannot be fetched now. */
  define(name: string, signal: AbortSignal): Promise<ToolDefinition | undefined>
  /** Runs a tool with its arguments as the model wrote them, which may not even be JSON. */
  call(name: string, args: string, signal: AbortSignal): Promise<ToolResult>
}

export interface ToolDefinition {
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The result of a call: data of another program, which the gateway does not interpret. */
export interface ToolResult {
  /** The result or the reason for its absence; at most `maxResultBytes` of UTF-8, with a mark where it was cut. */
  readonly text: string
  readonly failed: boolean
  /** The call is free for the client: it was not sent, or failed through a fault of the tool. */
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

/**
 * How a request left the queue of a pool: with a slot, at its timeout, for a later pool, with its client, or because
 * the queue was full.
 */
export type QueueEnd = 'served' | 'timeout' | 'moved' | 'gone' | 'full'

/** Counts attempts, and never throws. */
export interface AttemptCounter {
  /** An attempt ended. */
  attempt(pool: string, replica: string, result: AttemptResult): void
  /** An answer continued without malformed events. */
  skippedEvents(pool: string, replica: string, count: number): void
  /** A replica was chosen for a chat. */
  picked(pool: string, why: Why): void
  /** A request left the queue of a pool, or found it full. */
  queued(pool: string, end: QueueEnd, waited: Millis): void
  /** A backend counted the prompt of a chat; `expected` is how much of it the gateway expected in the cache. */
  promptCounted(pool: string, tokens: PromptTokens): void
  /** A copy of a request ended at its mirror, or was left out. */
  copied(model: string, pool: string, outcome: CopyOutcome): void
}

/** Traces requests. It never throws or waits, and receives no prompt or key. */
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
  /** As the client sent it, unchecked. */
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
  /** For the backend, replacing the client's. */
  readonly traceparent: string
  end(end: { readonly result: AttemptResult; readonly status?: number; readonly usage?: Usage }): void
}

/** The facts about a finished request. */
export interface TracedEnd {
  readonly status: number
  /** A model of the files, never a name that a client invented. */
  readonly model?: string
  readonly plan?: string
  readonly rule?: string
  readonly pool?: string
  readonly code?: string
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** The time to the first content. */
  readonly firstMs?: Millis
  readonly interrupted?: boolean
}

/** The client at the other end, who may leave at any time. */
export interface Client {
  readonly gone: boolean
  /** Whether the gateway cut it off to shut down. */
  readonly wasCut: boolean
  /** Called when the client leaves before its answer ends; at once if it has left. */
  onGone(run: () => void): Cancel
  /** Absent if nothing is counted, as in a simulation. */
  readonly costs?: AnswerCosts
}

/** The memory of an answer, from its first byte until its client has the last. */
export interface AnswerRoom {
  /**
   * Called when it loses its room: the holder must drop the answer. While it is undefined, nobody could drop the
   * answer, and it keeps its room.
   */
  onEnded: (() => void) | undefined
  /** Sets the bytes that it holds. False if there is no room for them. */
  hold(bytes: number): boolean
  /**
   * Sets the bytes held in addition to `hold`, as for the end of a stream. False if there is no room for them; it has
   * lost its room then.
   */
  holdBeside(bytes: number): boolean
  /** Sets the bytes held while more will arrive. If false, the backend must wait until `onRoom` runs. */
  arrives(bytes: number, onRoom: () => void): boolean
  /**
   * The whole answer arrived and is about to be parsed, which takes the same amount again, plus `more`: `onRoom` runs
   * once there is room, or `onEnded`.
   */
  copies(onRoom: () => void, more?: number): void
  /** The whole answer arrived and is parsed. */
  arrived(): void
}

/** Work on an answer, in turns of its account. */
export interface Reading<T> {
  /** Resolves to its result, or to undefined if dropped. */
  readonly done: Promise<T | undefined>
  /** Cancels it: its bytes are free at once. */
  drop(): void
}

/** The memory and time that an answer takes, counted for its account. */
export interface AnswerCosts {
  readonly held: AnswerRoom
  /** Parses an answer in a turn of its account, because parsing blocks the event loop. */
  read<T>(steps: Steps<T>): Promise<T>
  /** Like `read`, for an answer that may lose its room, or its client, before its turn. */
  beginToRead<T>(steps: Steps<T>): Reading<T>
  /** Books event loop time that was spent outside of such turns. */
  charge(took: Millis): void
}

/** Alarms operators about a fault that no client caused. */
export type Alarm = (message: AlarmMessage, details?: Readonly<Record<string, unknown>>) => void
