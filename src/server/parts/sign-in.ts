import type { Audited } from '../../gateway/accounts/audited.ts'
import { adminTokenOf } from '../../gateway/operators/operators.ts'
import { OperatorRefusals } from '../../gateway/operators/refusals.ts'
import { OperatorSessions } from '../../gateway/operators/sessions.ts'
import { SignInTries } from '../../gateway/operators/sign-in-tries.ts'
import type { MainProcess } from '../app.ts'
import type { Base } from './base.ts'

/** Ports that identify operators. */
export type SignInPorts = Pick<MainProcess, 'adminToken' | 'refusals' | 'sessions' | 'signInTries'>

interface SignInHooks {
  /** Bearer token of operators, where the files have none. */
  readonly adminToken: string
  /** Leaves another token for operators, once a reload has taken it from the files. */
  readonly keepToken?: (token: string) => void
}

/** How operators come in. Sessions that began with the admin token end with it. */
export function operatorSignIn({ world, clock, serving }: Base, hooks: SignInHooks, audited: Audited) {
  const { adminToken, keepToken } = hooks
  const sessions = new OperatorSessions(clock, world.random)
  const tokenNow = () => adminTokenOf(serving.settings, adminToken)
  let token = tokenNow()
  serving.follow(() => {
    if (tokenNow() === token) return
    token = tokenNow()
    sessions.endOfToken()
    keepToken?.(token)
  })
  return {
    tokenNow,
    ports: {
      adminToken,
      sessions,
      signInTries: new SignInTries(clock),
      refusals: new OperatorRefusals(clock, audited),
    },
  }
}
