import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import type { OwnAccount } from '../../../src/wire/account/own-account.ts'
import { askOpen } from '../shared/api.ts'
import { problemFrom } from '../shared/resource.ts'
import { adopt, canSignIn } from '../shared/sign-in/session.ts'
import * as text from './texts/look-with-key.tsx'

/** The mask of the key that is looked with; undefined where somebody is signed in. */
export const lookedWith = signal<string | undefined>(undefined)

/** For who has a key and no sign-in, guests too: shows what it may do. */
export function LookWithKey() {
  const [wrong, setWrong] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const look = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const key = String(new FormData(form).get('key')).trim()
    form.reset()
    setBusy(true)
    setWrong(undefined)
    try {
      await lookWith(key)
    } catch (error) {
      setWrong(problemFrom(error).message)
      setBusy(false)
    }
  }
  return (
    <details open={!canSignIn || wrong !== undefined}>
      <summary>{text.title}</summary>
      <form class="stack" onSubmit={event => void look(event)}>
        <p class="muted">{text.about}</p>
        <label class="field">
          {text.key}
          <input name="key" type="password" autocomplete="off" required pattern="\s*[!-~]+\s*" />
        </label>
        {wrong !== undefined && (
          <p class="note bad" role="alert">
            <bdi>{wrong}</bdi>
          </p>
        )}
        <button type="submit" disabled={isBusy}>
          {text.look}
        </button>
      </form>
    </details>
  )
}

/** The key is in the memory of the page, as the token of a sign-in is. */
async function lookWith(key: string): Promise<void> {
  await askOpen<OwnAccount>('/v1/account', undefined, { authorization: `Bearer ${key}` })
  lookedWith.value = `${key.slice(0, MASK_LENGTH)}…`
  adopt({
    access: key,
    expiresAt: Number.POSITIVE_INFINITY,
    forget: () => {
      lookedWith.value = undefined
    },
    end: () => Promise.resolve(),
  })
}

/** As in lists of keys. */
const MASK_LENGTH = 8
