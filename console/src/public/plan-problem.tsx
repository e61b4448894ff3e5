import type { OwnAccount } from '../../../src/wire/account/own-account.ts'
import { boot } from '../shared/boot.ts'

/** Nothing is served, and why. */
export function PlanProblem({ account: { plan, declared, frozen } }: { readonly account: OwnAccount }) {
  if (declared && !frozen) return null
  return (
    <div class="note bad" role="alert">
      {frozen ? (
        <p>Your account is frozen: nothing is served until the operator thaws it. Your keys stay.</p>
      ) : (
        <p>
          Your plan <b>{plan}</b> is gone. Nothing is served until the operator puts the account on another one; your
          keys stay.
        </p>
      )}
      <Contact />
    </div>
  )
}

/** Where people ask for more. */
export function Contact() {
  if (boot.contact === null) return null
  return (
    <p>
      <a href={boot.contact}>Ask the operator</a>
    </p>
  )
}
