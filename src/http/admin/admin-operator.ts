import { timingSafeEqual } from 'node:crypto'
import { hashOf } from '../../gateway/accounts/keys.ts'
import { isBadToken } from '../../gateway/accounts/sign-in.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { USER, USER_HEADER, USER_HINT } from '../../wire/admin/user.ts'
import type { App } from '../listener/endpoint.ts'

/** Who an operator is, as the audit names them. */
export interface Operator {
  readonly by: string
}

/**
 * The operator that a request on the admin listener comes from: by the admin token, or a sign-in that `identity.admins`
 * lists. `user` is the name that a holder of the admin token gives; a sign-in proves its own, so that `user` is not used.
 */
export async function operatorOf(
  { adminToken, verify, settings }: Pick<App, 'adminToken' | 'verify' | 'settings'>,
  authorization = '',
  user?: string | readonly string[],
): Promise<Operator | Denied> {
  const token = bearerOf(authorization)
  if (isSame(adminToken, token)) return tokenHolder(user)
  const admins = settings.identity?.admins ?? []
  // Three parts, as every signed JWT has: of anything else the provider need not be asked.
  if (!verify || admins.length === 0 || !token || token.split('.').length !== 3) return NOBODY
  const judged = await verify(token)
  if (isBadToken(judged)) return invalidToken(judged.problem)
  if (admins.includes(judged.account)) return { by: judged.account }
  return invalidToken(`${judged.account} is not among \`identity.admins\` of the configuration.`)
}

const invalidToken = (problem: string): Denied => ({ denial: { code: 'INVALID_TOKEN', problem } })

/** One token is shared by all that hold it. What they call themselves is a claim. */
function tokenHolder(user: string | readonly string[] | undefined): Operator | Denied {
  if (user === undefined) return { by: 'operator' }
  if (typeof user === 'string' && USER.test(user)) return { by: `operator ${user}` }
  return invalid(USER_HEADER, USER_HINT)
}

const NOBODY = invalidToken('Send the admin token as bearer; the server wrote it to its state_dir.')

/** Why metrics may not be read; undefined where the files make them public, and for holders of their token and operators. */
export async function scraperOf(
  app: Pick<App, 'adminToken' | 'verify' | 'settings'>,
  authorization = '',
): Promise<Denied | undefined> {
  const { metrics } = app.settings
  if (metrics.public || (metrics.token && isSame(metrics.token.reveal(), bearerOf(authorization)))) return undefined
  const operator = await operatorOf(app, authorization)
  return 'denial' in operator ? operator : undefined
}

/** The scheme has no case (RFC 9110 11.1). */
const bearerOf = (authorization: string): string => /^Bearer +(.+)$/i.exec(authorization)?.[1] ?? ''

/** Hashes have one length, so the comparison does not reveal the token's. */
const isSame = (token: string, sent: string): boolean =>
  sent !== '' && timingSafeEqual(Buffer.from(hashOf(sent)), Buffer.from(hashOf(token)))
