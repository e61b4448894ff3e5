import type { EpochMs, Millis, Pool } from '../../policy/config.ts'
import { fixed, flag, list, moment, orNull, record, type TypeOf, text, whole } from '../schema/schema.ts'

const PROBE_FIELDS = {
  ok: flag(),
  status: orNull(whole('Null without an answer.')),
  error: orNull(text()),
  ms: whole(),
  at: moment(),
}

export const PROBE = record(PROBE_FIELDS, 'Probe')

export interface ShownProbe extends TypeOf<typeof PROBE> {}

/** A replica's answer when an operator had it probed. */
const RESULT = record({ pool: text(), replica: whole(), url: text(), ...PROBE_FIELDS }, 'ProbeResult')

export interface ShownResult extends TypeOf<typeof RESULT> {}

export const PROBE_RESULTS = record({
  object: fixed('list'),
  ok: flag('Whether all of them succeeded.'),
  data: list(RESULT),
})

/** A probe as a process records it. */
export interface ProbeReading {
  readonly ok: boolean
  readonly status?: number
  readonly error?: string
  readonly ms: Millis
  readonly at: EpochMs
}

export const shownProbe = ({ ok, status, error, ms, at }: ProbeReading): ShownProbe => ({
  ok,
  status: status ?? null,
  error: error ?? null,
  ms,
  at: new Date(at).toISOString(),
})

export const shownResult = (
  { name }: Pool,
  { number, url }: { readonly number: number; readonly url: string },
  probed: ProbeReading,
): ShownResult => ({ pool: name, replica: number, url, ...shownProbe(probed) })
