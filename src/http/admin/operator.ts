import type { IncomingHttpHeaders } from 'node:http'
import { isActive } from '../../gateway/accounts/deprovision.ts'
import { networkOf } from '../../gateway/accounts/networks.ts'
import { isBadToken, tokenDenied } from '../../gateway/accounts/sign-in/sign-in.ts'
import {
  adminTokenOf,
  certifiedOperator,
  grantedTo,
  hasOperators,
  type Operator,
  roleOf,
} from '../../gateway/operators/operators.ts'
import { MOST_TRIES } from '../../gateway/operators/sign-in-tries.ts'
import type { Millis } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { isRoleFor, type Role } from '../../wire/admin/role.ts'
import { AS_HEADER, USER, USER_HEADER, USER_HINT } from '../../wire/admin/user.ts'
import type { HttpCall } from '../listener/call.ts'
import { isSameSecret } from '../listener/same-secret.ts'
import { certifiedName } from '../listener/secure.ts'
import type { OperatorApp } from './operator-app.ts'

/** An operator with what the files let them do, and how they came in. */
export interface KnownOperator extends Operator {
  readonly role: Role
  readonly via: 'token' | 'session' | 'sign-in' | 'certificate'
}

/** The operator behind a request on the admin listener, identified by its bearer token. A failed attempt counts for the sending address. */
async function operatorOf(app: OperatorPorts, call: OperatorCall): Promise<KnownOperator | Denied> {
  const token = bearerOf(call.request.headers.authorization)
  const authority = app.settings.server.adminTls?.clientCa
  // There is nothing to guess then.
  if (authority) return certified(app, call, authority.reveal())
  const address = networkOf(call.clientAddress)
  const retryAfterMs = app.signInTries.waitOf(address, token)
  if (retryAfterMs > 0) return tooManyTries(retryAfterMs)
  const found = await knownBy(app, token, call.request.headers)
  if (!('denial' in found)) app.signInTries.succeeded(token)
  else if (found.denial.code === 'INVALID_TOKEN' && token !== '') app.signInTries.failed(address, token)
  return found
}

export const tooManyTries = (retryAfterMs: Millis): Denied => ({
  denial: { code: 'rate_limit_exceeded', type: 'requests', of: 'sign-ins', limit: MOST_TRIES, retryAfterMs },
})

export type OperatorPorts = Pick<
  OperatorApp,
  'adminToken' | 'sessions' | 'verify' | 'settings' | 'signInTries' | 'refusals' | 'clock' | 'store'
>
type OperatorCall = Pick<HttpCall, 'clientAddress' | 'request'>

/**
 * Identifies an operator by the admin token, a console session, or a sign-in that `identity` lists. A holder of the admin token
 * says who it is, as `user` by itself or as the operator wishes it; a sign-in proves its own name, so that `user` is not used, and
 * another wish is refused.
 */
async function knownBy(app: OperatorPorts, token: string, named: IncomingHttpHeaders): Promise<KnownOperator | Denied> {
  const { adminToken, sessions, verify, settings, refusals } = app
  if (isSameSecret(adminTokenOf(settings, adminToken), token)) return tokenHolder(named)
  const opened = sessions.operatorOf(token)
  const role = opened && roleOf(settings, opened)
  if (opened && role && (await hasLeft(app, opened))) return LEFT
  if (opened && role) return { ...opened, role, via: 'session' }
  if (token.startsWith('ops_')) return NO_SESSION
  // Three parts, as every signed JWT has: of anything else the provider need not be asked.
  if (!verify || !hasOperators(settings) || token.split('.').length !== 3) return NOBODY
  const judged = await verify(token)
  if (isBadToken(judged)) return tokenDenied(judged)
  const operator = { by: judged.account, proof: 'account', ...grantedTo(judged, settings.identity) } as const
  const own = judged.isService ? undefined : roleOf(settings, operator)
  if (!own) {
    await refusals.note(operator.by, 'sign-in', 'is no operator')
    return invalidToken(`${judged.account} is not among the operators that \`identity\` of the configuration lists.`)
  }
  if (await hasLeft(app, operator)) return LEFT
  if (named[AS_HEADER] === undefined) return { ...operator, role: own, via: 'sign-in' }
  return invalid(AS_HEADER, `needs the admin token: this sign-in is ${judged.account}`)
}

/**
 * Whether the identity provider deactivated the person. Rejects with StoreUnavailable while the store is away: nobody gets in by a sign-in
 * then, and the admin token still works.
 */
