import { useState } from 'preact/hooks'
import { useResource } from '../../shared/resource.ts'
import { type Change, listOrgs } from '../api/accounts.ts'
import { AskDialog, type ChangeDialogProps } from './ask-dialog.tsx'

/** Has an account belong to an org, or to none. */
export function OrgDialog(props: ChangeDialogProps) {
  const { account, label, org } = props.account
  const orgs = useResource(listOrgs)
  const [named, name] = useState(org ?? '')
  return (
    <AskDialog {...props} title={`Set the org of ${label}`} action="Set org" change={changeOf(account, named)}>
      <p>
        The limits and the freeze of an org count for all of its accounts together, from the next request on. An org
        begins with its first account.
      </p>
      <label class="field">
        Org
        <input
          list="orgs"
          autocomplete="off"
          placeholder="org:acme; none where empty"
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
    ? { ...change, command: `svcctl accounts set-org ${account} --clear`, done: 'It belongs to no org' }
    : { ...change, command: `svcctl accounts set-org ${account} ${org}`, done: `It belongs to ${org}` }
}
