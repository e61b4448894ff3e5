import { CommandFailed, exitCodes } from '../server/failure.ts'
import { ask } from './login-http.ts'
import { discover } from './login-issuer.ts'
import { readAccess, tokensOf } from './login-token.ts'
import { notSignedIn, readSessions, type Session, saveSession } from './session.ts'

/** A token is renewed this long before its end, so that it lasts as long as what is done with it. */
const MARGIN_MS = 60_000

/** The session of a gateway, renewed if it is about to end. Rejects with exit code 4 when there is none any more. */
export async function freshSession(gateway: string, now: number): Promise<Session> {
  const session = readSessions().get(gateway)
  if (!session) throw notSignedIn(gateway)
  if (session.expiresAt - now > MARGIN_MS) return session
  const alive = session.expiresAt > now
  try {
    return (await renewed(session)) ?? (alive ? session : ended(gateway))
  } catch (error) {
    // A provider that is down takes nothing from a token that still lives.
    if (alive && error instanceof CommandFailed && error.exitCode === exitCodes.unreachable) return session
    throw error
  }
}

/** Undefined when the provider gives no more tokens. RFC 6749 6. */
async function renewed(session: Session): Promise<Session | undefined> {
  const { gateway, issuer, clientId, refreshToken } = session
  if (refreshToken === undefined) return undefined
  const { token } = await discover(issuer)
  const { status, body } = await ask(token, {
    form: { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, resource: gateway },
  })
  if (status >= 500) throw new CommandFailed(`✗ ${issuer} answers ${status}`, exitCodes.unreachable)
  if (status !== 200) return undefined
  const tokens = tokensOf(body)
  const { expiresAt } = readAccess(tokens.accessToken, issuer, gateway)
  // A provider that rotates refresh tokens gives a new one; else the old one stays good.
  const next = {
    ...session,
    accessToken: tokens.accessToken,
    refreshToken: tokens.refreshToken ?? refreshToken,
    expiresAt,
  }
  saveSession(next)
  return next
}

function ended(gateway: string): never {
  throw new CommandFailed(`✗ the sign-in to ${gateway} has ended: svcctl login`, exitCodes.signIn)
}
