import type { EpochMs, Millis, Passthrough, Pool, Upgrade } from '../../policy/config.ts'
import type { LeasedCall } from '../admission/leases.ts'
import type { Alarm, Clock, Frame, Peer, PeerEnd } from '../ports.ts'
import type { Bill, HoldStore } from '../store/hold-store.ts'
import { Deadlines } from '../timers.ts'
import type { AnswerEnd, EndedAnswer } from '../upstream/outcome.ts'
import type { KeyEnd } from './key-watch.ts'
import type { SessionAnswer } from './session-answer.ts'
import { SessionBill } from './session-bill.ts'

/** How a session ends: the goodbye to each side, and what the end says of the backend. */
export interface SessionEnd {
  readonly how: AnswerEnd
  /** For the operator; empty where it ended well. */
  readonly cause: string
  readonly client: Goodbye
  readonly backend: Goodbye
}

/** A code of RFC 6455 7.4 and a reason; without a code where the other side gave none. */
interface Goodbye {
  readonly code?: number
  readonly reason: string
}

/** Codes of the registry of IANA: 3000 and 3003 say of a session what 401 and 403 say of a request, and 1012 that it may be opened again. */
const GOING_AWAY = 1001
const POLICY = 1008
const TOO_LARGE = 1009
const FAILED = 1011
const RESTART = 1012
const UNAUTHORIZED = 3000
const FORBIDDEN = 3003

const AWAY: Goodbye = { code: GOING_AWAY, reason: '' }
const byUs = (cause: string, code: number): SessionEnd => ({
  how: 'left',
  cause,
  client: { code, reason: cause },
  backend: AWAY,
})

/** The gateway leaves: another one, or the next one, serves. */
export const SERVICE_RESTART = byUs('service restart', RESTART)
export const KEY_ENDS: Readonly<Record<KeyEnd, SessionEnd>> = {
  revoked: byUs('key revoked', UNAUTHORIZED),
  frozen: byUs('account frozen', FORBIDDEN),
}
export const KEY_EXPIRED = byUs('key expired', UNAUTHORIZED)
export const TOKEN_EXPIRED = byUs('token expired', UNAUTHORIZED)
/** The client was gone when its backend had answered. */
export const CLIENT_GONE: SessionEnd = { how: 'left', cause: 'client gone', client: AWAY, backend: AWAY }

export interface SessionTerms {
  readonly clock: Clock
  readonly holds: Pick<HoldStore, 'extend'>
  readonly alarm: Alarm
  readonly admitted: LeasedCall
  readonly pool: Pool
  readonly route: Passthrough & { readonly upgrade: Upgrade }
  readonly answer: SessionAnswer
  /** When its key or its token ends, and how it ends then. */
  readonly expiry?: { readonly at: EpochMs; readonly end: SessionEnd }
  /** Ends the attempt and settles it. */
  readonly settle: (admitted: LeasedCall, ending: EndedAnswer) => Promise<Bill>
}

/**
 * A WebSocket of a client and one of a backend, whose frames go on as they come, no faster than the other side takes them.
 * It ends once, for the first reason that comes: the backend is left at once, what was used is settled, and then the client
 * gets its goodbye.
 */
export class Session {
  /** Its subprotocol, as the backend chose it. */
  readonly protocol: string | undefined
  readonly #terms: SessionTerms
  readonly #bill: SessionBill
  readonly #backend: Peer
  readonly #deadlines: Deadlines
  readonly #over: Promise<SessionEnd>
  #resolve: (end: SessionEnd) => void = () => {}
  #client: Peer | undefined
  #isOver = false
  #heardAt: Millis

