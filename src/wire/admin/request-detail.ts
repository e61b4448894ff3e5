import { defaulted, list, map, optional, orNull, record, type TypeOf, text } from '../schema/schema.ts'
import { REMEMBERED, REMEMBERED_REQUEST } from './event.ts'
import { UNREACHED } from './fleet.ts'
import { LEDGER_RECORD } from './ledger-record.ts'
import { DECISION } from './past.ts'

/** All that is known of one request. */
export const REQUEST_DETAIL = record(
  {
    request: orNull(REMEMBERED),
    labels: map(text(), 'Labels by account id.'),
    ledger: list(LEDGER_RECORD, 'Its ledger rows, from any gateway.'),
    decision: orNull(DECISION),
    why_none: defaulted(orNull(text('Why there is no decision.')), null),
    notes: optional(list(text(), 'Sentences about it, such as the requests that spent the budget of its session.')),
    unreached: optional(list(UNREACHED, 'Gateways whose memory could not be read.')),
  },
  'RequestDetail',
)

export interface RequestDetail extends TypeOf<typeof REQUEST_DETAIL> {}

/** The detail as commands and other gateways read it. */
export const READ_DETAIL = record({ ...REQUEST_DETAIL.fields, request: orNull(REMEMBERED_REQUEST) })
