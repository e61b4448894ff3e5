import type { AuditRow, GatewayChange } from '../../gateway/accounts/account-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { pagesOf } from './pages.ts'
import type { Records } from './records.ts'

/** Writes a row in the transaction of what it tells, so that there is never one without the other. */
export function note({ audit, meta }: Records, row: AuditRow): void {
  const number = (meta.get('audited') ?? 0) + 1
  meta.put('audited', number)
  audit.put(number, row)
}

/** Writes a row of a change that is of no account. */
export const noteChange = (records: Records, change: GatewayChange, at: EpochMs): Promise<void> =>
  records.transact(() => note(records, { ...change, at, account: '' }))

export async function* readAudit(
  { audit }: Records,
  { account, since = 0 }: { account?: string; since?: EpochMs } = {},
): AsyncGenerator<AuditRow, void, undefined> {
  for await (const page of pagesOf(audit)) {
    for (const { value } of page) {
      if (value.at >= since && (account === undefined || value.account === account)) yield value
    }
  }
}
