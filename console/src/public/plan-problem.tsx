import type { OwnAccount } from '../../../src/wire/account/own-account.ts'
import { boot } from '../shared/boot.ts'
import { texts } from './texts.tsx'

/** Nothing is served, and why. */
export function PlanProblem({ account: { plan, declared, frozen } }: { readonly account: OwnAccount }) {
  if (declared && !frozen) return null
  return (
    <div class="note bad" role="alert">
      {frozen ? (
        <p>{texts.account.frozen}</p>
      ) : (
        <p>
          {texts.account.planGone(
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
      <a href={boot.contact}>{texts.contact}</a>
    </p>
  )
}
