import type { EpochMs } from '../../policy/config.ts'
import type { AuditRow } from '../../records/audit.ts'
import type { Alarm } from '../ports.ts'
import type { AccountStore, AuditQuery, GatewayChange } from '../store/account-store.ts'
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
  /** The label of its account. */
  readonly label: string
  /** The label of the account that made the change, as an operator who signed in, or for itself. */
  readonly byLabel: string
}

/** Rows of the audit, oldest first, with what people know their accounts by. */
export async function* labelledAudit(
  accounts: Pick<AccountStore, 'readAudit' | 'find'>,
  query: AuditQuery,
): AsyncGenerator<LabelledRow, void, undefined> {
  const labelled = labelling(accounts)
  for await (const row of accounts.readAudit(query)) yield labelled(row)
}

/** Which of the newest changes are asked for. */
export interface NewestAudit {
  readonly account?: string
  /** Changes before this moment. */
  readonly before: EpochMs
  readonly limit: number
  readonly isWanted: (row: AuditRow) => boolean
}

/**
 * The newest changes that are wanted, and the moment before which to look on; absent where there are no more. It looks at no
 * more than some rows. All changes of one moment are on one page, which may so have a few more.
 */
export async function newestAudit(
  accounts: Pick<AccountStore, 'readAuditBack' | 'find'>,
  { account, before, limit, isWanted }: NewestAudit,
  most = MOST_LOOKED,
): Promise<{ readonly rows: readonly LabelledRow[]; readonly next?: EpochMs }> {
  const labelled = labelling(accounts)
  const rows: LabelledRow[] = []
  let [looked, last] = [0, before]
  for await (const row of accounts.readAuditBack(account === undefined ? {} : { account })) {
    if (row.at >= before) continue
    if (row.at !== last && (rows.length >= limit || looked >= most)) return { rows, next: last }
    looked++
    last = row.at
    if (isWanted(row)) rows.push(await labelled(row))
  }
  return { rows }
}

const MOST_LOOKED = 20_000

function labelling(accounts: Pick<AccountStore, 'find'>): (row: AuditRow) => Promise<LabelledRow> {
  const find = labelsOf(accounts)
  const labelOf = async (account: string) => (isId(account) && (await find(account))) || ''
  return async row => ({ ...row, label: await labelOf(row.account), byLabel: await labelOf(row.by) })
}
