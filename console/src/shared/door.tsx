import { boot } from './boot.ts'
import { Mark } from './mark.tsx'
import { hrefOf } from './router.ts'
import { problem, signIn } from './session.ts'

/** Where nobody is signed in: one sentence, and one button. */
export function Door({ about }: { readonly about: string }) {
  const missing = whyNobody()
  return (
    <div class="door">
      <main>
        <Mark />
        <h1>
          <bdi>{boot.brand}</bdi> console
        </h1>
        <p class="muted">{about}</p>
        {problem.value !== undefined && (
          <p class="note bad" role="alert">
            <bdi>{problem.value}</bdi>
          </p>
        )}
        {missing === undefined ? (
          <button type="button" class="primary" onClick={() => void signIn()}>
            Sign in with {new URL(boot.issuer ?? '').host}
          </button>
        ) : (
          <p>{missing}</p>
        )}
        <p class="row small">
          <a href={hrefOf('models')}>Models</a>
          <a href={hrefOf('errors')}>Errors</a>
        </p>
      </main>
    </div>
  )
}

/** Why nobody can sign in here; undefined where somebody can. */
function whyNobody(): string | undefined {
  if (!isSecureContext) return 'Open the console over https.'
  if (boot.issuer === null)
    return 'Nobody can sign in here: the gateway names no identity provider. Ask its operator for a key; the models and the errors are open.'
  return boot.client_id === null
    ? 'Sign-in to the console is not set up (identity.console_client_id). The command svcctl login works.'
    : undefined
}
