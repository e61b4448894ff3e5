import type { ComponentChildren } from 'preact'
import { boot } from '../boot.ts'
import { Link } from '../frame/link.tsx'
import { Mark } from '../frame/mark.tsx'
import * as common from '../texts/common.ts'
import { problem, signIn } from './session.ts'

interface DoorProps {
  readonly about: string
  /** Other ways in, for browsers that may send a secret. */
  readonly children?: ComponentChildren
}

/** Where nobody is signed in: one sentence, and one button. */
export function Door({ about, children }: DoorProps) {
  const missing = whyNobody()
  return (
    <div class="door">
      <main>
        <Mark />
        <h1>
          <bdi>{boot.brand}</bdi> {common.console}
        </h1>
        <p class="muted">{about}</p>
        {problem.value !== undefined && (
          <p class="note bad" role="alert">
            <bdi>{problem.value}</bdi>
          </p>
        )}
        {missing === undefined ? (
          <button type="button" class="primary" onClick={() => void signIn()}>
            {common.signInWith(new URL(boot.issuer ?? '').host)}
          </button>
        ) : (
          <p>{missing}</p>
        )}
        {isSecureContext && children}
        <p class="row small">
          <Link to="models">{common.models}</Link>
          <Link to="errors">{common.errors}</Link>
        </p>
      </main>
    </div>
  )
}

/** Why nobody can sign in here; undefined where somebody can. */
function whyNobody(): string | undefined {
  if (!isSecureContext) return common.notSecure
  if (boot.issuer === null) return common.noProvider
  return boot.client_id === null ? common.noClient : undefined
}
