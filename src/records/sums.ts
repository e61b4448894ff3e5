import type { Fields, RecordOf } from './fields.ts'
import { BILL } from './ledger-row.ts'
import { nanoUsds, number, text } from './shape.ts'

// The sums of ledger rows by day, declared once: types, stores, backups and their verification follow from here. A new sum is a
// field of the row, optional, since sums without it exist, and goes to the end of `SUMS`.

const { account, plan, model, key, pool, inputTokens, outputTokens, cost, cachedTokens, cacheWriteTokens, saved } = BILL

/** Sums of the rows of an account, or of failed attempts, beside their number. */
const ADDED = { inputTokens, outputTokens, cost, cachedTokens, cacheWriteTokens, saved } satisfies Fields

/** Sums that are 0 are absent where that is optional. */
export const SUMS = { requests: number, ...ADDED } satisfies Fields

export interface Sums extends RecordOf<typeof SUMS> {}

const OWNER = {
  /** Days since the epoch, UTC: the day of the admissions. */
  day: number,
  account,
  plan,
  model,
  /** The id of a key. Absent for sign-ins, and in sums of older gateways. */
  key,
} satisfies Fields

const TOTAL = { ...OWNER, ...SUMS } satisfies Fields

/** The sums of one account, plan, model and key in one day. */
export interface Total extends RecordOf<typeof TOTAL> {}

const TOOL_TOTAL = { ...OWNER, tool: text, calls: number, cost: nanoUsds } satisfies Fields

/**
 * Calls of one hosted tool in the requests of a total, and what they cost, which is a part of its cost. Or the quantity of one
 * charge, whose name says what it costs: see `policy/billing/charges.ts`.
 */
export interface ToolTotal extends RecordOf<typeof TOOL_TOTAL> {}

const WASTE_TOTAL = {
  /** Days since the epoch, UTC: the day of the admissions. */
  day: number,
  pool,
  attempts: number,
  ...ADDED,
} satisfies Fields

/** The cost of failed attempts at one pool in one day. */
export interface WasteTotal extends RecordOf<typeof WASTE_TOTAL> {}
