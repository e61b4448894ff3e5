import { ask } from '../../operator/login-http.ts'
import { discover } from '../../operator/login-issuer.ts'
import { readSessions, removeSession, type Session } from '../../operator/session.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import type { Named } from './login-options.ts'
import { gatewayOf } from './login-target.ts'

/** Forgets a session, then ends it where it came from. Exits 3 when that could not be told. */
export async function logout(named: Named): Promise<void> {
  const gateway = await gatewayOf(named)
  const session = readSessions().get(gateway)
  if (!session) {
    console.error(`Not signed in to ${gateway}.`)
    return
  }
  removeSession(gateway)
  const until = new Date(session.expiresAt).toISOString()
  const revoked = await revoke(session).catch((error: Error) => {
    const message = `${error.message}\n  The session is forgotten here, but not ended there: its token is good until ${until}.`
    throw new CommandFailed(message, exitCodes.unreachable)
  })
  console.error(`✓ Signed out of ${gateway}.`)
  // A gateway checks a token by itself, and so cannot hear that it was given up.
  if (!revoked) console.error(`  ${session.issuer} ends no sessions: whoever has the token can use it until ${until}.`)
}

/** False when the provider has no way to. A refresh token takes with it what was made of it. RFC 7009 2.1. */
async function revoke({ issuer, clientId, accessToken, refreshToken }: Session): Promise<boolean> {
  const { revocation } = await discover(issuer)
  if (!revocation) return false
  const of = refreshToken === undefined ? 'access_token' : 'refresh_token'
  const { status } = await ask(revocation, {
    form: { token: refreshToken ?? accessToken, token_type_hint: of, client_id: clientId },
  })
  if (status >= 500) throw new CommandFailed(`✗ ${issuer} answers ${status}`)
  return status === 200
}
