import { isIP } from 'node:net'
import { networkOf } from '../../gateway/accounts/networks.ts'
import type { Issued } from '../../gateway/operators/sessions.ts'
import type { AnswerOf } from '../../wire/admin-api/call.ts'
import * as calls from '../../wire/admin-api/sessions.ts'
import type { HttpCall } from '../listener/call.ts'
import { UNCACHED } from '../uncached.ts'
import { type Asked, answering, bodyReader } from './declared.ts'
import { bearerOf, tooManyTries } from './operator.ts'
import type { OperatorApp } from './operator-app.ts'
import type { AdminEndpoint } from './operator-family.ts'

/** Dependencies of the session endpoints. */
type SessionsApp = Pick<
  OperatorApp,
  'adminToken' | 'sessions' | 'verify' | 'settings' | 'signInTries' | 'refusals' | 'clock'
>

/** How operators come into a browser: `svcctl console` prints a link with a code, and the page exchanges it. */
export const sessionEndpoints: readonly AdminEndpoint[] = [
  answering(calls.issueCode, issueCode),
  {
    method: calls.openSession.method,
    path: calls.openSession.path,
    who: 'anyone',
    rate: 'operators',
    run: openSession,
  },
  answering(calls.endSession, endSession),
]

/** The link has the code in its fragment, which browsers send nowhere. */
function issueCode(
  app: SessionsApp,
  { operator }: Asked<typeof calls.issueCode>,
  call: HttpCall,
): AnswerOf<typeof calls.issueCode> {
  const { value: code, expiresAt } = app.sessions.issueCode(operator)
  const { adminUrl, adminTls } = app.settings.server
  const base = adminUrl ?? `http${adminTls ? 's' : ''}://${call.request.headers.host ?? ''}`
  const url = `${base}/console#code=${code}`
  return { code, expires_at: timeText(expiresAt), url }
}

const readCode = bodyReader(calls.openSession)

/** Any page may send this, so that the host counts: a name that leads here may be that of an attacker. */
async function openSession({ sessions, signInTries, settings }: SessionsApp, call: HttpCall): Promise<void> {
  const host = call.request.headers.host ?? ''
  if (!isOwnHost(host, settings.server.adminUrl)) return call.deny({ code: 'MISDIRECTED', host })
  const read = await readCode(call)
  if ('denial' in read) return call.deny(read.denial)
  const { code } = read.body
  const address = networkOf(call.clientAddress)
  const retryAfterMs = signInTries.waitOf(address, code)
  if (retryAfterMs > 0) return call.deny(tooManyTries(retryAfterMs).denial)
  const issued = sessions.redeem(code)
  if (!issued) {
    signInTries.failed(address, code)
    return call.deny({
      code: 'INVALID_TOKEN',
      problem: 'This code was already used or is older than a minute: run svcctl console for a new one.',
    })
  }
  call.json(200, sessionRecord(issued), UNCACHED)
}

const sessionRecord = ({ value, expiresAt }: Issued): AnswerOf<typeof calls.openSession> => ({
  token: value,
  expires_at: timeText(expiresAt),
})

function endSession({ sessions }: SessionsApp, _asked: object, call: HttpCall): AnswerOf<typeof calls.endSession> {
  sessions.end(bearerOf(call.request.headers.authorization))
  return { ended: true }
}

/**
 * Whether a browser that was asked for this host can mean this listener: an address, the name of the machine itself, or
 * the host of `server.admin_url`. A page of an attacker can have any other name lead here, and so read the answers.
 */
export function isOwnHost(host: string, adminUrl?: string): boolean {
  if (adminUrl !== undefined && host.toLowerCase() === new URL(adminUrl).host) return true
  const name = /^(?<name>\[[^\]]*\]|[^:]*)(?::\d{1,5})?$/.exec(host)?.groups?.name ?? ''
  return name.toLowerCase() === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
}

const timeText = (at: number): string => new Date(at).toISOString()
