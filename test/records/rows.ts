import type { RowState } from '../../src/gateway/store/record.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import type { Bill } from '../../src/records/ledger-row.ts'

const AT = Date.UTC(2025, 5, 16, 12)

/** A bill with nothing that may be absent. */
export const PLAIN_BILL: Bill = {
  requestId: 'req_0197774bb400aaaaaaaaaaaa',
  account: 'acct_shop',
  plan: 'pro',
  asked: 'svc-auto',
  model: 'svc-core',
  pool: 'onprem-core',
  inputTokens: 10,
  outputTokens: 20,
  cost: nanoUsd(50),
  estimated: false,
  admittedAt: AT,
  revision: 'r1',
}

/** A bill with every field, and texts that are hard to quote. A new field of the ledger row does not compile until it is here. */
export const FULL_BILL: Required<Bill> = {
  ...PLAIN_BILL,
  asked: 'my “model”, \\ "x" é 𝄞',
  cost: nanoUsd(Number.MAX_SAFE_INTEGER),
  estimated: true,
  cachedTokens: 4,
  cacheWriteTokens: 2,
  rule: 'a → b',
  tools: { search: 2, a: 1 },
  toolCosts: { search: nanoUsd(7), a: nanoUsd(1) },
  key: 'key_0123456789abcdef',
  charges: { 'input@500': 4, 'output@1500': 20, 'allowance@20000000000': 1 },
  labels: { project: 'web', team: 'core' },
  session: '0197774b-b400-7000-8000-aaaaaaaaaaaa',
  saved: nanoUsd(3),
  day: '2025-06-16',
  mirror: { pool: 'onprem', end: 'well', copy_end: 'failed' },
}

/** Rows of every kind, with every field that each kind may have. */
export const ROWS: Readonly<Record<string, RowState>> = {
  plain: { ...PLAIN_BILL, kind: 'settle', settledAt: AT + 1000 },
  full: { ...FULL_BILL, kind: 'settle', settledAt: AT + 1234 },
  keyed: { ...PLAIN_BILL, key: 'key_1', kind: 'settle', settledAt: AT + 1000 },
  routed: { ...PLAIN_BILL, rule: 'cheap', kind: 'settle', settledAt: AT + 1000 },
  cached: { ...PLAIN_BILL, cachedTokens: 3, kind: 'settle', settledAt: AT + 1000 },
  orphan: {
    ...FULL_BILL,
    kind: 'orphan',
    settledAt: AT + 30_000,
    tokens: 33,
    pieces: { images: 1, seconds: 2 },
    shared: true,
  },
  late: { ...PLAIN_BILL, inputTokens: -3, outputTokens: 4, cost: nanoUsd(-7), kind: 'late', settledAt: AT + 60_000 },
  waste: { ...PLAIN_BILL, kind: 'waste', settledAt: AT, cause: 'first content timeout', attempt: 2 },
  mirror: {
    ...{ ...PLAIN_BILL, pool: 'new', kind: 'waste', settledAt: AT, cause: 'copy', attempt: 9000 },
    mirror: { pool: 'onprem', end: 'well', copy_end: 'well', copy_finish: 'stop' },
  },
}
