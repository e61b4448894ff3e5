import { isIP } from 'node:net'
import type { Issued } from '../../gateway/operators/operator-sessions.ts'
import type { HttpCall } from '../listener/call.ts'
import { networkOf } from '../listener/client-address.ts'
import { oneField, readNothing } from '../listener/request-input.ts'
import { UNCACHED } from '../uncached.ts'
import { bearerOf, operatorOf, tooManyTries } from './admin-operator.ts'
import type { OperatorApp } from './operator-app.ts'
import type { AdminEndpoint } from './operator-family.ts'

/** Dependencies of the session endpoints. */
type SessionsApp = Pick<
  OperatorApp,
  'adminToken' | 'sessions' | 'verify' | 'settings' | 'signInTries' | 'refusals' | 'clock'
>

/** How operators come into a browser: `svcctl console` prints a link with a code, and the page exchanges it. */
export const sessionEndpoints: readonly AdminEndpoint[] = [
  { method: 'POST', path: '/admin/console/code', who: 'operator', needs: 'viewer', run: issueCode },
  { method: 'POST', path: '/admin/console/session', who: 'anyone', rate: 'operators', run: openSession },
  { method: 'POST', path: '/admin/console/end', who: 'operator', needs: 'viewer', run: endSession },
]

/** The link has the code in its fragment, which browsers send nowhere. */
async function issueCode(app: SessionsApp, call: HttpCall): Promise<void> {
  const operator = await operatorOf(app, call)
  if ('denial' in operator) return call.deny(operator.denial)
  const wrong = await readNothing(call)
  if (wrong) return call.deny(wrong.denial)
  const { value: code, expiresAt } = app.sessions.issueCode(operator)
  const { adminUrl, adminTls } = app.settings.server
  const base = adminUrl ?? `http${adminTls ? 's' : ''}://${call.request.headers.host ?? ''}`
  const url = `${base}/console#code=${code}`
  call.json(200, { code, expires_at: timeText(expiresAt), url }, UNCACHED)
}

const readCode = oneField('code', { minLength: 1, maxLength: 200 })

/** Any page may send this, so that the host counts: a name that leads here may be that of an attacker. */
async function openSession({ sessions, signInTries, settings }: SessionsApp, call: HttpCall): Promise<void> {
  const host = call.request.headers.host ?? ''
  if (!isOwnHost(host, settings.server.adminUrl)) return call.deny({ code: 'MISDIRECTED', host })
  const read = await readCode(call)
  if ('denial' in read) return call.deny(read.denial)
  const address = networkOf(call.clientAddress)
  const retryAfterMs = signInTries.waitOf(address, read.value)
  if (retryAfterMs > 0) return call.deny(tooManyTries(retryAfterMs).denial)
  const issued = sessions.redeem(read.value)
  if (!issued) {
    signInTries.failed(address, read.value)
    return call.deny({
      code: 'INVALID_TOKEN',
      problem: 'This code was used, or its minute is over: svcctl console makes another one.',
    })
  }
  call.json(200, sessionRecord(issued), UNCACHED)
}

const sessionRecord = ({ value, expiresAt }: Issued) => ({ token: value, expires_at: timeText(expiresAt) })

async function endSession({ sessions }: SessionsApp, call: HttpCall): Promise<void> {
  const wrong = await readNothing(call)
  if (wrong) return call.deny(wrong.denial)
  sessions.end(bearerOf(call.request.headers.authorization))
  call.json(200, { ended: true }, UNCACHED)
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
