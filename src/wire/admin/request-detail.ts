import { isObject, type JsonObject } from '../json-safety.ts'
import { readShownEvent, type ShownRequest } from './event.ts'
import { readUnreached, type Unreached } from './fleet.ts'
import { type LedgerRecord, readLedgerRecord } from './ledger-record.ts'
import type { ShownStep } from './past.ts'
import { list, object, oneOf, orNull, text } from './record-fields.ts'

/** All that is known of one request. */
export interface RequestDetail {
  /** What the gateway asked remembers of it, or another one of those asked. */
  readonly request: Omit<ShownRequest, 'standing' | 'event'> | null
  /** How operators call its account, by the id. */
  readonly labels: Readonly<Record<string, string>>
  /** Its rows, of whichever gateway. */
  readonly ledger: readonly LedgerRecord[]
  /** What `svcctl explain --request ID --json` says of it. */
  readonly decision: (JsonObject & { readonly stages: readonly ShownStep[] }) | null
  readonly why_none: string | null
  /** Gateways that could not be asked what they remember. */
  readonly unreached?: readonly Unreached[]
}

/** Reads what a gateway sent. Throws TypeError when it is of another form. */
export function readRequestDetail(value: unknown): RequestDetail {
  const record = object(value, 'request')
  return {
    request: record.request === null ? null : readRemembered(object(record.request, 'request')),
    labels: Object.fromEntries(
      Object.entries(isObject(record.labels) ? record.labels : {}).map(([account, label]) => [account, String(label)]),
    ),
    ledger: list(record.ledger, 'ledger').map(readLedgerRecord),
    decision: isObject(record.decision) ? readDecision(record.decision) : null,
    why_none: typeof record.why_none === 'string' ? record.why_none : null,
    ...(record.unreached !== undefined && { unreached: readUnreached(record) }),
  }
}

function readRemembered(record: JsonObject): RequestDetail['request'] {
  const read = readShownEvent({ ...record, event: 'request', standing: null })
  if (read.event !== 'request') throw new TypeError('the gateway sent no request')
  const { standing: _, event: __, ...request } = read
  return request
}

const readDecision = (record: JsonObject): RequestDetail['decision'] => ({
  ...record,
  stages: list(record.stages, 'stages').map(readStep),
})

function readStep(value: unknown): ShownStep {
  const record = object(value, 'stage')
  return {
    stage: text(record, 'stage'),
    outcome: oneOf(['pass', 'deny'], record, 'outcome'),
    text: text(record, 'text'),
    file: orNull(text, record, 'file'),
    line: typeof record.line === 'number' ? record.line : null,
  }
}
