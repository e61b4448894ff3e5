import { randomBytes } from 'node:crypto'
import { newRequestId } from '../../../src/gateway/accounts/keys.ts'
import { type LeavingRow, placeOf } from '../../../src/gateway/store/archive-store.ts'
import type { EpochMs } from '../../../src/policy/config.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import type { LedgerRow } from '../../../src/records/ledger-row.ts'

/** A row that leaves, admitted at a moment. */
export function leavingAt(at: EpochMs, row: Partial<LedgerRow> = {}, attempt = 0): LeavingRow {
  const kind = row.kind ?? 'settle'
  const whole: LedgerRow = {
    requestId: newRequestId(at, randomBytes),
    account: 'acct_shop',
    plan: 'pro',
    asked: 'svc-auto',
    model: 'svc-core',
    pool: 'onprem-core',
    inputTokens: 10,
    outputTokens: 20,
    cost: nanoUsd(50),
    estimated: false,
    admittedAt: at,
    revision: 'r1',
    kind,
    settledAt: at + 1000,
    ...row,
  }
  const place = placeOf(kind, attempt)
  return { key: `${whole.requestId} ${place}`, place, row: whole }
}

/** A row with every optional field. */
export const fullRowAt = (at: EpochMs): LeavingRow =>
  leavingAt(at, {
    asked: 'my “model”  \\ \n{"x":1} é 𝄞',
    cachedTokens: 4,
    cacheWriteTokens: 2,
    cost: nanoUsd(Number.MAX_SAFE_INTEGER),
    estimated: true,
    rule: 'a → b',
    key: 'key_0123456789abcdef',
    tools: { search: 2, a: 1 },
    toolCosts: { search: nanoUsd(7), a: nanoUsd(1) },
    charges: { 'input@500': 7, 'output@1500': 3, 'allowance@20000000000': 1 },
  })
