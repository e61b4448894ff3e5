import type { EpochMs, Millis, Passthrough, Pool, Upgrade } from '../../policy/config.ts'
import type { Denial } from '../../policy/denial.ts'
import type { Bill } from '../../records/ledger-row.ts'
import { parse } from '../../wire/json-bytes.ts'
import { isObject } from '../../wire/json-safety.ts'
import { ClientEvents, isEvent, type SessionScope } from '../../wire/session/client-events.ts'
import type { LeasedCall } from '../admission/leases.ts'
import { USAGE_WAIT } from '../answer/backend-answer.ts'
import type { Paced } from '../attempt/measure.ts'
import type { EndedAnswer } from '../attempt/outcome.ts'
import type { Alarm, Clock, Frame, Peer, PeerEnd } from '../ports.ts'
import type { HoldStore } from '../store/hold-store.ts'
import { Deadlines } from '../timers.ts'
import { ClientMessages, type ReadingTurns } from './client-messages.ts'
import type { SessionAnswer } from './session-answer.ts'
import { SessionBill } from './session-bill.ts'
import { byUs, FAILED, type Goodbye, ofBackend, ofClient, POLICY, type SessionEnd } from './session-end.ts'

export interface SessionTerms {
  readonly clock: Clock
  readonly holds: Pick<HoldStore, 'extend'>
  readonly alarm: Alarm
  readonly paced: Paced
  readonly admitted: LeasedCall
  readonly pool: Pool
  readonly route: Passthrough & { readonly upgrade: Upgrade }
  readonly answer: SessionAnswer
  /** The bounds on its client's messages. */
  readonly scope: SessionScope
  readonly turns: ReadingTurns
  /** An event that refuses one of a client's, by the id that this has. */
  readonly refusal: (denial: Denial, eventId: string | undefined) => string
  /** When its key or its token ends, and how it ends then. */
  readonly expiry?: { readonly at: EpochMs; readonly end: SessionEnd }
  /** Ends the attempt and settles it. */
  readonly settle: (admitted: LeasedCall, ending: EndedAnswer) => Promise<Bill>
}

/**
 * A client's WebSocket and a backend's, which relays frames with backpressure. It reads the client's messages first, and may
 * refuse them. The session ends once, for the first reason: it disconnects the backend, settles the usage, and then closes the
 * client.
 */
export class Session {
  /** Its subprotocol, as the backend chose it. */
  readonly protocol: string | undefined
  readonly #terms: SessionTerms
  readonly #bill: SessionBill
  readonly #events: ClientEvents
  readonly #messages: ClientMessages
  readonly #backend: Peer
  readonly #deadlines: Deadlines
  readonly #over: Promise<SessionEnd>
  #resolve: (end: SessionEnd) => void = () => {}
  #client: Peer | undefined
  /** Those for whom so much waits to be sent that no more should follow. */
  readonly #full = new Set<Peer>()
  readonly #pings = new Pings()
  #isOver = false
  /** Once it is over: leaves the backend, which is settled then. */
  #leaveBackend: () => void = () => {}
  #heardAt: Millis

