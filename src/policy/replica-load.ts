import { counted } from './counted.ts'
import type { EpochMs, Millis } from './time.ts'

/** The load of a replica as its engine reported it last. */
export interface EngineReport {
  /** When the engine was asked. */
  readonly at: EpochMs
  /** Requests that the engine works on, of all gateways. */
  readonly running: number
  /** Requests that wait at the engine for room in a batch. */
  readonly waiting: number
  /** Share of the KV cache in use, from 0 to 1; absent where the engine does not report it. */
  readonly kvUsage?: number
  /** When the process of the engine started; absent likewise. */
  readonly startedAt?: EpochMs
}

/** Streams of the last 30 s that got their first token, or still wait for it after the time that `spill` allows. */
export interface FirstTokenCount {
  readonly all: number
  /** Those that took longer than allowed. */
  readonly late: number
}

/** The load of one replica, as reported and as measured by this gateway. */
export interface ReplicaLoad {
  readonly report?: EngineReport | undefined
  readonly firstTokens?: FirstTokenCount | undefined
}

/** When a replica is passed over because of its load. */
export interface Spill {
  /** More requests than this wait at the engine. */
  readonly waitingOver?: number
  /** More than a tenth of the streams waited longer than this for their first token. */
  readonly firstTokenOver?: Millis
}

/** Why a replica is passed over. */
export type Overload =
  | { readonly why: 'waiting_over'; readonly waiting: number; readonly over: number }
  | { readonly why: 'first_token_over'; readonly late: number; readonly of: number; readonly overMs: Millis }

/** A pool all of whose usable replicas are passed over, with the overload of the one that is least behind. */
export type BusyPool = { readonly pool: string } & Overload

/** The age at which a report no longer counts. */
const STALE_AFTER: Millis = 3000
/** Fewer first tokens say nothing of an engine: one long prompt would be among them. */
const LEAST_FIRST_TOKENS = 10
/** One in so many may be late. */
const LATE_SHARE = 10

/** Whether a report still counts. A clock that was set back must not keep one for ever. */
export const isFresh = ({ at }: EngineReport, now: EpochMs): boolean => now >= at && now - at <= STALE_AFTER

/** Why a replica is passed over now; undefined where it is not. */
export function overloadOf({ report, firstTokens }: ReplicaLoad, spill: Spill, now: EpochMs): Overload | undefined {
  const { waitingOver, firstTokenOver } = spill
  if (waitingOver !== undefined && report && report.waiting > waitingOver && isFresh(report, now))
    return { why: 'waiting_over', waiting: report.waiting, over: waitingOver }
  if (firstTokenOver === undefined || !firstTokens || firstTokens.all < LEAST_FIRST_TOKENS) return undefined
  if (firstTokens.late * LATE_SHARE <= firstTokens.all) return undefined
  return { why: 'first_token_over', late: firstTokens.late, of: firstTokens.all, overMs: firstTokenOver }
}

/** Whether a pool is busy: each of its usable replicas is passed over. Returns the smallest overload. */
export function leastOverload(usable: readonly (Overload | undefined)[]): Overload | undefined {
  let least: Overload | undefined
  for (const overload of usable) {
    if (!overload) return undefined
    if (!least || isLess(overload, least)) least = overload
  }
  return least
}

/** Overloads of one kind are compared by their figures; between the kinds, a counted queue comes first. */
function isLess(one: Overload, other: Overload): boolean {
  if (one.why === 'waiting_over') return other.why !== 'waiting_over' || one.waiting < other.waiting
  return other.why === 'first_token_over' && one.late * other.of < other.late * one.of
}

/** `12 requests wait at its least loaded replica, more than 8` */
export function overloadText(overload: Overload): string {
  if (overload.why === 'waiting_over') {
    const { waiting, over } = overload
    return `${counted(waiting, 'request')} ${waiting === 1 ? 'waits' : 'wait'} at its least loaded replica, more than ${over}`
  }
  const { late, of, overMs } = overload
  return `${late} of ${counted(of, 'stream')} waited longer than ${overMs / 1000} s for the first token at its least loaded replica`
}
