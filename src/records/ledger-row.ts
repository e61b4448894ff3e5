import { type DayNumber, readDay } from '../policy/zone.ts'
import { type Field, field, listOf, type RecordOf } from './fields.ts'
import { costs, counts, flag, moment, nanoUsds, number, optional, text, texts, word } from './shape.ts'

// The ledger row, declared once: its types and the codecs of stores, workers, archives, backups and exports follow from
// it. A new field must be optional, since existing rows lack it, and goes to the end of `BILL`.

/** The fields of a bill. */
export const BILL = {
  requestId: field('request_id', text),
  account: field('account', text),
  plan: field('plan', text),
  /** The name the client asked for: a model, an alias, or empty. */
  asked: field('asked', text),
  model: field('model', text),
  pool: field('pool', text),
  inputTokens: field('input_tokens', number),
  outputTokens: field('output_tokens', number),
  /** Input tokens that the backend read from its cache; a row of kind `late` repeats them. Absent for none. */
  cachedTokens: field('cached_tokens', optional(number), { isZero: true }),
  /** Input tokens that the backend wrote into its cache. */
  cacheWriteTokens: field('cache_write_tokens', optional(number), { isZero: true }),
  cost: field('cost_nano_usd', nanoUsds),
  /** True when the backend did not report its usage. */
  estimated: field('estimated', flag),
  admittedAt: field('admitted_at', moment),
  /** The revision of the configuration that decided the request. */
  revision: field('revision', text),
  /** The route that chose the model. */
  rule: field('route', optional(text)),
  /** Answered calls of hosted tools by name, whose price is in the cost; a row of kind `late` repeats them. */
  tools: field('tools', optional(counts)),
  /** The cost of each tool's calls, which is a part of `cost`; a row of kind `late` repeats it. Absent in rows of older gateways. */
  toolCosts: field('tool_costs_nano_usd', optional(costs), { column: 'tool_costs' }),
  /** The id of the request's key. Absent for a sign-in, and in rows of older gateways. */
  key: field('key', optional(text)),
  /**
   * Quantities by kind and unit price, and the allotment that it was admitted under; a row of kind `late` repeats them. Absent in
   * rows of older gateways: see policy/billing/charges.ts.
   */
  charges: field('charges', optional(counts)),
  /**
   * The request's labels, by name; a row of kind `late` or `waste` repeats them. Absent if there are none, and in rows
   * of older gateways.
   */
  labels: field('labels', optional(texts)),
  /**
   * The id of the conversation, or a digest of it: see wire/session-of.ts. Absent if the request names none, and in
   * rows of older gateways.
   */
  session: field('session', optional(text)),
  /**
   * How much more the cached tokens would have cost as other input; a row of kind `late` repeats it. Absent for
   * nothing, and in rows of older gateways, whose savings are unknown.
   */
  saved: field('saved_nano_usd', optional(nanoUsds)),
  /**
   * The billing day, such as `2026-11-01`, in the configured zone at admission. Absent for a UTC day, and in rows of
   * older gateways.
   */
  day: field('billing_day', optional(text)),
  /**
   * The outcome of a copy of the request, beside the request's own: see records/mirror-facts.ts. Only in rows of
   * copies, which stores keep as waste, so that no gateway, old or new, charges them to an account; everywhere else
   * they are rows of kind `mirror`.
   */
  mirror: field('mirror', optional(texts)),
} satisfies Readonly<Record<string, Field>>

/** The fields of a row: the bill, and when and why it was charged. */
export const LEDGER_ROW = {
  ...BILL,
  /**
   * `orphan`: charged at its last checkpoint. `late`: settled after that; tokens and cost are the difference.
   * `waste`: the cost of a failed attempt for the operator, which no client pays.
   */
  kind: field('kind', word<'settle' | 'orphan' | 'late' | 'waste'>()),
  settledAt: field('settled_at', moment),
  /** Why the attempt failed; only in rows of kind `waste`. */
  cause: field('cause', optional(text)),
} satisfies Readonly<Record<string, Field>>

/** The usage and cost of one request. It never contains prompts or answers. */
export interface Bill extends RecordOf<typeof BILL> {}

/** One settled request, or one attempt that was wasted. */
export interface LedgerRow extends RecordOf<typeof LEDGER_ROW> {}

/** The kind of a row as everybody but the stores sees it. */
export const shownKind = ({ kind, mirror }: Pick<LedgerRow, 'kind' | 'mirror'>): LedgerRow['kind'] | 'mirror' =>
  kind === 'waste' && mirror ? 'mirror' : kind

/** Whether a row holds the cost of a failed attempt, as opposed to a copy. */
export const isWasted = ({ kind, mirror }: Pick<LedgerRow, 'kind' | 'mirror'>): boolean => kind === 'waste' && !mirror

/**
 * The name under which sums keep the failed attempts of a pool; copies have a separate one. Pool names contain no
 * slash.
 */
export const wasteOf = ({ pool, mirror }: Pick<Bill, 'pool' | 'mirror'>): string => (mirror ? `${pool}/mirror` : pool)

/** The day, since the epoch, whose sums include the row. It stays the same if the configured zone changes later. */
export const dayOfRow = ({ day, admittedAt }: Pick<Bill, 'day' | 'admittedAt'>): DayNumber =>
  (day === undefined ? undefined : readDay(day)) ?? Math.floor(admittedAt / DAY_MS)

const DAY_MS = 86_400_000

/** The fields of a row, in the order of their declaration. */
export const ROW_FIELDS = listOf(LEDGER_ROW)
