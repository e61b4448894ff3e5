import type { ShownKey } from '../../../../src/wire/admin/key.ts'
import { countedText, type LimitRule } from '../api/accounts.ts'
import { quoted } from '../shell.ts'
import * as text from '../texts/account-dialogs.tsx'
import { AskDialog, type ChangeDialogProps } from './ask-dialog.tsx'
import { FieldDialog } from './field-dialog.tsx'
import { LimitDialog } from './limit-dialog.tsx'
import { OrgDialog } from './org-dialog.tsx'
import { PlanDialog } from './plan-dialog.tsx'

/** The action that an operator is about to take. */
export type Asked =
  | { readonly what: 'plan' | 'org' | 'grant' | 'overage' | 'freeze' | 'thaw' | 'limit' | 'mint' | 'invite' }
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
          title={text.removeTheLimitOf(countedText(counted))}
          action={text.removeLimit}
          change={{
            path: 'accounts/unlimit',
            body: { account, limit: counted },
            command: `svcctl accounts unset-limit ${account} ${quoted(countedText(counted))}`,
            done: text.limitRemoved,
          }}
        >
          <p>{text.thePlanAloneSays}</p>
        </AskDialog>
      )
    }
    case 'revoke': {
      const { key } = asked
      return (
        <AskDialog
          {...props}
          title={text.revoke(key.name ?? key.key)}
          action={text.revokeKey}
          isDanger
          change={{
            path: 'keys/revoke',
            body: { key: key.id },
            command: `svcctl keys revoke ${key.id}`,
            done: text.keyRevoked,
          }}
        >
          <p>{text.whateverUses}</p>
        </AskDialog>
      )
    }
    case 'invite':
      return (
        <AskDialog
          {...props}
          title={text.inviteTo(label)}
          action={text.makeLink}
          change={{
            path: 'accounts/invite',
            body: { account },
            command: `svcctl accounts invite ${account}`,
            done: text.linkMade,
          }}
        >
          <p>{text.whoOpensTheLink}</p>
        </AskDialog>
      )
    case 'freeze':
      return (
        <AskDialog
          {...props}
          title={text.freeze(label)}
          action={text.freezeNow}
          isDanger
          change={{
            path: 'accounts/freeze',
            body: { account },
            command: `svcctl accounts freeze ${account}`,
            done: text.frozen,
          }}
        >
          <p>{text.fromTheNextRequest}</p>
        </AskDialog>
      )
    case 'thaw':
      return (
        <AskDialog
          {...props}
          title={text.thaw(label)}
          action={text.thawNow}
          change={{
            path: 'accounts/thaw',
            body: { account },
            command: `svcctl accounts thaw ${account}`,
            done: text.thawed,
          }}
        >
          <p>{text.itIsServedAgain}</p>
        </AskDialog>
      )
  }
}
