import { useState } from 'preact/hooks'
import type { ApiProblem } from '../../shared/api.ts'
import { Dialog } from '../../shared/dialog.tsx'
import { navigate } from '../../shared/frame/router.ts'
import { toast } from '../../shared/frame/toast.tsx'
import { problemFrom, useResource } from '../../shared/resource.ts'
import { Problem } from '../../shared/states.tsx'
import { apply, type Change } from '../api/accounts.ts'
import { readMatrix } from '../api/plans.ts'
import { may, who } from '../api/who.ts'
import { Command } from '../command.tsx'
import { FreshKey } from '../fresh-key.tsx'
import { quoted } from '../shell.ts'
import * as dialogText from '../texts/account-dialogs.tsx'
import * as text from '../texts/accounts.tsx'

/** The button that opens an account, and the place where its first key, or what went wrong, is shown before its page is. */
export function useNewAccount() {
  const [isAsked, ask] = useState(false)
  const [problem, setProblem] = useState<ApiProblem>()
  const [opened, setOpened] = useState<{ readonly account: string; readonly value: string }>()
  const open = async (change: Change) => {
    setProblem(undefined)
    try {
      const { account, value } = await apply(change)
      toast(value === undefined ? text.alreadyThere : text.opened)
      if (value === undefined) navigate('accounts', { id: account })
      else setOpened({ account, value })
    } catch (error) {
      setProblem(problemFrom(error))
    }
  }
  const button = may('support') && (
    <button type="button" onClick={() => ask(true)}>
      {text.newAccount}
    </button>
  )
  const panel = (
    <>
      {problem && <Problem problem={problem} />}
      {opened && <FreshKey value={opened.value} onDone={() => navigate('accounts', { id: opened.account })} />}
      {isAsked && <NewAccountDialog onOpen={open} onClose={() => ask(false)} />}
    </>
  )
  return { button, panel }
}

interface DialogProps {
  readonly onOpen: (change: Change) => void
  readonly onClose: () => void
}

function NewAccountDialog({ onOpen, onClose }: DialogProps) {
  const matrix = useResource(readMatrix)
  const plans = matrix.data?.plans.map(({ plan }) => plan) ?? []
  const [label, setLabel] = useState('')
  const [plan, choose] = useState('')
  const account = label.trim()
  const change = account && plan ? changeOf(account, plan) : undefined
  return (
    <Dialog
      title={text.openAccount}
      action={text.mintFirstKey}
      onClose={onClose}
      onConfirm={() => change && onOpen(change)}
    >
      <p>{text.itBegins}</p>
      <label class="field">
        {text.label}
        <input
          required
          maxLength={200}
          autocomplete="off"
          placeholder={text.labelHint}
          value={label}
          onInput={event => setLabel(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        {text.plan}
        <select required value={plan} onChange={event => choose(event.currentTarget.value)}>
          <option value="">{text.choosePlan}</option>
          {plans.map(each => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      {change && <Command text={change.command} />}
      <p class="small muted">{dialogText.theAuditWillName(who.value.data?.by ?? 'you')}</p>
    </Dialog>
  )
}

const changeOf = (account: string, plan: string): Change => ({
  path: 'keys',
  body: { account, plan },
  command: `svcctl keys mint --account ${quoted(account)} --plan ${quoted(plan)}`,
  done: text.opened,
})
