import type { Identify } from '../../gateway/accounts/identify.ts'
import { DEVICE_LIFE, type LoginRefusal, type LoginTokens, POLL_EVERY } from '../../gateway/accounts/logins/logins.ts'
import { shownUserCode } from '../../gateway/accounts/logins/seals.ts'
import { networkOf } from '../../gateway/accounts/networks.ts'
import type { Millis } from '../../policy/config.ts'
import {
  clientNamed,
  DEVICE_GRANT,
  DEVICE_PATH,
  REFRESH_GRANT,
  REVOKE_PATH,
  serverMetadata,
  TOKEN_PATH,
} from '../../wire/claude/oauth.ts'
import { isForm, readForm } from '../../wire/form.ts'
import type { HttpCall } from '../listener/call.ts'
import { readPieces } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import type { ClientApp } from './client-app.ts'
import type { ClientEndpoint } from './client-family.ts'
import { approveDevice, denyDevice, showDevice } from './devices.ts'
import { showManagedSettings } from './managed-settings.ts'

/** Dependencies of the endpoints. */
type LoginApp = Pick<ClientApp, 'settings' | 'logins' | 'clock'>

/** Endpoints that Claude Code asks after `/login`, and those of the page where people approve a device; served with `identity.claude_login`. */
export const claudeEndpoints: readonly ClientEndpoint[] = [
  {
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    who: 'anyone',
    rate: 'reads',
    run: ({ settings }, call) => call.json(200, serverMetadata(settings.server.publicUrl)),
  },
  { method: 'POST', path: DEVICE_PATH, who: 'anyone', rate: 'reads', run: startDevice },
  { method: 'POST', path: TOKEN_PATH, who: 'anyone', rate: 'reads', quiet: true, run: giveTokens },
  { method: 'POST', path: REVOKE_PATH, who: 'anyone', rate: 'reads', run: revokeTokens },
  { method: 'GET', path: '/device', who: 'anyone', rate: 'reads', run: showCodePage },
  { method: 'POST', path: '/v1/account/device', who: 'signed-in', of: 'devices', rate: 'reads', run: showDevice },
  {
    method: 'POST',
    path: '/v1/account/device/approve',
    who: 'signed-in',
    of: 'devices',
    rate: 'reads',
    run: approveDevice,
  },
  { method: 'POST', path: '/v1/account/device/deny', who: 'signed-in', of: 'devices', rate: 'reads', run: denyDevice },
  { method: 'GET', path: '/managed/settings', who: 'caller', rate: 'reads', agents: true, run: showManagedSettings },
]

/** POST /oauth/device_authorization: codes for a device. RFC 8628 3.1. */
async function startDevice({ settings, logins, clock }: LoginApp, call: HttpCall): Promise<void> {
  const form = await readParameters(call, [])
  if (!form) return
  const client = clientNamed(call.request.headers['user-agent']) ?? 'a client that does not give its name'
  const address = call.clientAddress
  const started = await logins?.start({ client, address, at: clock.now() }, networkOf(address))
  if (!started) return refuse(call, 503, 'temporarily_unavailable', NO_SECRET)
  if ('wait' in started) return refuseForNow(call, started.wait)
  const { deviceCode, userCode } = started
  const { publicUrl } = settings.server
  const shown = shownUserCode(userCode)
  const notice = settings.identity?.claudeLogin?.notice
  call.json(
    200,
    {
      device_code: deviceCode,
      user_code: shown,
      verification_uri: `${publicUrl}/device`,
      // Behind `#`, where no log of a server or a proxy has it.
      verification_uri_complete: `${publicUrl}/console#device=${shown}`,
      expires_in: DEVICE_LIFE / 1000,
      interval: POLL_EVERY / 1000,
      ...(notice !== undefined && { login_notice: notice }),
    },
    UNCACHED,
  )
}

/** GET /device: the page that asks for a code, at an address that is short enough to type. */
function showCodePage({ settings }: LoginApp, call: HttpCall): void {
  call.empty(302, { location: `${settings.server.publicUrl}/console#device` })
}

