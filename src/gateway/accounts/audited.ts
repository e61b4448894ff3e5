import type { Alarm } from '../ports.ts'
import type { AccountStore, AuditQuery, AuditRow, GatewayChange } from '../store/account-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import { isId } from './accounts.ts'
import { labelsOf } from './labels.ts'

/** Writes a change of the gateway itself to the audit. */
export type Audited = (change: GatewayChange) => Promise<void>

/** The change holds already, and pools are drained in the middle of outages: where the store does not answer, the row goes to the log. */
export const auditedIn =
  (accounts: Pick<AccountStore, 'noteChange'>, alarm: Alarm): Audited =>
  async change => {
    try {
      await accounts.noteChange(change)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      alarm('a change is missing in the audit', { ...change, error: error.message })
    }
  }

/** A row of the audit, with labels as they are now; empty where there is none. */
export interface LabelledRow extends AuditRow {
  /** Of its account. */
  readonly label: string
  /** Of the account that made the change, as an operator who signed in, or for itself. */
  readonly byLabel: string
}

/** Rows of the audit, oldest first, with what people know their accounts by. */
export async function* labelledAudit(
  accounts: Pick<AccountStore, 'readAudit' | 'find'>,
  query: AuditQuery,
): AsyncGenerator<LabelledRow, void, undefined> {
  const find = labelsOf(accounts)
  const labelOf = async (account: string) => (isId(account) && (await find(account))) || ''
  for await (const row of accounts.readAudit(query))
    yield { ...row, label: await labelOf(row.account), byLabel: await labelOf(row.by) }
}
