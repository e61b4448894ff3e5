import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { hashOf } from '../../gateway/accounts/keys.ts'
import { isBadToken } from '../../gateway/accounts/sign-in.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { AS_HEADER, USER, USER_HEADER, USER_HINT } from '../../wire/admin/user.ts'
import type { App } from '../listener/endpoint.ts'

/** Who an operator is, as the audit names them. */
export interface Operator {
  readonly by: string
  readonly via: 'token' | 'session' | 'sign-in'
}

/**
 * The operator that a request on the admin listener comes from: by the admin token, or a sign-in that `identity.admins`
 * lists. A holder of the admin token says who it is, as `user` by itself or as the operator wishes it; a sign-in proves
 * its own name, so that `user` is not used, and another wish is refused.
 */
export async function operatorOf(
  { adminToken, sessions, verify, settings }: Pick<App, 'adminToken' | 'sessions' | 'verify' | 'settings'>,
  authorization = '',
  named: IncomingHttpHeaders = {},
): Promise<Operator | Denied> {
  const token = bearerOf(authorization)
  if (isSame(adminToken, token)) return tokenHolder(named)
  const by = sessions.operatorOf(token)
  if (by !== undefined) return { by, via: 'session' }
  if (token.startsWith('ops_')) return NO_SESSION
  const admins = settings.identity?.admins ?? []
  // Three parts, as every signed JWT has: of anything else the provider need not be asked.
  if (!verify || admins.length === 0 || !token || token.split('.').length !== 3) return NOBODY
  const judged = await verify(token)
  if (isBadToken(judged)) return invalidToken(judged.problem)
  if (admins.includes(judged.account)) {
    if (named[AS_HEADER] !== undefined)
      return invalid(AS_HEADER, `goes with the admin token alone: this sign-in is ${judged.account}`)
    return { by: judged.account, via: 'sign-in' }
  }
  return invalidToken(`${judged.account} is not among \`identity.admins\` of the configuration.`)
}

const invalidToken = (problem: string): Denied => ({ denial: { code: 'INVALID_TOKEN', problem } })

/** One token is shared by all that hold it. What they call themselves is a claim. */
function tokenHolder(named: IncomingHttpHeaders): Operator | Denied {
  const header = named[AS_HEADER] === undefined ? USER_HEADER : AS_HEADER
  const name = named[header]
  if (name === undefined) return { by: 'operator', via: 'token' }
  if (typeof name === 'string' && USER.test(name)) return { by: `operator ${name}`, via: 'token' }
  return invalid(header, USER_HINT)
}

const NOBODY = invalidToken('Send the admin token as bearer; the server wrote it to its state_dir.')

const NO_SESSION = invalidToken(
  'This session is over, or the gateway was restarted: svcctl console begins another one.',
)

/** Why metrics may not be read; undefined where the files make them public, and for holders of their token and operators. */
export async function scraperOf(
  app: Pick<App, 'adminToken' | 'sessions' | 'verify' | 'settings'>,
  authorization = '',
): Promise<Denied | undefined> {
  const { metrics } = app.settings
  if (metrics.public || (metrics.token && isSame(metrics.token.reveal(), bearerOf(authorization)))) return undefined
  const operator = await operatorOf(app, authorization)
  return 'denial' in operator ? operator : undefined
}

/** The scheme has no case (RFC 9110 11.1). */
export const bearerOf = (authorization = ''): string => /^Bearer +(.+)$/i.exec(authorization)?.[1] ?? ''

/** Hashes have one length, so the comparison does not reveal the token's. */
const isSame = (token: string, sent: string): boolean =>
  sent !== '' && timingSafeEqual(Buffer.from(hashOf(sent)), Buffer.from(hashOf(token)))
