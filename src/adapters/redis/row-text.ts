import { type ListedField, recordFrom } from '../../records/fields.ts'
import { type Bill, type LEDGER_ROW, type LedgerRow, ROW_FIELDS } from '../../records/ledger-row.ts'

// A row is `request place kind cost input output tokens settled account plan model rest`, as redis/holds/settle.lua and
// redis/ledger/waste.lua write it. The rest is a JSON array.

/**
 * The place of each field in the rest of a row. A new field does not compile until it has one: the next, which no field ever
 * had. `node scripts/generate.js` writes the places that scripts need into redis/ledger/places.lua.
 */
export const REST_PLACES: Readonly<Record<Exclude<keyof LedgerRow, HeadField>, number>> = {
  asked: 0,
  pool: 1,
  estimated: 2,
  admittedAt: 3,
  revision: 4,
  rule: 5,
  cause: 6,
  tools: 7,
  cachedTokens: 8,
  cacheWriteTokens: 9,
  key: 10,
  toolCosts: 11,
  charges: 12,
  labels: 13,
  session: 14,
  saved: 15,
  day: 16,
  mirror: 17,
}

/** The fields in front of the rest, as text between blanks. */
type HeadField =
  | 'requestId'
  | 'kind'
  | 'cost'
  | 'inputTokens'
  | 'outputTokens'
  | 'settledAt'
  | 'account'
  | 'plan'
  | 'model'

/** The account, plan and model that a row is of. Names contain no blanks. */
export const whoseOf = ({ account, plan, model }: Bill): string => `${account} ${plan} ${model}`

/** The name of the totals that a row counts in: its account, plan and model, and its key if it has one. */
export const totalOf = (bill: Bill): string => (bill.key === undefined ? whoseOf(bill) : `${whoseOf(bill)} ${bill.key}`)

const REST: readonly ListedField<keyof LedgerRow>[] = ROW_FIELDS.filter(({ member }) => member in REST_PLACES).sort(
  (a, b) => placeOf(a) - placeOf(b),
)

function placeOf({ member }: ListedField): number {
  return (REST_PLACES as Readonly<Record<string, number>>)[member] ?? -1
}

/** The fields of a row behind those that scripts read between blanks. The absent ones at the end are left out. */
export function restOf(bill: Bill, cause?: string): string {
  const row: Partial<LedgerRow> = cause === undefined ? bill : { ...bill, cause }
  const rest: unknown[] = []
  let kept = 0
  for (const { member, kind } of REST) {
    const value = row[member]
    if (value !== undefined) kept = rest.length + 1
    rest.push(value === undefined ? null : kind === 'flag' ? Number(value) : value)
  }
  rest.length = kept
  return JSON.stringify(rest)
}

/** Reads a row as the scripts write it. */
export function readRow(text: string): LedgerRow {
  const [requestId, , kind, cost, input, output, , settledAt, account, plan, model, ...rest] = text.split(' ')
  const others = JSON.parse(rest.join(' ')) as readonly unknown[]
  const head: Readonly<Record<HeadField, unknown>> = {
    ...{ requestId, kind, account, plan, model },
    ...{ cost: Number(cost), inputTokens: Number(input), outputTokens: Number(output), settledAt: Number(settledAt) },
  }
  return recordFrom<typeof LEDGER_ROW>(ROW_FIELDS, field => {
    if (field.member in head) return head[field.member as HeadField]
    const value = others[placeOf(field)]
    return field.kind === 'flag' ? value === 1 : (value ?? undefined)
  })
}
