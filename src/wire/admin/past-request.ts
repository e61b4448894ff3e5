import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import type { JsonObject } from '../json-safety.ts'
import { OUTCOMES, type OwnRequest } from '../own-request.ts'
import { readUnreached, type Unreached } from './fleet.ts'
import { count, list, number, object, oneOf, orNull, text } from './record-fields.ts'

/** Requests of the past, newest first: those that the gateways of the fleet remember, and those in the ledger. */
export interface PastRequests {
  readonly object: 'list'
  readonly data: readonly PastRequest[]
  /** Where older ones are: `before`. Null where there are none. */
  readonly next: string | null
  /** What was refused is known since then; null where no gateway runs. */
  readonly refusals_since: string | null
  /** The archive that has rows of the time that was asked for, where it is not read back. */
  readonly not_read?: string
  /** Gateways whose memory could not be asked. */
  readonly unreached?: readonly Unreached[]
}

/** Prompts and answers are kept nowhere. */
export interface PastRequest
  extends Omit<OwnRequest, 'id' | 'upstream' | 'usd' | 'message'>,
    Readonly<Record<'account' | 'label' | 'key' | 'plan' | 'pool' | 'usd' | 'interrupted', string | null>> {
  readonly request_id: string
  readonly cost_nano_usd: NanoUsd | null
  /** Attempts that failed before it was answered; of the ledger those alone that cost something. */
  readonly failures: readonly { readonly pool: string; readonly cause: string }[]
}

/** Reads what a gateway sent. Throws TypeError when it is of another form. */
export function readPastRequests(value: unknown): PastRequests {
  const record = object(value, 'list of requests')
  return {
    object: 'list',
    data: list(record.data, 'requests').map(readPastRequest),
    next: orNull(text, record, 'next'),
    refusals_since: orNull(text, record, 'refusals_since'),
    ...(typeof record.not_read === 'string' && { not_read: record.not_read }),
    ...(record.unreached !== undefined && { unreached: readUnreached(record) }),
  }
}

function readPastRequest(value: unknown): PastRequest {
  const record = object(value, 'request')
  const texts = (field: string) => orNull(text, record, field)
  const counts = (field: string) => orNull(count, record, field)
  const cost = counts('cost_nano_usd')
  return {
    request_id: text(record, 'request_id'),
    at: text(record, 'at'),
    account: texts('account'),
    label: texts('label'),
    key: texts('key'),
    plan: texts('plan'),
    path: texts('path'),
    status: counts('status'),
    outcome: oneOf(OUTCOMES, record, 'outcome'),
    ms: number(record, 'ms'),
    asked: texts('asked'),
    model: texts('model'),
    route: texts('route'),
    pool: texts('pool'),
    input_tokens: counts('input_tokens'),
    output_tokens: counts('output_tokens'),
    cost_nano_usd: cost === null ? null : nanoUsd(cost),
    usd: texts('usd'),
    estimated: record.estimated === null ? null : record.estimated === true,
    tools: record.tools === null ? null : readTools(object(record.tools, 'tools')),
    code: texts('code'),
    type: texts('type'),
    limit: texts('limit'),
    interrupted: texts('interrupted'),
    failures: list(record.failures, 'failures').map(readFailure),
    from: oneOf(['memory', 'ledger'], record, 'from'),
  }
}

const readTools = (tools: JsonObject): Record<string, number> =>
  Object.fromEntries(Object.keys(tools).map(name => [name, count(tools, name)]))

function readFailure(value: unknown): { readonly pool: string; readonly cause: string } {
  const failure = object(value, 'failure')
  return { pool: text(failure, 'pool'), cause: text(failure, 'cause') }
}
