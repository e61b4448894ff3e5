import type { Pool } from '../policy/config.ts'
import type { Caller } from '../policy/facts.ts'
import type { WireRequest } from '../wire/openai/request.ts'
import type { Headers } from '../wire/openai/signals.ts'
import type { Identified } from './accounts/identified.ts'
import type { AdmittedCall } from './admission/admit.ts'
import type { Client, RequestTrace } from './ports.ts'

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
