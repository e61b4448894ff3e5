import { type Answer, ask, printable } from '../../operator/login-http.ts'
import { type Issuer, type Tokens, tokensOf } from '../../operator/login-provider.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import type { JsonObject } from '../../wire/openai/body.ts'

/** What the tokens are asked for. */
export interface Wish {
  readonly clientId: string
  /** The resource: the gateway's public URL. RFC 8707. */
  readonly gateway: string
}

/** A sign-in that waits for its user. */
export interface Device {
  readonly code: string
  /** What the user is shown. */
  readonly userCode: string
  readonly uri: string
  /** The same with the code in it. */
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
/** What to wait for where the provider says nothing, and by how much more when it wants more. RFC 8628 3.2 and 3.5. */
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

/** Why the provider says no, in its words. */
function refused({ status, body }: { readonly status: number; readonly body: JsonObject }): CommandFailed {
  const { error, error_description } = body
  const words = [error, error_description].filter(isText).map(printable).join(': ')
  return new CommandFailed(`✗ the identity provider refuses: ${words || `it answers ${status}`}`)
}

const expired = (): CommandFailed => new CommandFailed('✗ the code has expired: svcctl login gives a new one')

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const seconds = (value: unknown): number | undefined => {
  const ms = Number(value) * 1000
  return ms > 0 && Number.isFinite(ms) ? ms : undefined
}
