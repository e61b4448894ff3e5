import { LIMIT } from './admin/limit.ts'
import { forms, list, number, optional, text, whole } from './schema/schema.ts'

export const SPAN_FORMS = 'a time such as 90d, 12h or 30m, or whole seconds, of at most 10 years'

/** A duration from a client. `readSpan` checks the rules that the schema cannot express. */
export const SPAN = forms(whole(), text(`${SPAN_FORMS[0]?.toUpperCase()}${SPAN_FORMS.slice(1)}.`))

/** The fields of a body that describes a new key. */
export const WISH_FIELDS = {
  name: optional(
    text("One line of at most 64 characters. Without a name, the key is the account's first.", {
      // One line that shows as it reads; ids begin like that.
      pattern: '^(?!\\s|key_)[^\\p{C}\\p{Zl}\\p{Zp}]{1,64}(?<!\\s)$',
      rule: 'must be one line of at most 64 characters, and not begin with key_',
    }),
  ),
  expires_in: optional(SPAN),
  models: optional(
    list(text(undefined, { least: 1, most: 128 }), 'Models and tiers of the plan that it may use.', {
      least: 1,
      most: 50,
      isUnique: true,
    }),
  ),
  addresses: optional(
    list(text(undefined, { least: 1, most: 64 }), 'Addresses and networks that it works from.', {
      least: 1,
      most: 50,
      isUnique: true,
    }),
  ),
  limits: optional(list(LIMIT, "Its own limits, in addition to its account's.", { least: 1, most: 16 })),
  usd_per_day: optional(forms(number(), text('US dollars per day, such as 5 or 0.50.'))),
  rpm: optional(whole('Requests in any 60 seconds.', { least: 1, most: 1_000_000_000 })),
}
