import { type AnySchema, optional, type RecordOf, text } from '../schema/schema.ts'

/** A text that names something. */
export const name = (description?: string) => text(description, { least: 1, most: 200 })

/** An account by its id or label, or by its key. */
export const ACCOUNT_NAME = name('An account, by its id or label, or by one of its keys.')

/** An account, or an org where it is named by its id. */
export const SUBJECT_NAME = name('An account, by its id or label or by one of its keys; or an org, such as `org:acme`.')

/** A key by its full or masked value, by its id, or by its account. */
export const KEY_NAME = name('A key, by its full or masked value, its id, or its account if that has one key.')

const NAMES: readonly AnySchema[] = [ACCOUNT_NAME, SUBJECT_NAME, KEY_NAME]

/** Whether a field names an account or a key, of which there may be none. */
export const isName = (schema: AnySchema): boolean => NAMES.includes(schema)

export const USD = text('US dollars, such as `12.50`.', {
  pattern: '^-?[0-9]{1,7}(\\.[0-9]{1,9})?$',
  rule: 'must be US dollars, such as 12.50',
})

/** The gateways that an answer is about. */
export const GATEWAY = optional(
  text('A gateway of the fleet by its name, or `all`. Default: the gateway that is called.'),
)

const SINCE_TEXT =
  'a duration such as `30d` or `12h`, a date such as `2026-11-01`, a time such as `2026-11-01T14:00Z`, `today` or `yesterday`'

/** When a question begins and ends. */
export const PERIOD = {
  since: optional(text(`From then on: ${SINCE_TEXT}.`)),
  until: optional(text('Before then, in the same form.')),
  month: optional(text('A month such as `2026-10`, `this` or `last`, instead of both.')),
}

/** From `since` on and before `until`, or in a month. */
export type PeriodQuery = RecordOf<typeof PERIOD>

/** Which rows of the ledger are asked for. */
export const ROWS = { ...PERIOD, account: optional(ACCOUNT_NAME), key: optional(KEY_NAME) }

export type RowsQuery = RecordOf<typeof ROWS>
