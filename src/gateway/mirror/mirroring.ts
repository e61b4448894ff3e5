import { setImmediate } from 'node:timers/promises'
import type { Mirror, Pool } from '../../policy/config.ts'
import { type CopySkip, copySkip } from '../../policy/mirror.ts'
import { mirrorTexts } from '../../records/mirror-facts.ts'
import type { WholeAnswer } from '../../wire/answer-reader.ts'
import type { LeasedCall } from '../admission/leases.ts'
import type { Work } from '../attempt/outcome.ts'
import type { Call } from '../call.ts'
import { lessBusy, type Replica } from '../pools/replica.ts'
import type { Alarm, Cancel } from '../ports.ts'
import { StoreUnavailable } from '../store/store.ts'
import { Expenses } from '../upstream/expenses.ts'
import { backendOf } from '../upstream/failover-ports.ts'
import type { UpstreamPorts } from '../upstream/ports.ts'
import { AnswerRecord } from './answer-record.ts'
import { Copy, type CopyEnd } from './copy.ts'
import type { CopyClient, Mirrors } from './mirrors.ts'

/** The mirroring of a request; undefined if the request is outside the sample. */
export const mirroringOf = (
  gateway: UpstreamPorts & { readonly mirrors?: Mirrors },
  call: Call,
  admitted: LeasedCall,
): Mirroring | undefined =>
  admitted.decision.mirror && gateway.mirrors && !gateway.mirrors.isClosed
    ? new Mirroring({ ...gateway, mirrors: gateway.mirrors }, call, admitted, admitted.decision.mirror)
    : undefined

type MirroringPorts = UpstreamPorts & { readonly mirrors: Mirrors }

/**
 * A request that may be copied to the mirror of its model. The copy starts once a pool answers the request. The request neither
 * waits for the copy nor fails with it. The row is written once both have ended.
 */
export class Mirroring {
  /** Records the answer to the request itself. */
  readonly original: AnswerRecord
  readonly #gateway: MirroringPorts
  readonly #call: Call
  readonly #admitted: LeasedCall
  readonly #mirror: Mirror

  constructor(gateway: MirroringPorts, call: Call, admitted: LeasedCall, mirror: Mirror) {
    this.#gateway = gateway
    this.#call = call
    this.#admitted = admitted
    this.#mirror = mirror
    this.original = new AnswerRecord(gateway.clock)
  }

