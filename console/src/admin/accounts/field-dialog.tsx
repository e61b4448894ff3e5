import { useState } from 'preact/hooks'
import type { ShownKey } from '../../../../src/wire/admin/key.ts'
import type { Change } from '../api/accounts.ts'
import { quoted } from '../shell.ts'
import * as text from '../texts/account-dialogs.tsx'
import { AskDialog, type ChangeDialogProps } from './ask-dialog.tsx'

interface FieldDialogProps extends ChangeDialogProps {
  readonly what: 'grant' | 'overage' | 'mint' | 'rotate'
  /** The key that is rotated. */
  readonly shown?: ShownKey
}

/** Asks for one or two fields, and does what they say. */
export function FieldDialog({ what, shown, ...props }: FieldDialogProps) {
  const { account, label } = props.account
  const [entry, enter] = useState('')
  const [choice, choose] = useState('')
  const field = { entry, enter, choice, choose }
  switch (what) {
    case 'grant':
      return (
        <AskDialog {...props} title={text.grantCreditTo(label)} action={text.grant} change={grantOf(account, entry)}>
          <p>{text.itIsAdded}</p>
          <Amount {...field} pattern="-?\d{1,7}(\.\d{1,9})?" />
        </AskDialog>
      )
    case 'overage':
      return (
        <AskDialog
          {...props}
          title={text.overageOf(label)}
          action={text.setOverage}
          change={overageOf(account, choice, entry)}
        >
          <p>{text.whetherItIsServed}</p>
          <Select
            {...field}
            label={text.overage}
            options={[
              ['', text.asItsPlanSays],
              ['off', text.offTheQuota],
              ['on', text.onWithoutAnEnd],
              ['cap', text.upToAnAmount],
            ]}
          />
          {choice === 'cap' && <Amount {...field} pattern="\d{1,7}(\.\d{1,9})?" />}
        </AskDialog>
      )
    case 'mint':
      return (
        <AskDialog
          {...props}
          title={text.mintAKeyFor(label)}
          action={text.mintKey}
          change={mintOf(account, entry, choice)}
        >
          <p>{text.itsValueIsShown}</p>
          <label class="field">
            {text.name}
            <input
              value={entry}
              maxLength={64}
              autocomplete="off"
              onInput={event => enter(event.currentTarget.value)}
            />
          </label>
          <Select {...field} label={text.ends} options={LIVES} />
        </AskDialog>
      )
    case 'rotate':
      return shown === undefined ? null : (
        <AskDialog
          {...props}
          title={text.rotateKeyOf(shown.name ?? shown.key)}
          action={text.rotateKey}
          change={rotationOf(shown.id, choice)}
        >
          <p>{text.aNewValueTakes}</p>
          <Select {...field} label={text.theValueBefore} options={GRACES} />
        </AskDialog>
      )
  }
}

function grantOf(account: string, usd: string): Change | undefined {
  if (!/^-?\d{1,7}(\.\d{1,9})?$/.test(usd)) return undefined
  const command = `svcctl accounts grant ${account} ${usd.startsWith('-') ? '-- ' : ''}${usd}`
  return { path: 'accounts/grant', body: { account, usd }, command, done: text.granted }
}

function overageOf(account: string, choice: string, cap: string): Change | undefined {
  const changeTo = (overage: unknown, word: string): Change => ({
    path: 'accounts/overage',
    body: { account, overage },
    command: `svcctl accounts set-overage ${account} ${word}`,
    done: text.overageSet,
  })
  if (choice === '') return changeTo(null, '--clear')
  if (choice !== 'cap') return changeTo(choice === 'on', choice)
  return /^\d{1,7}(\.\d{1,9})?$/.test(cap) ? changeTo({ cap_usd: cap }, cap) : undefined
}

function mintOf(account: string, entry: string, life: string): Change {
  const name = entry.trim()
  const options = [...(name ? [`--name ${quoted(name)}`] : []), ...(life ? [`--expires ${life}`] : [])]
  return {
    path: 'keys',
    body: { account, ...(name && { name }), ...(life && { expires_in: life }) },
    command: ['svcctl keys mint --account', account, ...options].join(' '),
    done: text.keyMinted,
  }
}

const rotationOf = (key: string, grace: string): Change => ({
  path: 'keys/rotate',
  body: { key, ...(grace && { grace }) },
  command: `svcctl keys rotate ${key}${grace && ` --grace ${grace}`}`,
  done: text.keyRotated,
})

const LIVES = [
  ['', text.never],
  ['30d', text.in30Days],
  ['90d', text.in90Days],
  ['365d', text.inAYear],
] as const

const GRACES = [
  ['', text.isRefusedAtOnce],
  ['1h', text.worksForAnotherHour],
  ['24h', text.worksForAnotherDay],
  ['7d', text.worksForAnotherWeek],
] as const

interface Field {
  readonly entry: string
  readonly enter: (entry: string) => void
  readonly choice: string
  readonly choose: (choice: string) => void
}

const Amount = ({ entry, enter, pattern }: Field & { readonly pattern: string }) => (
  <label class="field">
    {text.usDollars}
    <input
      required
      inputMode="decimal"
      autocomplete="off"
      placeholder="12.50"
      pattern={pattern}
      value={entry}
      onInput={event => enter(event.currentTarget.value.trim())}
    />
  </label>
)

interface SelectProps extends Field {
  readonly label: string
  readonly options: readonly (readonly [value: string, label: string])[]
}

const Select = ({ label, options, choice, choose }: SelectProps) => (
  <label class="field">
    {label}
    <select value={choice} onChange={event => choose(event.currentTarget.value)}>
      {options.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  </label>
)