  constructor(terms: SessionTerms) {
    const { clock, holds, alarm, admitted, pool, route, answer, expiry } = terms
    const { usageMeter, peer } = answer
    const { upgrade, meter } = route
    this.#terms = terms
    this.#backend = peer
    this.protocol = peer.protocol
    this.#heardAt = clock.elapsed()
    this.#deadlines = new Deadlines(clock)
    this.#over = new Promise(resolve => {
      this.#resolve = resolve
    })
    const refused = (reason: string) => this.end(byUs(`no more can be reserved: ${reason}`, POLICY))
    const byUsage = meter.by === 'usage'
    this.#bill = new SessionBill({ holds, alarm, admitted, pool, usageMeter, byUsage, refused })
    const most = usageMeter.left(upgrade.maxSession)
    this.#deadlines.after(most, () => this.end(byUs('the longest time of a session is over', POLICY)))
    if (expiry) this.#deadlines.after(expiry.at - clock.now(), () => this.end(expiry.end))
    this.#watchSilence(upgrade.idleTimeout)
  }

  /** Joins both sides. Resolves with what it cost and how it ended, once it is settled and the client got its goodbye. */
  async run(client: Peer): Promise<{ readonly bill: Bill; readonly end: SessionEnd }> {
    const backend = this.#backend
    this.#client = client
    const between = (from: Peer, to: Peer, isBackend: boolean) => ({
      frame: (frame: Frame) => this.#pass(frame, from, to, isBackend),
      // The other side may send again.
      drained: () => to.resume(),
      closed: (end: PeerEnd) => this.end(isBackend ? ofBackend(end) : ofClient(end)),
    })
    client.attach(between(client, backend, false))
    if (!this.#isOver) backend.attach(between(backend, client, true))
    const end = await this.#over
    return { bill: await this.#settle(end), end }
  }

  /** Ends it, if nothing did before. */
  end(end: SessionEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#deadlines.callOff()
    leave(this.#backend, end.backend)
    // What comes now is not passed on.
    this.#client?.pause()
    this.#resolve(end)
  }

  /** Settles it where no client came to be joined. */
  async abandon(end: SessionEnd): Promise<Bill> {
    this.end(end)
    return this.#settle(end)
  }

  async #settle({ how, cause, client: goodbye }: SessionEnd): Promise<Bill> {
    const { answer, settle } = this.#terms
    try {
      await this.#bill.end()
      const ending = answer.over(how, cause, this.#bill.work)
      const bill = await settle(this.#bill.admitted, ending)
      if (this.#client) leave(this.#client, goodbye)
      return bill
    } catch (error) {
      // What cannot be settled must not end well.
      if (this.#client) leave(this.#client, { code: FAILED, reason: '' })
      throw error
    }
  }

  #pass(frame: Frame, from: Peer, to: Peer, isBackend: boolean): void {
    if (this.#isOver) return
    const { usageMeter } = this.#terms.answer
    const isMessage = frame.kind === 'text' || frame.kind === 'binary'
    if (isMessage) {
      usageMeter.answered += frame.bytes.length
      this.#heardAt = this.#terms.clock.elapsed()
      if (usageMeter.isOver) {
        this.end(byUs('more bytes than max_mb', POLICY))
        return
      }
    }
    if (!to.send(frame)) from.pause()
    if (isBackend && frame.kind === 'text') this.#bill.read(frame.bytes)
  }

  #watchSilence(time: Millis): void {
    this.#deadlines.after(time, () => {
      const { clock, route } = this.#terms
      const left = route.upgrade.idleTimeout - (clock.elapsed() - this.#heardAt)
      if (left > 0) this.#watchSilence(left)
      else this.end(byUs('idle for too long', POLICY))
    })
  }
}

const leave = (peer: Peer, { code, reason }: Goodbye): void => peer.close(code, reason)

/** A client may end its session at any time; what it said is passed on. */
function ofClient({ code, reason, fault }: PeerEnd): SessionEnd {
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

function ofBackend({ code, reason, fault }: PeerEnd): SessionEnd {
  if (fault) {
    const client = { code: fault === 'message too large' ? TOO_LARGE : FAILED, reason: `the backend: ${fault}` }
    return { how: 'failed', cause: `backend: ${fault}`, client, backend: AWAY }
  }
  const goodbye = code === undefined ? { reason } : { code, reason }
  const how = code === undefined ? 'well' : FAILURES.has(code) ? 'failed' : REFUSALS.has(code) ? 'left' : 'well'
  return { how, cause: how === 'well' ? '' : `the backend closed with ${code}`, client: goodbye, backend: goodbye }
}
