import type { OwnAccount } from '../../../src/wire/account/own-account.ts'
import { boot } from '../shared/boot.ts'
import * as accountText from './texts/account.tsx'
import * as frameText from './texts/frame.tsx'

/** Nothing is served, and why. */
export function PlanProblem({ account: { plan, declared, frozen } }: { readonly account: OwnAccount }) {
  if (declared && !frozen) return null
  return (
    <div class="note bad" role="alert">
      {frozen ? (
        <p>{accountText.frozen}</p>
      ) : (
        <p>
          {accountText.planGone(
            <b>
              <bdi>{plan}</bdi>
            </b>,
          )}
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
      <a href={boot.contact}>{frameText.contact}</a>
    </p>
  )
}
