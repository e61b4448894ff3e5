import { useState } from 'preact/hooks'
import type { ShownKey } from '../../../../src/wire/admin/key.ts'
import type { Change } from '../api/accounts.ts'
import { quoted } from '../shell.ts'
import { AskDialog, type ChangeDialogProps } from './ask-dialog.tsx'

interface FieldDialogProps extends ChangeDialogProps {
  readonly what: 'grant' | 'overage' | 'mint' | 'rotate'
  /** The key that is rotated. */
  readonly shown?: ShownKey
}

/** Asks for one or two fields, and does what they say. */
export function FieldDialog({ what, shown, ...props }: FieldDialogProps) {
  const { account, label } = props.account
  const [text, setText] = useState('')
  const [choice, choose] = useState('')
  const field = { text, setText, choice, choose }
  switch (what) {
    case 'grant':
      return (
        <AskDialog {...props} title={`Grant credit to ${label}`} action="Grant" change={grantOf(account, text)}>
          <p>It is added to the limit of this window alone, exactly. A negative amount takes back.</p>
          <Amount {...field} pattern="-?\d{1,7}(\.\d{1,9})?" />
        </AskDialog>
      )
    case 'overage':
      return (
        <AskDialog
          {...props}
          title={`Overage of ${label}`}
          action="Set overage"
          change={overageOf(account, choice, text)}
        >
          <p>Whether it is served past its quota of this window, from the next request on.</p>
          <Select
            {...field}
            label="Overage"
            options={[
              ['', 'As its plan says'],
              ['off', 'Off: the quota is the end'],
              ['on', 'On: without an end'],
              ['cap', 'Up to an amount'],
            ]}
          />
          {choice === 'cap' && <Amount {...field} pattern="\d{1,7}(\.\d{1,9})?" />}
        </AskDialog>
      )
    case 'mint':
      return (
        <AskDialog
          {...props}
          title={`Mint a key for ${label}`}
          action="Mint key"
          change={mintOf(account, text, choice)}
        >
          <p>Its value is shown once. Without a name it is the first key of the account.</p>
          <label class="field">
            Name
            <input
              value={text}
              maxLength={64}
              autocomplete="off"
              onInput={event => setText(event.currentTarget.value)}
            />
          </label>
          <Select {...field} label="Ends" options={LIVES} />
        </AskDialog>
      )
    case 'rotate':
      return shown === undefined ? null : (
        <AskDialog
          {...props}
          title={`Rotate ${shown.name ?? shown.key}`}
          action="Rotate key"
          change={rotationOf(shown.id, choice)}
        >
          <p>A new value takes its place, and is shown once. Name, end and restrictions stay.</p>
          <Select {...field} label="The value before" options={GRACES} />
        </AskDialog>
      )
  }
}

function grantOf(account: string, usd: string): Change | undefined {
  if (!/^-?\d{1,7}(\.\d{1,9})?$/.test(usd)) return undefined
  const command = `svcctl accounts grant ${account} ${usd.startsWith('-') ? '-- ' : ''}${usd}`
  return { path: 'accounts/grant', body: { account, usd }, command, done: 'Granted' }
}

function overageOf(account: string, choice: string, cap: string): Change | undefined {
  const changeTo = (overage: unknown, word: string): Change => ({
    path: 'accounts/overage',
    body: { account, overage },
    command: `svcctl accounts set-overage ${account} ${word}`,
    done: 'Overage set',
  })
  if (choice === '') return changeTo(null, '--clear')
  if (choice !== 'cap') return changeTo(choice === 'on', choice)
  return /^\d{1,7}(\.\d{1,9})?$/.test(cap) ? changeTo({ cap_usd: cap }, cap) : undefined
}

function mintOf(account: string, text: string, life: string): Change {
  const name = text.trim()
  const options = [...(name ? [`--name ${quoted(name)}`] : []), ...(life ? [`--expires ${life}`] : [])]
  return {
    path: 'keys',
    body: { account, ...(name && { name }), ...(life && { expires_in: life }) },
    command: ['svcctl keys mint --account', account, ...options].join(' '),
    done: 'Key minted',
  }
}

const rotationOf = (key: string, grace: string): Change => ({
  path: 'keys/rotate',
  body: { key, ...(grace && { grace }) },
  command: `svcctl keys rotate ${key}${grace && ` --grace ${grace}`}`,
  done: 'Key rotated',
})

const LIVES = [
  ['', 'Never'],
  ['30d', 'In 30 days'],
  ['90d', 'In 90 days'],
  ['365d', 'In a year'],
] as const

const GRACES = [
  ['', 'Is refused at once'],
  ['1h', 'Works for another hour'],
  ['24h', 'Works for another day'],
  ['7d', 'Works for another week'],
] as const

interface Field {
  readonly text: string
  readonly setText: (text: string) => void
  readonly choice: string
  readonly choose: (choice: string) => void
}

const Amount = ({ text, setText, pattern }: Field & { readonly pattern: string }) => (
  <label class="field">
    US dollars
    <input
      required
      inputMode="decimal"
      autocomplete="off"
      placeholder="12.50"
      pattern={pattern}
      value={text}
      onInput={event => setText(event.currentTarget.value.trim())}
    />
  </label>
)

interface SelectProps extends Field {
  readonly label: string
  readonly options: readonly (readonly [value: string, text: string])[]
}

const Select = ({ label, options, choice, choose }: SelectProps) => (
  <label class="field">
    {label}
    <select value={choice} onChange={event => choose(event.currentTarget.value)}>
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  </label>
)
