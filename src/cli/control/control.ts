import type { ShownKey } from '../../wire/key.ts'
import type { Group, LedgerRecord, UsageReport } from '../../wire/report.ts'

/** What operators may do, through a running gateway or on its store. Rejects with CommandFailed. */
export interface Control {
  mint(label: string, plan: string): Promise<MintedByOperator>
  list(): Promise<readonly ShownKey[]>
  /** By full or masked value. */
  revoke(named: string): Promise<ShownKey>
  /** Totals of whole UTC days. */
  usage(query: { readonly since: string; readonly by: Group }): Promise<UsageReport>
  /** Rows in the order of their admission, as fast as they are taken. `account` is an id or a label. */
  ledger(query: { readonly since: string; readonly account?: string }): AsyncIterable<LedgerRecord>
  close(): Promise<void>
}

export interface MintedByOperator {
  readonly key: ShownKey
  /** The full key, only where one was made. */
  readonly value?: string
  /** What clients set as base URL. */
  readonly baseUrl: string
}
