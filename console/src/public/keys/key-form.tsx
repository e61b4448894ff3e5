import { useEffect, useRef, useState } from 'preact/hooks'
import * as common from '../../shared/texts/common.ts'
import * as text from '../texts/key-form.tsx'
import { type KeyLimit, LimitFields, limitsOf, textsOf } from './key-limits.tsx'

/** The terms of a new key, as POST /v1/keys/developer takes them. */
export interface KeyWish {
  readonly name?: string
  readonly expires_in?: string
  readonly models?: readonly string[]
  readonly addresses?: readonly string[]
  readonly limits?: readonly KeyLimit[]
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
  const [limits, setLimits] = useState(textsOf(null))
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
      ...(limitsOf(limits).length > 0 && { limits: limitsOf(limits) }),
    })
  }
  return (
    <form class="box pad stack" aria-label={text.title} onSubmit={submit}>
      <h2>{text.title}</h2>
      <div class="fields">
        <label class="field">
          {text.name}
          <input
            ref={field}
            required
            maxLength={64}
            value={name}
            autocomplete="off"
            placeholder={isFirst ? text.names.first : text.names.next}
            onInput={event => setName(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          {text.ends}
          <select value={life} onChange={event => setLife(event.currentTarget.value)}>
            {text.lives.map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          {text.addresses}
          <input
            value={addresses}
            autocomplete="off"
            placeholder={text.anyAddress}
            onInput={event => setAddresses(event.currentTarget.value)}
          />
        </label>
      </div>
      <LimitFields value={limits} onChange={setLimits} />
      {models.length > 1 && (
        <fieldset>
          <legend class="muted">{text.models}</legend>
          <div class="row">
            {[...models].sort().map(model => (
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
          {text.create}
        </button>
        <button type="button" onClick={onCancel}>
          {common.cancel}
        </button>
      </div>
    </form>
  )
}