const hasLeft = async ({ settings, store }: OperatorPorts, { by, proof }: Operator): Promise<boolean> =>
  proof === 'account' && settings.identity?.scim !== undefined && !(await isActive(store.accounts, by))

/**
 * Identifies an operator by the certificate of the connection alone, if the files require one; a session of the console has to be
 * of the same operator. Browsers show a certificate to whatever page asks: what a page of an attacker can send says not who sends
 * it.
 */
async function certified(app: OperatorPorts, call: OperatorCall, authority: string): Promise<KnownOperator | Denied> {
  const { headers, method, socket } = call.request
  const name = certifiedName(socket, authority, app.clock.now())
  if (name === undefined) return NO_CERTIFICATE
  const operator = certifiedOperator(name)
  const role = roleOf(app.settings, operator)
  if (!role) {
    await app.refusals.note(USER.test(name) ? operator.by : 'certificate', 'certificate', 'is no operator')
    return invalidToken('The name in this certificate is not among the operators that `server.admin_tls` lists.')
  }
  if (headers[AS_HEADER] !== undefined) return invalid(AS_HEADER, `needs the admin token: this is ${operator.by}`)
  const token = bearerOf(headers.authorization)
  if (token.startsWith('ops_'))
    return app.sessions.operatorOf(token)?.by === operator.by ? { ...operator, role, via: 'session' } : NO_SESSION
  if (method === 'POST' && headers[USER_HEADER] === undefined)
    return invalid(
      USER_HEADER,
      'must be sent with a certificate if there is no session, because no foreign page can send it',
    )
  return { ...operator, role, via: 'certificate' }
}

const NO_CERTIFICATE: Denied = {
  denial: {
    code: 'INVALID_TOKEN',
    problem: 'Connect with a valid operator certificate, which `server.admin_tls` requires.',
  },
}

/** Identifies the operator for an endpoint that needs a role. The audit has who was refused it. */
export async function operatorFor(
  app: OperatorPorts,
  call: OperatorCall,
  { method, path, needs }: { readonly method: string; readonly path: string; readonly needs: Role },
): Promise<KnownOperator | Denied> {
  const operator = await operatorOf(app, call)
  if ('denial' in operator || isRoleFor(operator.role, needs)) return operator
  const { by, role } = operator
  await app.refusals.note(by, `${method} ${path}`, `${role}, needs ${needs}`)
  return lacksRole(operator, needs)
}

/** The refusal of an operator for their role: of a whole endpoint, or of the part that the text names. */
export const lacksRole = (
  { by, role }: Pick<KnownOperator, 'by' | 'role'>,
  needs: Role,
  what = 'This',
): Denied<{ readonly code: 'FORBIDDEN'; readonly problem: string }> => ({
  denial: { code: 'FORBIDDEN', problem: `${what} needs the role ${needs}, and ${by} is ${role}.` },
})

const invalidToken = (problem: string): Denied => ({ denial: { code: 'INVALID_TOKEN', problem } })

/** Several people may share the admin token, so the name that they send is only a claim. */
function tokenHolder(named: IncomingHttpHeaders): KnownOperator | Denied {
  const header = named[AS_HEADER] === undefined ? USER_HEADER : AS_HEADER
  const name = named[header]
  if (name === undefined) return { by: 'operator', ...BY_TOKEN }
  if (typeof name === 'string' && USER.test(name)) return { by: `operator ${name}`, ...BY_TOKEN }
  return invalid(header, USER_HINT)
}

const BY_TOKEN = { proof: 'token', role: 'admin', via: 'token' } as const

const NOBODY = invalidToken("Send the admin token as bearer; it is in the gateway's state_dir.")

const LEFT = invalidToken('The identity provider deactivated this person.')

const NO_SESSION = invalidToken(
  'This session has ended, or the gateway was restarted: run svcctl console for a new one.',
)

/** Why metrics may not be read; undefined where the files make them public, and for holders of their token and operators. */
export async function scraperOf(app: OperatorPorts, call: OperatorCall): Promise<Denied | undefined> {
  const { metrics } = app.settings
  const token = bearerOf(call.request.headers.authorization)
  if (metrics.public || (metrics.token && isSameSecret(metrics.token.reveal(), token))) return undefined
  const operator = await operatorOf(app, call)
  return 'denial' in operator ? operator : undefined
}

/** The scheme has no case (RFC 9110 11.1). */
export const bearerOf = (authorization = ''): string => /^Bearer +(.+)$/i.exec(authorization)?.[1] ?? ''
