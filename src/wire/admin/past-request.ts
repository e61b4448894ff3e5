import type { NanoUsd } from '../../policy/nano-usd.ts'
import { OUTCOMES } from '../own-request.ts'
import {
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

/** Prompts and answers are kept nowhere. */
const PAST_REQUEST = record(
  {
    request_id: text(),
    at: moment(),
    account: orNull(text()),
    label: orNull(text('How operators call the account.')),
    key: orNull(text('The id of the key that it came with.')),
    plan: orNull(text()),
    path: orNull(text('Null in what the ledger says.')),
    status: orNull(whole('499 where the client left. Null in what the ledger says, which has those that were served.')),
    outcome: word(OUTCOMES, 'An answer that broke off is a failure, whatever its status was.'),
    ms: number(),
    asked: orNull(text('Null where the request named no model.')),
    model: orNull(text()),
    route: orNull(text()),
    pool: orNull(text()),
    input_tokens: orNull(whole()),
    output_tokens: orNull(whole()),
    cost_nano_usd: orNull(whole<NanoUsd>()),
    usd: orNull(text()),
    estimated: orNull(flag()),
    tools: orNull(map(whole(), 'Calls of hosted tools by name.')),
    code: orNull(text()),
    type: orNull(text()),
    limit: orNull(text('The limit that refused it: `tokens per day of key`.')),
    interrupted: orNull(text('Why its answer broke off.')),
    failures: list(
      FAILURE,
      'Attempts that failed before it was answered; of the ledger those alone that cost something.',
    ),
    from: word(['memory', 'ledger'], 'A gateway remembers it, or the ledger of all has it.'),
  },
  'PastRequest',
)

export interface PastRequest extends TypeOf<typeof PAST_REQUEST> {}

/** Requests of the past, newest first: those that the gateways of the fleet remember, and those in the ledger. */
export const PAST_REQUESTS = record(
  {
    object: fixed('list'),
    data: list(PAST_REQUEST),
    next: orNull(text('Where older ones are: `before`. Null where there are none.')),
    refusals_since: orNull(moment('Refusals are known since then; null where no gateway runs.')),
    not_read: optional(text('The archive that has rows of the time that was asked for, where it is not read back.')),
    unreached: optional(list(UNREACHED, 'Gateways whose memory could not be asked.')),
  },
  'PastRequests',
)

export interface PastRequests extends TypeOf<typeof PAST_REQUESTS> {}
