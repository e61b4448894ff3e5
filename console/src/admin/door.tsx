import { useState } from 'preact/hooks'
import { boot } from '../shared/boot.ts'
import { Mark } from '../shared/frame/mark.tsx'
import { canSignIn, problem, signIn } from '../shared/sign-in/session.ts'
import { Command } from './command.tsx'
import { signInByToken } from './operator.ts'

/** Where no operator is signed in. */
export function Door() {
  return (
    <div class="door">
      <main>
        <Mark />
        <h1>
          <bdi>{boot.brand}</bdi> operator
        </h1>
        <p class="muted">The accounts, requests, pools and revisions of this gateway.</p>
        {problem.value !== undefined && (
          <p class="note bad" role="alert">
            <bdi>{problem.value}</bdi>
          </p>
        )}
        {!isSecureContext && (
          <p class="note">
            This page came without encryption, so that others on the way can read what it sends. Open it over https, or
            through an SSH tunnel to this port.
          </p>
        )}
        {canSignIn && (
          <button type="button" class="primary" onClick={() => void signIn()}>
            Sign in with {new URL(boot.issuer ?? '').host}
          </button>
        )}
        <p>This command prints a link that signs you in. It works once, for a minute.</p>
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
      <summary>Use the admin token</summary>
      <form class="stack" onSubmit={event => void submit(event)}>
        <label class="field">
          Admin token
          <input name="token" type="password" autocomplete="off" required pattern="[!-~ ]+" />
        </label>
        <label class="field">
          Your name, for the audit
          <input name="name" autocomplete="username" maxLength={64} pattern="[0-9A-Za-z_][!-~]*" />
        </label>
        {wrong !== undefined && (
          <p class="note bad" role="alert">
            {wrong}
          </p>
        )}
        <button type="submit" disabled={isBusy}>
          Sign in
        </button>
        <p class="small muted">It is exchanged for a session of 12 hours, and not kept.</p>
      </form>
    </details>
  )
}
