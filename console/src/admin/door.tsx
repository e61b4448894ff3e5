import { useState } from 'preact/hooks'
import { boot } from '../shared/boot.ts'
import { Mark } from '../shared/frame/mark.tsx'
import { canSignIn, problem, signIn } from '../shared/sign-in/session.ts'
import { Command } from './command.tsx'
import { signInByToken } from './operator.ts'
import * as text from './texts/door.tsx'

/** Where no operator is signed in. */
export function Door() {
  return (
    <div class="door">
      <main>
        <Mark />
        <h1>{text.operator(boot.brand)}</h1>
        <p class="muted">{text.theAccountsRequestsPools}</p>
        {problem.value !== undefined && (
          <p class="note bad" role="alert">
            <bdi>{problem.value}</bdi>
          </p>
        )}
        {!isSecureContext && <p class="note">{text.thisPageCameWithout}</p>}
        {canSignIn && (
          <button type="button" class="primary" onClick={() => void signIn()}>
            {text.signInWith(new URL(boot.issuer ?? '').host)}
          </button>
        )}
        <p>{text.thisCommandPrints}</p>
        <Command text="svcctl console" />
        <TokenForm />
      </main>
    </div>
  )
}

/** For operators without svcctl at hand. */
function TokenForm() {
  const [wrong, setWrong] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    const fields = new FormData(form)
    form.reset()
    setBusy(true)
    try {
      await signInByToken(String(fields.get('token')).trim(), String(fields.get('name')).trim())
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  return (
    <details open={wrong !== undefined}>
      <summary>{text.useTheAdminToken}</summary>
      <form class="stack" onSubmit={event => void submit(event)}>
        <label class="field">
          {text.adminToken}
          <input name="token" type="password" autocomplete="off" required pattern="[!-~ ]+" />
        </label>
        <label class="field">
          {text.yourName}
          <input name="name" autocomplete="username" maxLength={64} pattern="[0-9A-Za-z_][!-~]*" />
        </label>
        {wrong !== undefined && (
          <p class="note bad" role="alert">
            {wrong}
          </p>
        )}
        <button type="submit" disabled={isBusy}>
          {text.signIn}
        </button>
        <p class="small muted">{text.itIsExchanged}</p>
      </form>
    </details>
  )
}
