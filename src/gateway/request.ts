import type { Pool } from '../policy/config.ts'
import type { Bill } from '../records/ledger-row.ts'
import type { CallerWatch } from './accounts/caller-watch.ts'
import type { KeyUses } from './accounts/key-uses.ts'
import type { VerifyToken } from './accounts/sign-in/sign-in.ts'
import type { AdmittedCall } from './admission/admit.ts'
import type { Leases } from './admission/leases.ts'
import type { LiveStream } from './answer/live-stream.ts'
import type { AnswerEnd, Failure, Work } from './attempt/outcome.ts'
import type { Mirrors } from './mirror/mirrors.ts'
import type { DecisionLog, HostedTools, Sockets, Traces } from './ports.ts'
import type { KeptResponses } from './responses/kept-responses.ts'
import type { UpstreamPorts } from './upstream/ports.ts'
import type { Unserved } from './upstream/unanswered.ts'

/** The ports that serving a request takes: it is admitted, sent and settled. */
export interface ServingPorts extends UpstreamPorts {
  readonly leases: Leases
  /** Used only when `decisions.log` is set. */
  readonly decisions: DecisionLog
}

/** The ports that serving a request to a model takes. */
export interface InferencePorts extends ServingPorts {
  readonly tools: HostedTools
  /** Absent where no copies are sent, as in a simulation. */
  readonly mirrors?: Mirrors
}

/** The ports that serving a WebSocket takes. */
export interface SessionPorts extends ServingPorts {
  readonly sockets: Sockets
}

/** Everything that requests of clients need beside themselves. */
export interface Gateway extends InferencePorts, SessionPorts {
  readonly callerWatch: Pick<CallerWatch, 'watch'>
  readonly keyUses: Pick<KeyUses, 'note'>
  /** Judges sign-in tokens; absent where the configuration has no issuer. */
  readonly verify?: VerifyToken
  /** Where pages that sign people in send requests, as far as that is known of the provider. */
  readonly providerOrigins?: () => readonly string[]
  /** Absent where no responses are kept. */
  readonly responses?: KeptResponses
  /** Absent where tracing is off. */
  readonly traces?: Traces
}

/** The outcome of a request. */
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

/** Ends a stream, and settles it: to be awaited before the client gets its last bytes. */
export interface StreamSettlement {
  end(how: AnswerEnd, work: Work): Promise<Bill>
}

interface Answered {
  readonly admitted: AdmittedCall
  readonly pool: Pool
  readonly failures: readonly Failure[]
}
