import type { ComponentChildren } from 'preact'
import type { ShownAccount } from '../../../../src/wire/admin/account.ts'
import { Dialog } from '../../shared/dialog.tsx'
import type { Change } from '../api/accounts.ts'
import { who } from '../api/who.ts'
import { Command } from '../command.tsx'
import * as text from '../texts/account-dialogs.tsx'

/** The props of every dialog that changes an account. */
export interface ChangeDialogProps {
  readonly account: ShownAccount
  readonly onChange: (change: Change) => void
  readonly onClose: () => void
}

interface AskDialogProps extends ChangeDialogProps {
  readonly title: string
  /** The label of the button that does it. */
  readonly action: string
  readonly isDanger?: boolean
  /** Undefined while a field says nothing that could be done. */
  readonly change: Change | undefined
  readonly children: ComponentChildren
}

/** Asks before a change, with the command that does the same and the operator whom the audit will name. */
export const AskDialog = ({ title, action, isDanger = false, change, children, onChange, onClose }: AskDialogProps) => (
  <Dialog
    title={title}
    action={action}
    danger={isDanger}
    onClose={onClose}
    onConfirm={() => change && onChange(change)}
  >
    {children}
    {change && <Command text={change.command} />}
    <p class="small muted">{text.theAuditWillName(who.value.data?.by ?? 'you')}</p>
  </Dialog>
)
