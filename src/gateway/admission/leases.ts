import type { Config, EpochMs, Millis } from '../../policy/config.ts'
import type { Hold } from '../../policy/counters/account-counters.ts'
import type { Mutable } from '../../policy/decision.ts'
import type { JoinedCell } from '../../policy/limits/rule-claim.ts'
import { type Listed, Roster } from '../lifetimes.ts'
import type { Alarm, Cancel, Clock } from '../ports.ts'
import type { Heartbeat, HoldStore, Settlement } from '../store/hold-store.ts'
import type { AdmittedCall } from './admit.ts'
import { joinedRules } from './joined-rules.ts'

/** A third of the lease, so that two signs of life may get lost. */
const HEARTBEAT_MS: Millis = 10_000
/** A request that ends sooner after its dispatch costs no checkpoint. */
const FIRST_CHECKPOINT_MS: Millis = 250

/** The lease of one running request. */
export interface Lease {
  /** From now on a crash charges what `soFar` says, as of the last checkpoint. */
  dispatched(soFar: () => Settlement): void
  /** Replaces `soFar`, once the answer can tell more. */
  speaking(soFar: () => Settlement): void
  /** The request holds more, for another round. */
  extended(hold: Hold): void
  /** The counters of limits that came while the request ran. */
  joined(call: AdmittedCall): readonly JoinedCell[] | undefined
  /** The request ended, whatever it came to. */
  end(): void
}

/** A call with the lease of its hold. */
export interface LeasedCall extends AdmittedCall {
  readonly lease: Lease
}

/** Each by name, as everywhere on the way of a request: a copy with more beside it costs ten times as much. */
export function leased(
  { caller, request, decision, hold, readings, rules, revision, queued }: AdmittedCall,
  lease: Lease,
): LeasedCall {
  const call: Mutable<LeasedCall> = { caller, request, decision, hold, readings, revision, queued, lease }
  if (rules) call.rules = rules
  return call
}

/** Gives signs of life of every request of this process that holds something. */
export class Leases {
  readonly #holds: Pick<HoldStore, 'heartbeat'>
  readonly #clock: Clock
  readonly #alarm: Alarm
  readonly #open = new Roster<OpenLease>()
  /** The present configuration, if it changed since the start. */
  present: Config | undefined
  #stopHeartbeats: Cancel = () => {}
  #stopFirst: Cancel | undefined
  #renewedAt: EpochMs

  constructor(holds: Pick<HoldStore, 'heartbeat'>, clock: Clock, alarm: Alarm) {
    this.#holds = holds
    this.#clock = clock
    this.#alarm = alarm
    this.#renewedAt = clock.now()
    this.#heartbeatLater()
  }

  open(hold: Hold): Lease {
    const open = new OpenLease(hold, this)
    this.#open.add(open)
    return open
  }

  /** Other files were taken: what runs is charged to their limits too when it ends. */
  follow(config: Config): void {
    this.present = config
  }

  /** One was dispatched. */
  dispatched(): void {
    this.#stopFirst ??= this.#clock.after(FIRST_CHECKPOINT_MS, () => this.#firstCheckpoints())
  }

  /** A request ended. */
  ended(lease: OpenLease): void {
    this.#open.remove(lease)
  }

  /** How many there are. */
  get underWay(): number {
    return this.#open.size
  }

  /** Renews all leases where a heartbeat is overdue, because this process or its machine stood still. */
  async renewOverdue(): Promise<void> {
    if (this.#clock.now() - this.#renewedAt > 2 * HEARTBEAT_MS) await this.#renewAll()
  }

  stop(): void {
    this.#stopHeartbeats()
    this.#stopFirst?.()
    this.#renewedAt = Number.POSITIVE_INFINITY
  }

  #heartbeatLater(): void {
    this.#stopHeartbeats = this.#clock.after(HEARTBEAT_MS, () => {
      void this.#renewAll()
      this.#heartbeatLater()
    })
  }

  #renewAll(): Promise<void> {
    this.#renewedAt = this.#clock.now()
    return this.#renew(this.#open.all)
  }

  #firstCheckpoints(): void {
    this.#stopFirst = undefined
    void this.#renew(this.#open.all.filter(({ fresh }) => fresh))
  }

  async #renew(open: readonly OpenLease[]): Promise<void> {
    if (open.length === 0) return
    for (const one of open) one.fresh = false
    // The next one follows in ten seconds, and the lease outlives two that were lost.
    try {
      const resumed = await this.#holds.heartbeat(open.map(heartbeatOf))
      if (resumed.length > 0) this.#alarm(RESUMED, { count: resumed.length })
    } catch (error) {
      this.#alarm('running requests could not renew their leases', { count: open.length, error: String(error) })
    }
  }
}

/** This process stood still for longer than its leases last, or the store was away for as long. */
const RESUMED = 'running requests whose leases had run out are counted again'

const heartbeatOf = ({ hold, soFar }: OpenLease): Heartbeat => ({ hold, ...(soFar && { soFar: soFar() }) })

class OpenLease implements Lease, Listed {
  place = -1
  hold: Hold
  soFar: (() => Settlement) | undefined
  /** Dispatched, and the store does not know yet. */
  fresh = false
  readonly #leases: Leases

  constructor(hold: Hold, leases: Leases) {
    this.hold = hold
    this.#leases = leases
  }

  dispatched(soFar: () => Settlement): void {
    this.soFar = soFar
    this.fresh = true
    this.#leases.dispatched()
  }

  speaking(soFar: () => Settlement): void {
    this.soFar = soFar
  }

  extended(hold: Hold): void {
    this.hold = hold
  }

  joined(call: AdmittedCall): readonly JoinedCell[] | undefined {
    const { present } = this.#leases
    return present && joinedRules(present, call)
  }

  end(): void {
    this.#leases.ended(this)
  }
}