/** POST /oauth/token: tokens for a device that a person approved, or for a refresh token. RFC 6749, RFC 8628 3.4. */
async function giveTokens({ logins, clock }: LoginApp, call: HttpCall, _id: string, identify: Identify): Promise<void> {
  const form = await readParameters(call, ['grant_type', 'device_code', 'refresh_token'])
  if (!form || !logins) return
  const { grant_type: grant, device_code: deviceCode, refresh_token: refreshToken } = form
  if (grant === DEVICE_GRANT && deviceCode !== undefined)
    return answerTokens(call, await logins.poll(deviceCode, identify), clock.now())
  if (grant === REFRESH_GRANT && refreshToken !== undefined)
    return answerTokens(call, await logins.refresh(refreshToken, networkOf(call.clientAddress), identify), clock.now())
  if (grant === DEVICE_GRANT || grant === REFRESH_GRANT || grant === undefined)
    return refuse(call, 400, 'invalid_request', `Send grant_type, and device_code or ${REFRESH_GRANT}.`)
  refuse(call, 400, 'unsupported_grant_type', `Send grant_type ${DEVICE_GRANT} or ${REFRESH_GRANT}.`)
}

function answerTokens(call: HttpCall, given: LoginTokens | LoginRefusal, now: number): void {
  // Claude Code asks for a sign-in again where a refresh is answered so.
  if (typeof given === 'string') return void refuse(call, given === 'invalid_grant' ? 401 : 400, given, WORDS[given])
  const { accessToken, expiresAt, refreshToken, label } = given
  call.json(
    200,
    {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: Math.floor((expiresAt - now) / 1000),
      refresh_token: refreshToken,
      // Claude Code shows it, and asks its user whether that is their account.
      ...(label !== undefined && { email: label }),
    },
    UNCACHED,
  )
}

/** POST /oauth/revoke: ends the login of a token. RFC 7009: a token that is none is as good as ended. */
async function revokeTokens({ logins }: LoginApp, call: HttpCall): Promise<void> {
  const form = await readParameters(call, ['token'])
  if (!form) return
  if (form.token === undefined) return refuse(call, 400, 'invalid_request', 'Send token.')
  await logins?.revoke(form.token)
  call.json(200, {}, UNCACHED)
}

/** The parameters of the form that was sent; undefined once it was refused. */
async function readParameters<Name extends string>(
  call: HttpCall,
  names: readonly Name[],
): Promise<Partial<Record<Name, string>> | undefined> {
  const pieces = await readPieces(call.request, FORM_MAX, undefined, isForm)
  if ('denial' in pieces) {
    const [status, words] = REFUSED_BODIES[pieces.denial.code] ?? [400, 'Send a form.']
    refuse(call, status, 'invalid_request', words)
    return undefined
  }
  const form = readForm(pieces.join().toString(), names)
  if (form) return form
  refuse(call, 400, 'invalid_request', 'Send each parameter once.')
  return undefined
}

/** Bytes. A refresh token has some 120. */
const FORM_MAX = 4096

const REFUSED_BODIES: Readonly<Record<string, readonly [number, string]>> = {
  PAYLOAD_TOO_LARGE: [413, `Send at most ${FORM_MAX} bytes.`],
  UNSUPPORTED_MEDIA_TYPE: [415, 'Send application/x-www-form-urlencoded.'],
}

const NO_SECRET =
  'This gateway accepts no sign-ins: gateways that share a Redis need the same identity.agent_secret. Tell the operator.'

const WORDS: Readonly<Record<LoginRefusal, string>> = {
  authorization_pending: 'Nobody has approved the code yet.',
  slow_down: 'Ask every five seconds.',
  access_denied: 'The sign-in was refused, or the account is no longer served.',
  expired_token: 'The code is older than ten minutes, or was used: start again.',
  invalid_grant: 'This sign-in has ended: run /login.',
}

function refuseForNow(call: HttpCall, wait: Millis): void {
  const seconds = Math.ceil(wait / 1000)
  const headers = { 'retry-after': String(Math.min(seconds, LONGEST_RETRY_S)) }
  refuse(call, 429, 'slow_down', `Too many sign-ins were started. Try again in ${seconds} s.`, headers)
}

/** As in other answers: clients that wait by themselves wait no longer. */
const LONGEST_RETRY_S = 60

/** Answers in the form of RFC 6749 5.2, which clients of OAuth read. */
function refuse(
  call: HttpCall,
  status: number,
  error: string,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  call.json(status, { error, error_description: description }, { ...UNCACHED, ...headers })
}
