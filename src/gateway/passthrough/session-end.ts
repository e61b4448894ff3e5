import type { CallerEnd } from '../accounts/caller-watch.ts'
import type { AnswerEnd } from '../attempt/outcome.ts'
import type { PeerEnd } from '../ports.ts'

/** How a session ends: the goodbye to each side, and what the end says of the backend. */
export interface SessionEnd {
  readonly how: AnswerEnd
  /** For the operator; empty where it ended well. */
  readonly cause: string
  readonly client: Goodbye
  readonly backend: Goodbye
}

/** A code of RFC 6455 7.4 and a reason; without a code where the other side gave none. */
export interface Goodbye {
  readonly code?: number
  readonly reason: string
}

/** Codes of the registry of IANA: 3000 and 3003 say of a session what 401 and 403 say of a request, and 1012 that it may be opened again. */
const GOING_AWAY = 1001
export const POLICY = 1008
const TOO_LARGE = 1009
export const FAILED = 1011
const RESTART = 1012
const UNAUTHORIZED = 3000
const FORBIDDEN = 3003

const AWAY: Goodbye = { code: GOING_AWAY, reason: '' }
export const byUs = (cause: string, code: number): SessionEnd => ({
  how: 'left',
  cause,
  client: { code, reason: cause },
  backend: AWAY,
})

/** The gateway leaves: another one, or the next one, serves. */
export const SERVICE_RESTART = byUs('service restart', RESTART)
export const CALLER_ENDS: Readonly<Record<CallerEnd, SessionEnd>> = {
  revoked: byUs('key revoked', UNAUTHORIZED),
  frozen: byUs('account frozen', FORBIDDEN),
}
export const KEY_EXPIRED = byUs('key expired', UNAUTHORIZED)
export const TOKEN_EXPIRED = byUs('token expired', UNAUTHORIZED)
/** The client was gone when its backend had answered. */
export const CLIENT_GONE: SessionEnd = { how: 'left', cause: 'client gone', client: AWAY, backend: AWAY }

/** A client may end its session at any time; what it said is passed on. */
export function ofClient({ code, reason, fault }: PeerEnd): SessionEnd {
  if (fault === 'broke off') return CLIENT_GONE
  // The socket has answered with the code of the fault.
  if (fault) return { how: 'left', cause: `client: ${fault}`, client: AWAY, backend: AWAY }
  const goodbye = code === undefined ? { reason } : { code, reason }
  return { how: 'well', cause: '', client: goodbye, backend: goodbye }
}

/** Codes by which a server says that it fails, whatever it was sent. RFC 6455 and the registry of IANA. */
const FAILURES = new Set([FAILED, RESTART, 1013, 1014])
/** Codes by which it says that it did not take what it was sent. */
const REFUSALS = new Set([1002, 1003, 1007, POLICY, TOO_LARGE, 1010])

export function ofBackend({ code, reason, fault }: PeerEnd): SessionEnd {
  if (fault) {
    const client = { code: fault === 'message too large' ? TOO_LARGE : FAILED, reason: `the backend: ${fault}` }
    return { how: 'failed', cause: `backend: ${fault}`, client, backend: AWAY }
  }
  const goodbye = code === undefined ? { reason } : { code, reason }
  const how = code === undefined ? 'well' : FAILURES.has(code) ? 'failed' : REFUSALS.has(code) ? 'left' : 'well'
  return { how, cause: how === 'well' ? '' : `the backend closed with ${code}`, client: goodbye, backend: goodbye }
}
