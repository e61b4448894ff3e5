import type { EpochMs } from '../policy/config.ts'
import type { Bucket, CalendarCount } from '../policy/counters/account-counters.ts'
import type { NanoUsd } from '../policy/nano-usd.ts'
import type { Fields, RecordOf } from './fields.ts'
import { jsonOf, list, nanoUsds, number, record, text } from './shape.ts'

// The use of limits, declared once. The types that policy judges with are in policy: a member added there does not compile until
// it has its shape here.

const BUCKET = record<Bucket>({ second: number, requests: number, tokens: number })
const CALENDAR_COUNT = record<CalendarCount>({ number, requests: number })

const COUNTERS = {
  account: text,
  minute: list(BUCKET),
  calendar: list(CALENDAR_COUNT),
  /** Values by the start of the billing window. */
  used: jsonOf<Readonly<Record<EpochMs, NanoUsd>>>(),
} satisfies Fields

/** An account's use of its limits, without the holds of its running requests. */
export interface CountersState extends RecordOf<typeof COUNTERS> {}

const GUEST_DAY = {
  /** Days since the epoch, UTC. */
  day: number,
  /** Charges of all guests together, without their running requests. */
  used: nanoUsds,
} satisfies Fields

export interface GuestDay extends RecordOf<typeof GUEST_DAY> {}
