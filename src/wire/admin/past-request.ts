import type { NanoUsd } from '../../policy/nano-usd.ts'
import { OUTCOMES } from '../own-request.ts'
import {
  defaulted,
  fixed,
  flag,
  list,
  map,
  moment,
  number,
  optional,
  orNull,
  record,
  type TypeOf,
  text,
  whole,
  word,
} from '../schema/schema.ts'
import { FAILURE } from './event.ts'
import { UNREACHED } from './fleet.ts'

/** A past request. The gateway stores neither prompts nor answers. */
const PAST_REQUEST = record(
  {
    request_id: text(),
    at: moment(),
    account: orNull(text()),
    label: orNull(text('The label of the account.')),
    key: orNull(text('The id of its key.')),
    plan: orNull(text()),
    path: orNull(text('Null for entries from the ledger.')),
    status: orNull(whole('499 if the client left. Null for entries from the ledger, which only has served requests.')),
    outcome: word(OUTCOMES, 'An answer that broke off counts as failed, whatever its status.'),
    ms: number(),
    asked: orNull(text('Null if the request named no model.')),
    model: orNull(text()),
    route: orNull(text()),
    pool: orNull(text()),
    input_tokens: orNull(whole()),
    output_tokens: orNull(whole()),
    cost_nano_usd: orNull(whole<NanoUsd>()),
    usd: orNull(text()),
    estimated: orNull(flag()),
    tools: orNull(map(whole(), 'Hosted tool calls by name.')),
    code: orNull(text()),
    type: orNull(text()),
    limit: orNull(text('The limit that refused it: `tokens per day of key`.')),
    interrupted: orNull(text('Why its answer broke off.')),
    failures: list(FAILURE, 'Attempts that failed before it was answered; from the ledger, only those with a cost.'),
    labels: defaulted(orNull(map(text(), 'The values of its labels; null if it has none.')), null),
    session: defaulted(orNull(text('The id of its conversation, or a digest of it.')), null),
    from: word(['memory', 'ledger'], "The source: a gateway's memory, or the ledger."),
  },
  'PastRequest',
)

export interface PastRequest extends TypeOf<typeof PAST_REQUEST> {}

/** Past requests, newest first, from the memory of the fleet's gateways and from the ledger. */
export const PAST_REQUESTS = record(
  {
    object: fixed('list'),
    data: list(PAST_REQUEST),
    next: orNull(text('The `before` of the next page; null on the last page.')),
    refusals_since: orNull(moment('The oldest moment from which refusals are known; null if no gateway runs.')),
    not_read: optional(text('The archive that has rows of this period, if it cannot be read back.')),
    unreached: optional(list(UNREACHED, 'Gateways whose memory could not be asked.')),
  },
  'PastRequests',
)

export interface PastRequests extends TypeOf<typeof PAST_REQUESTS> {}
