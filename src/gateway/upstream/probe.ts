import type { BackendSettings } from '../../config/settings.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { Cancel, Clock, Probe } from '../ports.ts'
import { type AskOptions, askOnce } from './ask.ts'
import { type PoolHeaders, poolHeaders, withQuery } from './pool-headers.ts'

/** What came of one probe. */
export interface Probed {
  readonly ok: boolean
  /** Of the answer, where there was one. */
  readonly status?: number
  /** Why it is not ok: `status 503`, `ECONNREFUSED`, `connect timeout`, `timeout`. */
  readonly error?: string
  readonly ms: Millis
  /** When it was sent. */
  readonly at: EpochMs
}

/** What a replica is asked, and how long it may take. */
export interface Question {
  readonly replica: string
  /** From the root of its origin. */
  readonly path: string
  readonly settings: Pick<BackendSettings, keyof PoolHeaders | 'query' | 'connectTimeout'>
  readonly limit: Millis
}

export interface ProbePorts {
  readonly probe: Probe
  readonly clock: Clock
}

/** Asks one replica once: 200 to 299, whole and in time, is ok. `over` gets the result unless it was called off. */
export function askReplica({ probe, clock }: ProbePorts, question: Question, over: (probed: Probed) => void): Cancel {
  const { replica, settings, limit } = question
  const { connectTimeout } = settings
  const { origin } = new URL(replica)
  const path = withQuery(question.path, settings)
  const headers = poolHeaders(settings)
  const send: AskOptions['send'] = (fresh, listener) =>
    probe({ origin, path, headers, connectTimeout, fresh }, listener)
  return askOnce(clock, { send, connectTimeout, limit }, ({ head, cause, ms, at }) => {
    const status = head?.status
    const isFine = status !== undefined && status >= 200 && status < 300
    const error = cause ?? (isFine ? undefined : `status ${status}`)
    over({
      ok: error === undefined,
      ...(status !== undefined && { status }),
      ...(error !== undefined && { error }),
      ms: Math.round(ms),
      at,
    })
  })
}
