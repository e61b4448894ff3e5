import type { Meter } from '../../policy/config.ts'
import { BackendAnswer } from '../answer/backend-answer.ts'
import { readExchange, type Target } from '../attempt/attempt.ts'
import type { AnswerEnd, EndedAnswer, Failed, Outcome, Rejected, Work } from '../attempt/outcome.ts'
import type { Client, Clock, Peer, SocketHead, Sockets } from '../ports.ts'
import { UsageMeter } from './usage-meter.ts'

/** Opens a WebSocket at one replica. It is answered with the 101. */
export function attemptSession(
  { sockets, clock }: SessionPorts,
  target: SessionTarget,
  client: Client,
): Promise<Outcome<SessionAnswer>> {
  const { pool, replica, path, requestId, protocols, maxMessage, settings, traceparent, dispatched } = target
  const answer = new SessionAnswer(clock, target)
  const named = { pool: pool.name, replica, path, requestId, model: pool.model, protocols, maxMessage }
  const request = { ...named, ...(traceparent !== undefined && { traceparent }) }
  const exchange = readExchange(
    { clock, open: listener => sockets.open(request, listener) },
    { settings, dispatched },
    answer,
  )
  return answer.start(exchange, client)
}

export interface SessionPorts {
  readonly sockets: Pick<Sockets, 'open'>
  readonly clock: Clock
}

/** One attempt at a WebSocket. */
export interface SessionTarget
  extends Pick<Target, 'pool' | 'replica' | 'path' | 'requestId' | 'settings' | 'traceparent' | 'dispatched'> {
  readonly meter: Meter
  readonly protocols: readonly string[]
  readonly maxMessage: number
}

/** A WebSocket of a backend, with the life of a BackendAnswer: it is passed on from its 101 until `over`. */
export class SessionAnswer extends BackendAnswer<SessionAnswer, SocketHead> {
  readonly usageMeter: UsageMeter
  #peer: Peer | undefined

  constructor(clock: Clock, { settings, meter }: Pick<SessionTarget, 'settings' | 'meter'>) {
    super(clock, settings)
    this.usageMeter = new UsageMeter(clock, meter, undefined)
  }

  get peer(): Peer {
    if (!this.#peer) throw new Error('a session has no backend before it was opened')
    return this.#peer
  }

  override isAnswer(status: number): boolean {
    return status === 101
  }

  /** A refusal to open is no work. */
  override unanswered(outcome: Failed | Rejected): void {
    if (outcome.kind === 'rejected') super.unanswered(outcome)
    else {
      const { work: _, ...rest } = outcome
      super.unanswered(rest)
    }
  }

  /** It is over, for this reason. */
  over(how: AnswerEnd, cause: string, work: Work): EndedAnswer {
    this.conclude(how, cause)
    return { ...work, how, cause }
  }

  data(): void {}

  end(): void {}

  broken(cause: string): void {
    this.fail(this.failure(cause))
  }

  work(): Work {
    return this.usageMeter.work()
  }

  protected override onSent(): void {
    this.usageMeter.dispatch()
    this.deadlines.after(this.settings.headersTimeout, () => this.late('headers timeout'))
  }

  protected override onHeaded({ peer }: SocketHead): void {
    this.deadlines.callOff()
    this.#peer = peer
    this.commit(this, 101)
  }

  /** Before it is open a backend does nothing that is paid. */
  protected override workIfFailed(): undefined {
    return undefined
  }
}
