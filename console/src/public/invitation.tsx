import { useState } from 'preact/hooks'
import { type ApiProblem, ask } from '../shared/api.ts'
import { Mark } from '../shared/frame/mark.tsx'
import { anchor, hrefOf, replaceAddress } from '../shared/frame/router.ts'
import { toast } from '../shared/frame/toast.tsx'
import { problemFrom } from '../shared/resource.ts'
import { signOut } from '../shared/sign-in/session.ts'
import { Problem } from '../shared/states.tsx'
import { account } from './account.ts'
import { Contact } from './plan-problem.tsx'
import * as text from './texts/invitation.tsx'

/** Asks whether the sign-in joins the account of the link: a link alone joins nothing, since anybody may have sent it. */
export function Invitation() {
  const [problem, setProblem] = useState<ApiProblem>()
  const [isBusy, setBusy] = useState(false)
  const owns = problem?.message.startsWith('leave: ') === true
  const join = async () => {
    setBusy(true)
    try {
      const invitation = anchor.peek().slice(INVITATION.length)
      const joined = await ask<{ readonly label: string }>('/v1/account/join', { invitation, leave: owns })
      replaceAddress(hrefOf(''))
      toast(text.joined(joined.label))
    } catch (error) {
      setProblem(problemFrom(error))
      setBusy(false)
    }
  }
  return (
    <div class="door">
      <main>
        <Mark />
        <h1>{text.title}</h1>
        <p class="muted">{text.about}</p>
        {problem && (owns ? <p class="note">{text.owns}</p> : <Problem problem={problem} />)}
        <div class="row">
          <button type="button" class="primary" disabled={isBusy} onClick={() => void join()}>
            {owns ? text.leaveAndJoin : text.join}
          </button>
          <button type="button" onClick={() => replaceAddress(hrefOf(''))}>
            {text.notNow}
          </button>
        </div>
      </main>
    </div>
  )
}

/** The text before an invitation in an address, behind `#`: no server and no log has it. */
const INVITATION = 'invitation='

/** The operator opened an account under the label of this sign-in: no other one begins beside it. */
export const InvitationNeeded = () => (
  <div class="door">
    <main>
      <Mark />
      <h1>{text.needed}</h1>
      <p>
        <bdi>{account.value.problem?.message}</bdi>
      </p>
      <p class="muted">{text.keysWork}</p>
      <Contact />
      <button type="button" onClick={() => void signOut()}>
        {text.signOut}
      </button>
    </main>
  </div>
)
