import { useEffect, useRef, useState } from 'preact/hooks'

/** What a new key is to be, as POST /v1/keys/developer takes it. */
export interface KeyWish {
  readonly name?: string
  readonly expires_in?: string
  readonly models?: readonly string[]
  readonly addresses?: readonly string[]
}

interface KeyFormProps {
  /** Those of the plan. */
  readonly models: readonly string[]
  readonly isFirst: boolean
  readonly isBusy: boolean
  readonly onMint: (wish: KeyWish) => void
  readonly onCancel: () => void
}

/** A form for one more key, which has a name of its own. */
export function KeyForm({ models, isFirst, isBusy, onMint, onCancel }: KeyFormProps) {
  const [name, setName] = useState('')
  const [life, setLife] = useState('')
  const [only, setOnly] = useState<readonly string[]>([])
  const [addresses, setAddresses] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const toggle = (model: string) =>
    setOnly(only.includes(model) ? only.filter(each => each !== model) : [...only, model])
  const submit = (event: Event) => {
    event.preventDefault()
    const networks = addresses.split(/[\s,]+/).filter(Boolean)
    onMint({
      name: name.trim(),
      ...(life !== '' && { expires_in: life }),
      ...(only.length > 0 && { models: only }),
      ...(networks.length > 0 && { addresses: networks }),
    })
  }
  return (
    <form class="box pad stack" aria-label="New key" onSubmit={submit}>
      <h2>New key</h2>
      <div class="fields">
        <label class="field">
          Name
          <input
            ref={field}
            required
            maxLength={64}
            value={name}
            autocomplete="off"
            placeholder={isFirst ? 'laptop' : 'deployment'}
            onInput={event => setName(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          Ends
          <select value={life} onChange={event => setLife(event.currentTarget.value)}>
            {LIVES.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          Only from these addresses
          <input
            value={addresses}
            autocomplete="off"
            placeholder="10.0.0.0/8, any where empty"
            onInput={event => setAddresses(event.currentTarget.value)}
          />
        </label>
      </div>
      {models.length > 1 && (
        <fieldset>
          <legend class="muted">Only these models; all of your plan where none is chosen</legend>
          <div class="row">
            {models.map(model => (
              <label key={model} class="check">
                <input type="checkbox" checked={only.includes(model)} onChange={() => toggle(model)} />
                <code>{model}</code>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          Create key
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}

const LIVES = [
  ['', 'never'],
  ['7d', 'in 7 days'],
  ['30d', 'in 30 days'],
  ['90d', 'in 90 days'],
  ['365d', 'in a year'],
] as const
