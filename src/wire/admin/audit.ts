import type { EpochMs } from '../../policy/config.ts'
import { defaulted, listing, moment, orNull, record, type TypeOf, text } from '../schema/schema.ts'

/** One control change. */
export const AUDIT_ROW = record(
  {
    at: moment(),
    by: text('The operator, account or process that made it.'),
    // Gateways before 0.2 send no labels.
    by_label: defaulted(
      text(
        'The label of the account in `by`, from an operator or from a claim of its sign-in. Empty if `by` is not an account.',
      ),
      '',
    ),
    action: text(),
    account: text(),
    label: defaulted(text('The label of the account; empty without an account.'), ''),
    before: text(),
    after: text(),
  },
  'AuditRow',
  'A control change.',
)

export interface ShownAudit extends TypeOf<typeof AUDIT_ROW> {}

/** A page of changes, newest first. */
export const AUDIT_PAGE = listing(AUDIT_ROW, {
  next: orNull(moment('`before` of the next page; null on the last one.')),
})

/** A stored change, with the label of its account. */
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
