import type { EpochMs } from '../../policy/config.ts'
import { object, text } from './record-fields.ts'

/** One control change. */
export interface ShownAudit {
  readonly at: string
  readonly by: string
  /** How people call the account that `by` is: a claim of its sign-in, where an operator gave it no label. Empty where it is none. */
  readonly by_label: string
  readonly action: string
  readonly account: string
  /** How operators call the account; empty where there is none. */
  readonly label: string
  readonly before: string
  readonly after: string
}

/** What a store has of a change, with the label of its account. */
interface StoredChange extends Omit<ShownAudit, 'at' | 'by_label'> {
  readonly at: EpochMs
  readonly byLabel: string
}

export const shownAudit = ({ at, by, byLabel, action, account, label, before, after }: StoredChange): ShownAudit => ({
  at: new Date(at).toISOString(),
  by,
  by_label: byLabel,
  action,
  account,
  label,
  before,
  after,
})

/** Reads a change that a gateway sent. Throws TypeError where it is of another form. */
export function readShownAudit(value: unknown): ShownAudit {
  const record = object(value, 'row of the audit')
  return {
    at: text(record, 'at'),
    by: text(record, 'by'),
    // A gateway of a version before this one sends no labels.
    by_label: record.by_label === undefined ? '' : text(record, 'by_label'),
    action: text(record, 'action'),
    account: text(record, 'account'),
    label: record.label === undefined ? '' : text(record, 'label'),
    before: text(record, 'before'),
    after: text(record, 'after'),
  }
}
