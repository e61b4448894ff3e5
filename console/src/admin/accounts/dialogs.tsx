import type { ShownKey } from '../../../../src/wire/admin/key.ts'
import { countedText, type LimitRule } from '../api/accounts.ts'
import { quoted } from '../shell.ts'
import { AskDialog, type ChangeDialogProps } from './ask-dialog.tsx'
import { FieldDialog } from './field-dialog.tsx'
import { LimitDialog } from './limit-dialog.tsx'
import { OrgDialog } from './org-dialog.tsx'
import { PlanDialog } from './plan-dialog.tsx'

/** What an operator is about to do. */
export type Asked =
  | { readonly what: 'plan' | 'org' | 'grant' | 'overage' | 'freeze' | 'thaw' | 'limit' | 'mint' }
  | { readonly what: 'unlimit'; readonly limit: LimitRule }
  | { readonly what: 'rotate' | 'revoke'; readonly key: ShownKey }

/** Asks before anything changes: each says what it does, who is audited, and the command that does the same. */
export function ChangeDialog({ asked, ...props }: ChangeDialogProps & { readonly asked: Asked }) {
  const { account, label } = props.account
  switch (asked.what) {
    case 'plan':
      return <PlanDialog {...props} />
    case 'org':
      return <OrgDialog {...props} />
    case 'limit':
      return <LimitDialog {...props} />
    case 'grant':
    case 'overage':
    case 'mint':
      return <FieldDialog what={asked.what} {...props} />
    case 'rotate':
      return <FieldDialog what="rotate" shown={asked.key} {...props} />
    case 'unlimit': {
      const { most: _most, ...counted } = asked.limit
      return (
        <AskDialog
          {...props}
          title={`Remove the limit of ${countedText(counted)}`}
          action="Remove limit"
          change={{
            path: 'accounts/unlimit',
            body: { account, limit: counted },
            command: `svcctl accounts unset-limit ${account} ${quoted(countedText(counted))}`,
            done: 'Limit removed',
          }}
        >
          <p>The plan alone says again how much this is, from the next request on.</p>
        </AskDialog>
      )
    }
    case 'revoke': {
      const { key } = asked
      return (
        <AskDialog
          {...props}
          title={`Revoke ${key.name ?? key.key}`}
          action="Revoke key"
          isDanger
          change={{
            path: 'keys/revoke',
            body: { key: key.id },
            command: `svcctl keys revoke ${key.id}`,
            done: 'Key revoked',
          }}
        >
          <p>Whatever uses it is refused from the very next request. This cannot be taken back.</p>
        </AskDialog>
      )
    }
    case 'freeze':
      return (
        <AskDialog
          {...props}
          title={`Freeze ${label}`}
          action="Freeze"
          isDanger
          change={{
            path: 'accounts/freeze',
            body: { account },
            command: `svcctl accounts freeze ${account}`,
            done: 'Frozen',
          }}
        >
          <p>
            From the next request on nothing is served for it: 403 <code>ACCOUNT_FROZEN</code>, whatever key or sign-in.
            Its keys, plan and usage stay.
          </p>
        </AskDialog>
      )
    case 'thaw':
      return (
        <AskDialog
          {...props}
          title={`Thaw ${label}`}
          action="Thaw"
          change={{
            path: 'accounts/thaw',
            body: { account },
            command: `svcctl accounts thaw ${account}`,
            done: 'Thawed',
          }}
        >
          <p>It is served again, with its keys, plan and usage as they were.</p>
        </AskDialog>
      )
  }
}
