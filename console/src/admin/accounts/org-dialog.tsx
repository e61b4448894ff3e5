import { useState } from 'preact/hooks'
import { useResource } from '../../shared/resource.ts'
import { type Change, listOrgs } from '../api/accounts.ts'
import * as text from '../texts/account-dialogs.tsx'
import { AskDialog, type ChangeDialogProps } from './ask-dialog.tsx'

/** Has an account belong to an org, or to none. */
export function OrgDialog(props: ChangeDialogProps) {
  const { account, label, org } = props.account
  const orgs = useResource(listOrgs)
  const [named, name] = useState(org ?? '')
  return (
    <AskDialog {...props} title={text.setTheOrgOf(label)} action={text.setOrg} change={changeOf(account, named)}>
      <p>{text.theLimits}</p>
      <label class="field">
        {text.org}
        <input
          list="orgs"
          autocomplete="off"
          placeholder={text.orgAcmeNoneWhere}
          pattern="org:[0-9A-Za-z][0-9A-Za-z._\-]{0,62}"
          value={named}
          onInput={event => name(event.currentTarget.value.trim())}
        />
      </label>
      <datalist id="orgs">
        {orgs.data?.data.map(each => (
          <option key={each.account} value={each.account} />
        ))}
      </datalist>
    </AskDialog>
  )
}

function changeOf(account: string, org: string): Change {
  const change = { path: 'accounts/org', body: { account, org: org || null } }
  return org === ''
    ? { ...change, command: `svcctl accounts set-org ${account} --clear`, done: text.itBelongs }
    : { ...change, command: `svcctl accounts set-org ${account} ${org}`, done: text.itBelongsTo(org) }
}