  constructor(terms: SessionTerms) {
    const { clock, holds, alarm, paced, admitted, pool, route, answer, scope, turns, refusal, expiry } = terms
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
    this.#bill = new SessionBill({ holds, clock, alarm, paced, admitted, pool, usageMeter, byUsage, refused })
    this.#events = new ClientEvents(scope)
    this.#messages = new ClientMessages({
      ...{ events: this.#events, bill: this.#bill, clock, turns },
      pass: message => this.#pass(message, peer),
      refuse: (denial, eventId) =>
        this.#send(this.#client, { kind: 'text', bytes: Buffer.from(refusal(denial, eventId)) }),
      changed: () => this.#flow(),
    })
    const most = usageMeter.left(upgrade.maxSession)
    this.#deadlines.after(most, () => this.end(byUs('the longest time of a session is over', POLICY), true))
    if (expiry) this.#deadlines.after(expiry.at - clock.now(), () => this.end(expiry.end))
    this.#watchSilence(upgrade.idleTimeout)
  }

  /** Joins both sides. Resolves with what it cost and how it ended, once it is settled and the client got its goodbye. */
  async run(client: Peer): Promise<{ readonly bill: Bill; readonly end: SessionEnd }> {
    const backend = this.#backend
    this.#client = client
    const drained = (peer: Peer) => () => {
      this.#full.delete(peer)
      this.#flow()
    }
    client.attach({
      frame: frame => this.#hear(frame),
      drained: drained(client),
      closed: end => this.#closed(end),
    })
    if (!this.#isOver)
      backend.attach({
        frame: frame => this.#pass(frame, client),
        drained: drained(backend),
        closed: end => (this.#isOver ? this.#leaveBackend() : this.end(ofBackend(end))),
      })
    const end = await this.#over
    return { bill: await this.#settle(end), end }
  }

  /** Ends it, if nothing did before. `isOfClient` where its client brought that about, and pays what is running. */
  end(end: SessionEnd, isOfClient = false): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#deadlines.callOff()
    this.#messages.stop()
    // Messages that come now are not passed on.
    this.#client?.pause()
    this.#leaveBackend = () => {
      this.#leaveBackend = () => {}
      this.#deadlines.callOff()
      leave(this.#backend, end.backend)
      this.#resolve(end)
    }
    if (isOfClient && this.#bill.awaitsUsage) this.#awaitUsage()
    else this.#leaveBackend()
  }

  /** It ends in the middle of a response: its backend gets some seconds to say what that used. */
  #awaitUsage(): void {
    this.#backend.resume()
    this.#deadlines.after(USAGE_WAIT, () => this.#leaveBackend())
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
      const ending = answer.over(how, cause, how === 'failed' ? this.#bill.seenWork : this.#bill.work)
      const bill = await settle(this.#bill.admitted, ending)
      if (this.#client) leave(this.#client, goodbye)
      return bill
    } catch (error) {
      // A session that cannot be settled must not end well.
      if (this.#client) leave(this.#client, { code: FAILED, reason: '' })
      throw error
    }
  }

  /** Takes a frame of the client. */
  #hear(frame: Frame): void {
    if (this.#isOver) return
    this.#heardAt = isMessage(frame) ? this.#terms.clock.elapsed() : this.#heardAt
    if (isMessage(frame)) this.#messages.take(frame)
    else if (frame.kind === 'ping' && this.#pings.isTooMany(this.#terms.clock.elapsed()))
      this.end(byUs('too many pings', POLICY), true)
    else this.#pass(frame, this.#backend)
  }

  /** Passes on the client's last messages, unless it broke off. */
  #closed(end: PeerEnd): void {
    const over = () => this.end(ofClient(end), true)
    if (end.fault || !this.#messages.isWaiting) over()
    else this.#messages.done().then(over)
  }

  #pass(frame: Frame, to: Peer): void {
    if (this.#isOver) {
      this.#readLast(frame, to)
      return
    }
    const { usageMeter } = this.#terms.answer
    if (isMessage(frame)) {
      usageMeter.answered += frame.bytes.length
      if (to === this.#backend) usageMeter.heard += frame.bytes.length
      this.#heardAt = this.#terms.clock.elapsed()
      if (usageMeter.isOver) {
        this.end(byUs('more bytes than max_mb', POLICY))
        return
      }
    }
    this.#send(to, frame)
    if (to === this.#client && isMessage(frame)) this.#read(frame)
  }

  /** Takes a frame of a backend whose client left. */
  #readLast(frame: Frame, to: Peer): void {
    if (to !== this.#client || !isMessage(frame)) return
    this.#read(frame)
    if (!this.#bill.awaitsUsage) this.#leaveBackend()
  }

  #send(to: Peer | undefined, frame: Frame): void {
    if (this.#isOver || !to || to.send(frame)) return
    this.#full.add(to)
    this.#flow()
  }

  /** Reads each side no faster than the other takes what it says, and the client no faster than it takes what it is answered. */
  #flow(): void {
    const client = this.#client
    if (this.#isOver || !client) return
    const isFull = this.#full.has(client)
    if (isFull || this.#full.size > 0 || this.#messages.isWaiting) client.pause()
    else client.resume()
    if (isFull) this.#backend.pause()
    else this.#backend.resume()
  }

  /** Reads an event of the backend, where something is to be learnt from it. */
  #read({ kind, bytes }: Frame): void {
    if (!this.#bill.isByUsage && !this.#events.goesOn) return
    const event = isEvent(bytes, kind === 'text') ? parse(bytes.toString('utf8')) : undefined
    if (!isObject(event)) return
    this.#bill.read(event)
    if (this.#events.goesOn) this.#events.hear(event)
  }

  #watchSilence(time: Millis): void {
    this.#deadlines.after(time, () => {
      const { clock, route } = this.#terms
      const left = route.upgrade.idleTimeout - (clock.elapsed() - this.#heardAt)
      if (left > 0) this.#watchSilence(left)
      else this.end(byUs('idle for too long', POLICY), true)
    })
  }
}

/** Counts what a client pings: a server breaks off where it has too many to answer, and would be blamed for it. */
class Pings {
  #since: Millis = 0
  #count = 0

  /** For one more of them. */
  isTooMany(now: Millis): boolean {
    if (now - this.#since >= PING_PERIOD) {
      this.#since = now
      this.#count = 0
    }
    return ++this.#count > MOST_PINGS
  }
}

const PING_PERIOD: Millis = 10_000
/** Twice as many, at the seam of two periods, are what the package ws answers at once. */
const MOST_PINGS = 30

const leave = (peer: Peer, { code, reason }: Goodbye): void => peer.close(code, reason)

const isMessage = ({ kind }: Frame): boolean => kind === 'text' || kind === 'binary'