  /** A pool answers the request with a stream that has not ended. */
  served(pool: Pool): void {
    this.#run(pool).catch((error: unknown) => {
      // While the store is away, its own alarm matters more than a lost copy.
      if (!(error instanceof StoreUnavailable))
        this.#gateway.alarm('a copy of a request could not be sent', { error: String(error) })
    })
  }

  /** A pool answered the request. */
  servedWhole(pool: Pool, answer: WholeAnswer): void {
    this.served(pool)
    this.original.whole(answer)
  }

  async #run(servedBy: Pool): Promise<void> {
    const { counter, mirrors, clock } = this.#gateway
    // The answer to the request goes out first.
    await setImmediate()
    const end = await this.#send(servedBy)
    const outcome = typeof end === 'string' ? end : end.end
    const [model, pool] = [this.#admitted.decision.model.name, this.#mirror.to.name]
    counter.copied(model, pool, outcome)
    mirrors.ended(model, pool, { at: clock.now(), outcome })
  }

  async #send(servedBy: Pool): Promise<CopySkip | CopyEnd> {
    const { mirrors, pools } = this.#gateway
    const { to } = this.#mirror
    const state = pools.of(to.name)
    const settings = backendOf(this.#gateway.settings, to)
    const replica = this.#freeReplica()
    const target = { isUp: replica !== undefined, waiting: state.slots.waiting, isFull: !state.slots.hasRoom(settings) }
    const bytes = bytesOf(this.#call)
    const skip = copySkip(this.#mirror, { servedBy, target, bytes, ...mirrors.load })
    if (skip || !replica) return skip ?? 'down'
    const running = mirrors.begin(bytes)
    const { client } = running
    const taken: Cancel[] = [running.end]
    try {
      if (!(await this.#takeSlots(replica, client, taken))) return 'full'
      const reservation = await this.#expenses.takeCopy(this.#mirror)
      if (!reservation) return 'budget'
      const sent = await new Copy(this.#gateway, this.#call, this.#admitted, to).send(replica, client)
      reservation.settle(this.#expenses.costOf(to, sent.work))
      this.#recordLater(servedBy, sent)
      return sent
    } finally {
      for (const giveBack of taken) giveBack()
    }
  }

  /** Takes a slot of the pool and one of the replica if both are free. A request may reclaim them. */
  async #takeSlots(replica: Replica, client: CopyClient, taken: Cancel[]): Promise<boolean> {
    const { pools, clock, settings } = this.#gateway
    const { to } = this.#mirror
    const pool = backendOf(settings, to)
    const { maxConcurrentEach, queueTimeout } = pool
    const each = { queueTimeout, ...(maxConcurrentEach !== undefined && { maxConcurrent: maxConcurrentEach }) }
    for (const [slots, room] of [
      [pools.of(to.name).slots, pool],
      [replica.slots, each],
    ] as const) {
      const giveBack = await slots.takeSpare(room, { clock, client }, () => client.leave())
      if (!giveBack) return false
      taken.push(giveBack)
    }
    return !client.gone
  }

  get #expenses(): Expenses {
    const { store, alarm, settings } = this.#gateway
    return new Expenses({ store, alarm, settingsOf: pool => backendOf(settings, pool) }, this.#admitted)
  }

  /** The less busy of two random replicas that accept requests. */
  #freeReplica(): Replica | undefined {
    const { pools, clock, chance, settings } = this.#gateway
    const { to } = this.#mirror
    const state = pools.of(to.name)
    if (state.drained) return undefined
    const now = clock.now()
    const { spill } = backendOf(settings, to)
    const ready = state.replicas(to).filter(each => each.isUsable(now) && each.overload(spill, now) === undefined)
    return lessBusy(ready, chance)
  }

  /** Writes the row of the copy once the request itself has ended as well. */
  #recordLater(servedBy: Pool, sent: CopyEnd): void {
    const { mirrors, alarm } = this.#gateway
    recordOnceEnded(
      { mirrors, alarm, expenses: this.#expenses, original: this.original },
      this.#mirror.to,
      servedBy,
      sent,
    )
  }
}

/** The part of a request that stays in memory until it ends and the row is written, without body and conversation. */
interface RowToWrite {
  readonly mirrors: Mirrors
  readonly alarm: Alarm
  readonly expenses: Expenses
  readonly original: AnswerRecord
}

/** Outside the class because a request may stream for hours, and a closure in the class would retain its body. */
function recordOnceEnded(row: RowToWrite, to: Pool, servedBy: Pool, { work, facts: copy, cause }: CopyEnd): void {
  const { mirrors, alarm, expenses } = row
  row.original.done
    .then(original => {
      if (mirrors.isClosed) return undefined
      const { isJson, ...others } = original
      const compared = copy.isJson === undefined || isJson === undefined ? others : original
      const facts = mirrorTexts({ pool: servedBy.name, original: compared, copy })
      return expenses.recordCopy(to, { work: workOf(work), facts, ...(cause !== undefined && { cause }) })
    })
    .catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable))
        alarm('the cost of a copy could not be recorded', { pool: to.name, error: String(error) })
    })
}

/** The bytes that a copy retains: the request's body, and the conversation that it continues. */
const bytesOf = ({ bodyBytes = 0, wire }: Pick<Call, 'bodyBytes' | 'wire'>): number =>
  bodyBytes + (wire.thread?.bytes ?? 0)

/** The operator may have to pay for the reserved maximum. */
function workOf(work: Work | undefined): Work | undefined {
  if (!work) return undefined
  const { least: _least, ...most } = work
  return most
}
