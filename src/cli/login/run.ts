import { accountOf } from '../../gateway/accounts/sign-in/sign-in.ts'
import { forgetTokens } from '../../operator/agent-token.ts'
import {
  type Answer,
  ask,
  discover,
  type Issuer,
  labelOf,
  printable,
  readAccess,
  safeUrl,
  type Tokens,
  tokensOf,
  unreachable,
} from '../../operator/login-provider.ts'
import { freshSession, readSessions, removeSession, type Session, saveSession } from '../../operator/session.ts'
import { locked } from '../../operator/session-file.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { world } from '../../server/world.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import { table } from '../kit/table.ts'
import { writeJson, writeOut } from '../kit/terminal.ts'
import type { Named, NamedIssuer } from './login.ts'
import { gatewayOf, targetOf } from './target.ts'

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
  const session = { gateway, issuer, clientId, accessToken, ...(refreshToken && { refreshToken }), expiresAt, label }
  await locked(() => {
    forgetTokens(gateway)
    saveSession(session)
  })
  console.error(`✓ Signed in to ${gateway} as ${label}, until ${new Date(expiresAt).toISOString()}.`)
}

const waiting: Waiting = {
  now: world.clock.now,
  sleep: ms => new Promise<void>(resolve => world.clock.after(ms, resolve)),
}

const invitation = ({ uri, uriComplete, userCode }: Device): string =>
  `Open  ${uriComplete ?? uri}\nCode  ${userCode}\n\nWaiting for you to sign in; Ctrl-C cancels.`

/** Forgets a session, then ends it at its identity provider. Exits 3 when that cannot be reached. */
export async function logout(named: Named): Promise<void> {
  const gateway = await gatewayOf(named)
  const session = readSessions().get(gateway)
  if (!session) {
    console.error(`Not signed in to ${gateway}.`)
    return
  }
  await locked(() => {
    forgetTokens(gateway)
    removeSession(gateway)
  })
  const until = new Date(session.expiresAt).toISOString()
  const revoked = await revoke(session).catch((error: Error) => {
    const message = `${error.message}\n  The session is forgotten here but not ended there: its token stays valid until ${until}.`
    throw new CommandFailed(message, exitCodes.unreachable)
  })
  console.error(`✓ Signed out of ${gateway}.`)
  // A gateway checks a token by itself, and so cannot learn that it was given up.
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
  const plan = await planOf(gateway, accessToken)
  const who = {
    account: (await signInAt(gateway, accessToken)) ?? accountOf(issuer, subject),
    label,
    issuer,
    gateway,
    plan,
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
    throw unreachable(url, typeof body.error === 'string' ? body.error : `it answers ${status}, which no gateway does`)
  }
  return body.planSlug
}

/** The id of the sign-in at the gateway, which may identify people by another claim than `sub`; undefined at an older gateway. */
async function signInAt(gateway: string, token: string): Promise<string | undefined> {
  const { status, body } = await ask(safeUrl(`${gateway}/v1/account`, 'the gateway'), { token })
  return status === 200 && typeof body.sign_in === 'string' ? printable(body.sign_in) : undefined
}

/** The wish for tokens. */
export interface Wish {
  readonly clientId: string
  /** The resource: the gateway's public URL. RFC 8707. */
  readonly gateway: string
}

/** A sign-in that waits for its user. */
export interface Device {
  readonly code: string
  /** The code shown to the user. */
  readonly userCode: string
  readonly uri: string
  /** The address with the code in it. */
  readonly uriComplete?: string
  readonly intervalMs: number
  readonly expiresMs: number
}

/** Time as the waiting sees it. */
export interface Waiting {
  now(): number
  sleep(ms: number): Promise<unknown>
}

/** Begins the device flow. RFC 8628 3.1. */
export async function startDevice({ issuer, device, scopes }: Issuer, { clientId, gateway }: Wish): Promise<Device> {
  if (!device) throw new CommandFailed(`✗ ${issuer} offers no sign-in by device code (device_authorization_endpoint)`)
  // Without this scope there is no refresh token; a provider that does not know it refuses the request.
  const scope = scopes.includes('offline_access') ? 'openid offline_access' : 'openid'
  const answer = await ask(device, { form: { client_id: clientId, scope, resource: gateway } })
  const { device_code, user_code, verification_uri, verification_uri_complete, interval, expires_in } = answer.body
  if (answer.status !== 200 || !isText(device_code) || !isText(user_code) || !isText(verification_uri)) {
    throw refused(answer)
  }
  return {
    code: device_code,
    userCode: printable(user_code),
    uri: printable(verification_uri),
    ...(isText(verification_uri_complete) && { uriComplete: printable(verification_uri_complete) }),
    intervalMs: seconds(interval) ?? INTERVAL_MS,
    expiresMs: seconds(expires_in) ?? EXPIRES_MS,
  }
}

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
/** The wait where the provider says nothing, and the addition when it wants more. RFC 8628 3.2 and 3.5. */
const INTERVAL_MS = 5000
const EXPIRES_MS = 600_000

/** Polls until the user has decided. Rejects when the user refuses or the code expires. RFC 8628 3.4 and 3.5. */
export async function awaitTokens(
  { token }: Issuer,
  { clientId, gateway }: Wish,
  { code, intervalMs, expiresMs }: Device,
  { now, sleep }: Waiting,
): Promise<Tokens> {
  const form = { grant_type: GRANT, device_code: code, client_id: clientId, resource: gateway }
  const deadline = now() + expiresMs
  let interval = intervalMs
  while (now() + interval < deadline) {
    await sleep(interval)
    const answer = await ask(token, { form }).catch(unanswered)
    if (answer?.status === 200) return tokensOf(answer.body)
    interval = nextInterval(interval, answer)
  }
  throw expired()
}

/** How long to wait before the next question, or why there is none. No answer at all counts as overload. */
function nextInterval(interval: number, answer: Answer | undefined): number {
  if (answer === undefined || answer.status >= 500) return interval * 2
  if (answer.body.error === 'authorization_pending') return interval
  if (answer.body.error === 'slow_down') return interval + INTERVAL_MS
  if (answer.body.error === 'expired_token') throw expired()
  if (answer.body.error === 'access_denied') throw new CommandFailed('✗ the sign-in was refused in the browser')
  throw refused(answer)
}

function unanswered(error: unknown): undefined {
  if (error instanceof CommandFailed && error.exitCode === exitCodes.unreachable) return undefined
  throw error
}

/** The provider's reason for its refusal, in its words. */
function refused({ status, body }: { readonly status: number; readonly body: JsonObject }): CommandFailed {
  const { error, error_description } = body
  const words = [error, error_description].filter(isText).map(printable).join(': ')
  return new CommandFailed(`✗ the identity provider refuses: ${words || `it answers ${status}`}`)
}

const expired = (): CommandFailed => new CommandFailed('✗ the code has expired: run svcctl login again')

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const seconds = (value: unknown): number | undefined => {
  const ms = Number(value) * 1000
  return ms > 0 && Number.isFinite(ms) ? ms : undefined
}
