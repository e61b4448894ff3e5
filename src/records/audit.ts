import type { Fields, RecordOf } from './fields.ts'
import { moment, text, word } from './shape.ts'

/** Actions of an operator, or of an account that signed in, on an account, an org or a key. */
type AccountAction =
  | 'mint'
  | 'rotate'
  | 'revoke'
  | 'set-plan'
  | 'set-overage'
  | 'grant'
  | 'freeze'
  | 'thaw'
  | 'set-limit'
  | 'unset-limit'
  | 'set-org'
  | 'invite'
  | 'uninvite'
  | 'join'
  | 'leave'
  | 'set-notices'

/** Actions on a gateway itself; `refuse` is one that an operator was refused. */
export type GatewayAction = 'apply' | 'rollback' | 'reload' | 'drain' | 'undrain' | 'refuse'

/**
 * Who changed what, when, and what it was before. Scripts of Redis take the fields in this order, and its stores and backups
 * have them under these names.
 */
export const AUDIT = {
  at: moment,
  /** The operator, or the account that signed in and changed its own keys. */
  by: text,
  action: word<AccountAction | GatewayAction>(),
  /** The id of an org where that was changed; empty for a change of the gateway itself. */
  account: text,
  /** Text for people: a masked key, a plan, an amount, a revision, a drained pool; empty for none. */
  before: text,
  after: text,
} satisfies Fields

export interface AuditRow extends RecordOf<typeof AUDIT> {}
