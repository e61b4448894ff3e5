import { accountOf } from '../../gateway/accounts/sign-in.ts'
import { ask, printable, safeUrl, unreachable } from '../../operator/login-http.ts'
import { discover, labelOf, readAccess } from '../../operator/login-provider.ts'
import { freshSession, readSessions, removeSession, type Session, saveSession } from '../../operator/session.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { world } from '../../server/world.ts'
import { table } from '../table.ts'
import { writeJson, writeOut } from '../terminal.ts'
import type { Named, NamedIssuer } from './login.ts'
import { awaitTokens, type Device, startDevice, type Waiting } from './login-device.ts'
import { gatewayOf, targetOf } from './login-target.ts'

/** Signs in by device code and keeps the session. RFC 8628. */
export async function login(named: NamedIssuer): Promise<void> {
  const { gateway, issuer, clientId, labelClaim } = await targetOf(named)
  safeUrl(gateway, 'the gateway')
  const provider = await discover(issuer)
  const device = await startDevice(provider, { clientId, gateway })
  console.error(invitation(device))
  const tokens = await awaitTokens(provider, { clientId, gateway }, device, waiting)
  const { expiresAt } = readAccess(tokens.accessToken, issuer, gateway)
  const { accessToken, refreshToken } = tokens
  const label = labelOf(tokens, labelClaim)
  saveSession({ gateway, issuer, clientId, accessToken, ...(refreshToken && { refreshToken }), expiresAt, label })
  console.error(`✓ Signed in to ${gateway} as ${label}, until ${new Date(expiresAt).toISOString()}.`)
}

const waiting: Waiting = {
  now: world.clock.now,
  sleep: ms => new Promise<void>(resolve => world.clock.after(ms, resolve)),
}

const invitation = ({ uri, uriComplete, userCode }: Device): string =>
  `Open  ${uriComplete ?? uri}\nCode  ${userCode}\n\nWaiting for you there; Ctrl-C gives up.`

/** Forgets a session, then ends it at its identity provider. Exits 3 when that cannot be reached. */
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
  if (!revoked) console.error(`  ${session.issuer} cannot end sessions: the token stays valid until ${until}.`)
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

/** Prints who is signed in. Exits 4 without a sign-in, or with one that the gateway does not accept. */
export async function whoami({ json, ...named }: Named & { json?: boolean }): Promise<void> {
  const { gateway, issuer, accessToken, label } = await freshSession(await gatewayOf(named), world.clock.now())
  const { subject, expiresAt } = readAccess(accessToken, issuer, gateway)
  const who = {
    account: accountOf(issuer, subject),
    label,
    issuer,
    gateway,
    plan: await planOf(gateway, accessToken),
    expires: new Date(expiresAt).toISOString(),
  }
  await (json ? writeJson(who) : writeOut([`${table(Object.entries(who))}\n`]))
}

/** The plan that the gateway gives this account. */
async function planOf(gateway: string, token: string): Promise<string> {
  const url = safeUrl(`${gateway}/billing/quota`, 'the gateway')
  const { status, body } = await ask(url, { token })
  if (status === 401) {
    const why = printable(String(body.error ?? 'it answers 401'))
    throw new CommandFailed(`✗ ${gateway} does not accept this sign-in: ${why}\n  svcctl login`, exitCodes.signIn)
  }
  if (status !== 200 || typeof body.planSlug !== 'string') {
    throw unreachable(url, typeof body.error === 'string' ? body.error : `it answers ${status}, as no gateway does`)
  }
  return body.planSlug
}
