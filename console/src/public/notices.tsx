import { useState } from 'preact/hooks'
import type { OwnNotices } from '../../../src/wire/account/own-notices.ts'
import { type ApiProblem, ask } from '../shared/api.ts'
import { Copy } from '../shared/copy.tsx'
import { toast } from '../shared/frame/toast.tsx'
import { problemFrom, useResource } from '../shared/resource.ts'
import { Problem } from '../shared/states.tsx'
import * as text from './texts/notices.tsx'

const PATH = '/v1/account/notices'

/** Where notices about the limits of the account go; nothing where the operator offers none. */
export function Notices() {
  const { data, refresh } = useResource<OwnNotices>(() => ask(PATH))
  if (!data || data.offered.length === 0) return null
  return (
    <section>
      <h2>{text.title}</h2>
      <p class="muted">{text.about}</p>
      <Choices notices={data} onSaved={refresh} />
    </section>
  )
}

interface ChoicesProps {
  readonly notices: OwnNotices
  readonly onSaved: () => Promise<void>
}

function Choices({ notices, onSaved }: ChoicesProps) {
  const { offered, at, mail, webhook } = notices
  const [problem, setProblem] = useState<ApiProblem>()
  const [secret, setSecret] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const save = async (change: object) => {
    setBusy(true)
    setProblem(undefined)
    try {
      const saved = await ask<OwnNotices>(PATH, change)
      if (saved.secret !== null) setSecret(saved.secret)
      toast(text.saved)
      await onSaved()
    } catch (error) {
      setProblem(problemFrom(error))
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const textOf = (name: string) => String(fields.get(name) ?? '').trim() || null
    const [address, url] = [textOf('mail'), textOf('webhook')]
    const chosen = fields.getAll('at').map(Number)
    const isChosenAnew = String(chosen) !== String(at)
    if (isChosenAnew && chosen.length === 0) return setProblem(problemFrom(new Error(text.none)))
    // Only changes are sent: an address would have to be confirmed anew, and one that is not offered at present stays.
    void save({
      // All of them stay all when the operator offers more.
      ...(isChosenAnew && { at: chosen.length === offered.length ? null : chosen }),
      ...(mail.offered && address !== mail.address && { mail: address }),
      ...(webhook.offered && url !== webhook.url && { webhook: url }),
    })
  }
  return (
    <form class="box pad notices" onSubmit={submit}>
      <Fields notices={notices} isBusy={isBusy} onKeep={() => void save({ mail: mail.address })} />
      {problem && <Problem problem={problem} />}
      {secret !== null && (
        <p class="note" role="status">
          {text.secret} <code>{secret}</code> <Copy value={secret} what={text.secretName} />
        </p>
      )}
      <button type="submit" class="primary" disabled={isBusy}>
        {text.save}
      </button>
    </form>
  )
}

interface FieldsProps {
  readonly notices: OwnNotices
  readonly isBusy: boolean
  /** Drops the address that waits for its confirmation. */
  readonly onKeep: () => void
}

function Fields({ notices: { offered, at, mail, webhook }, isBusy, onKeep }: FieldsProps) {
  return (
    <>
      <fieldset class="row">
        <legend>{text.at}</legend>
        {offered.map(percent => (
          <label key={percent}>
            <input type="checkbox" name="at" value={percent} defaultChecked={at.includes(percent)} />{' '}
            {text.percent(percent)}
          </label>
        ))}
      </fieldset>
      {mail.offered && (
        // Once something was saved, the field has the address that gets notices now.
        <label class="field" key={`${mail.address} ${mail.unconfirmed}`}>
          {text.mail}
          <input type="email" name="mail" maxLength={254} defaultValue={mail.address ?? ''} />
          {mail.unconfirmed !== null && <span class="small">{text.unconfirmed(mail.unconfirmed)}</span>}
        </label>
      )}
      {mail.unconfirmed !== null && (
        <button type="button" disabled={isBusy} onClick={onKeep}>
          {mail.address === null ? text.withdraw : text.keep(mail.address)}
        </button>
      )}
      {webhook.offered && (
        <label class="field">
          {text.webhook}
          <input type="url" name="webhook" maxLength={500} defaultValue={webhook.url ?? ''} />
        </label>
      )}
    </>
  )
}
