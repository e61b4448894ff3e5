import type { Settings } from '../config/settings.ts'
import type { Config, Pool } from '../policy/config.ts'
import type { Caller } from '../policy/facts.ts'
import type { WireRequest } from '../wire/openai/request.ts'
import type { Headers } from '../wire/openai/signals.ts'
import type { Identified } from './accounts/identified.ts'
import type { KeyUses } from './accounts/key-uses.ts'
import type { VerifyToken } from './accounts/sign-in/sign-in.ts'
import type { AdmittedCall, Refusal } from './admission/admit.ts'
import type { Leases } from './admission/leases.ts'
import type { LiveStream } from './answer/live-stream.ts'
import type { CallerWatch } from './passthrough/caller-watch.ts'
import type {
  Alarm,
  AttemptCounter,
  Client,
  Clock,
  DecisionLog,
  HostedTools,
  RequestTrace,
  Send,
  SendPassthrough,
  Sockets,
  Traces,
} from './ports.ts'
import type { KeptResponses } from './responses/kept-responses.ts'
import type { Bill } from './store/hold-store.ts'
import type { Store } from './store/store.ts'
import type { Inquiries } from './upstream/inquiries.ts'
import type { AnswerEnd, Failure, Work } from './upstream/outcome.ts'
import type { Pools } from './upstream/pools.ts'

/** Everything a request needs beside itself. */
export interface Gateway {
  readonly config: Config
  readonly settings: Settings
  readonly store: Store
  readonly send: Send
  readonly sendPassthrough: SendPassthrough
  readonly sockets: Sockets
  readonly callerWatch: Pick<CallerWatch, 'watch'>
  readonly keyUses: Pick<KeyUses, 'note'>
  readonly tools: HostedTools
  readonly clock: Clock
  readonly pools: Pools
  readonly inquiries: Pick<Inquiries, 'verdict'>
  readonly leases: Leases
  /** Judges sign-in tokens; absent where the configuration has no issuer. */
  readonly verify?: VerifyToken
  /** Where pages that sign people in send requests, as far as that is known of the provider. */
  readonly providerOrigins?: () => readonly string[]
  /** Absent where no responses are kept. */
  readonly responses?: KeptResponses
  /** Gives numbers in [0, 1). */
  readonly chance: () => number
  /** Used only when `decisions.log` is set. */
  readonly decisions: DecisionLog
  readonly counter: AttemptCounter
  /** Absent where tracing is off. */
  readonly traces?: Traces
  readonly alarm: Alarm
}

/** One authenticated, valid request. */
export interface Call {
  readonly requestId: string
  /** Absent for a sign-in. */
  readonly keyHash?: string
  readonly caller: Caller
  /** As in Identified. */
  readonly confirm?: Identified['confirm']
  readonly wire: WireRequest
  readonly headers: Headers
  readonly client: Client
  /** Hears which pool is tried, for answers that must begin before one of them has answered. */
  readonly trying: (admitted: AdmittedCall, pool: Pool) => void
  /** Absent where tracing is off. */
  readonly trace?: RequestTrace
}

/** What becomes of a request. */
export type Served =
  | Unserved
  /** Settled already. */
  | (Answered & {
      readonly kind: 'whole'
      readonly bytes: Buffer
      /** Set where they have the dialect of the client already. */
      readonly isNative?: true
      /** Events of its backend that could not be read, and that it went on without. */
      readonly skippedEvents?: number
      readonly bill: Bill
    })
  | (Answered & {
      readonly kind: 'stream'
      readonly stream: LiveStream
      readonly ending: StreamSettlement
    })

/** No answer comes. */
export type Unserved =
  | (Refusal & { readonly failures: readonly Failure[] })
  /** The client left before there was anything to send; settled already, where a backend worked for it. */
  | { readonly kind: 'left'; readonly bill?: Bill; readonly failures: readonly Failure[] }

/** Ends a stream, and settles it: to be awaited before the client gets its last bytes. */
export interface StreamSettlement {
  end(how: AnswerEnd, work: Work): Promise<Bill>
}

interface Answered {
  readonly admitted: AdmittedCall
  readonly pool: Pool
  readonly failures: readonly Failure[]
}
