import type { Fleet } from '../../gateway/fleet/fleet.ts'
import type { Alarm, Clock } from '../../gateway/ports.ts'
import type { ChangeContent, FleetState, FleetStore } from '../../gateway/store/fleet-store.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { Application, Applied } from '../../http/changes.ts'
import type { Millis } from '../../policy/config.ts'
import type { Applier } from '../apply/applier.ts'
import { refusal } from '../apply/refusals.ts'
import { isOverdue, lastCommitted, outcomeOf } from './outcome.ts'
import type { PendingChange } from './pending-change.ts'

interface ParticipantPorts {
  readonly store: FleetStore
  readonly fleet: Pick<Fleet, 'announce'>
  readonly applier: Pick<Applier, 'apply'>
  /** The revision that serves. */
  readonly serving: () => string
  readonly pending: PendingChange
  readonly clock: Clock
  readonly alarm: Alarm
}

/** A change that this gateway has prepared: it waits, with other changes behind it, for what is decided. */
interface Prepared {
  readonly id: string
  readonly decide: (isCommitted: boolean) => void
  readonly done: Promise<Applied>
}

/**
 * This gateway's part in fleet-wide changes. A prepared gateway has validated the files and can apply them at any moment. The
 * decision is then in the store and binds the gateway, whichever process dies meanwhile.
 */
export class Participant {
  readonly #ports: ParticipantPorts
  #prepared: Prepared | undefined
  #catchingUp: Promise<Applied | undefined> | undefined
  #tryAgainAt: Millis = 0

  constructor(ports: ParticipantPorts) {
    this.#ports = ports
  }

  /** Undefined once this gateway is ready to take the change, with `previous` as what it serves; else why it cannot. */
  async prepare(id: string, previous: string): Promise<Denied | undefined> {
    const { store, applier, pending } = this.#ports
    const content = await store.readChange(id)
    if (!content) return { denial: refusal('this change of all gateways is no longer known').denial }
    return new Promise((resolve, reject) => {
      const done = applier.apply(applicationOf(content, previous), async () => {
        pending.keep(id)
        const decided = this.#decided(id, done)
        resolve(undefined)
        return decided
      })
      done.then(applied => resolve('denial' in applied ? applied : undefined), reject)
    })
  }

  /** Applies the decided change. Returns its result here; undefined if there was nothing to do. */
  async settle(id: string): Promise<Applied | undefined> {
    const mine = this.#prepared?.id === id ? this.#prepared : undefined
    const state = await this.#ports.fleet.announce()
    if (mine && outcomeOf(state, id) !== 'preparing') return mine.done
    return this.#catchingUp
  }

  /** Goes by what the store says, each time that it was asked. */
  heard(state: FleetState): void {
    if (isOverdue(state)) void this.#drop(state)
    const outcome = this.#prepared && outcomeOf(state, this.#prepared.id)
    if (outcome !== undefined && outcome !== 'preparing') this.#prepared?.decide(outcome === 'committed')
    const { pending, clock } = this.#ports
    if (!this.#prepared && pending.id !== undefined && clock.elapsed() >= this.#tryAgainAt) void this.catchUp(state)
  }

  /** Takes what all gateways serve, where this one promised that and was killed, or could not do it then. */
  catchUp(state: FleetState): Promise<Applied | undefined> {
    this.#catchingUp ??= this.#catchUp(state).finally(() => {
      this.#catchingUp = undefined
    })
    return this.#catchingUp
  }

  async #catchUp(state: FleetState): Promise<Applied | undefined> {
    const { store, applier, serving, pending, alarm } = this.#ports
    const owed = pending.id
    if (owed === undefined || outcomeOf(state, owed) === 'preparing') return undefined
    const last = lastCommitted(state)
    if (outcomeOf(state, owed) === 'dropped' || last === undefined) {
      pending.clear()
      return undefined
    }
    try {
      const content = await store.readChange(last)
      // Where another change follows at this moment, the store is asked again.
      if (!content) return undefined
      const applied = await applier.apply(applicationOf(content, serving()))
      this.#concluded(applied)
      return applied
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) alarm('a change of all gateways failed here', { error: String(error) })
      return undefined
    }
  }

  /** Resolves to whether the change is committed. */
  async #decided(id: string, done: Promise<Applied>): Promise<boolean> {
    const isCommitted = await new Promise<boolean>(decide => {
      this.#prepared = { id, decide, done }
      // Decisions from before this was ready have been heard already.
      void this.#ports.fleet.announce().catch(() => {})
    })
    const conclude = (applied?: Applied) => {
      this.#prepared = undefined
      if (!isCommitted) this.#ports.pending.clear()
      else if (applied) this.#concluded(applied)
    }
    void done.then(conclude, () => conclude())
    return isCommitted
  }

  /** Where the files could not be written after all, the pending change stays, and is tried again. */
  #concluded(applied: Applied): void {
    const { pending, clock, alarm } = this.#ports
    if (!('denial' in applied)) {
      pending.clear()
      return
    }
    const { denial } = applied
    if (this.#tryAgainAt === 0)
      alarm('a change of all gateways is not taken here, and tried again', {
        error: 'reason' in denial ? denial.reason : denial.code,
      })
    this.#tryAgainAt = clock.elapsed() + RETRY
  }

  async #drop({ change }: FleetState): Promise<void> {
    if (!change) return
    const { store, fleet } = this.#ports
    const isDropped = await store.setChange({ ...change, phase: 'dropped' }, change).catch(() => false)
    if (isDropped) await fleet.announce().catch(() => {})
  }
}

const RETRY: Millis = 10_000

type Denied = Extract<Applied, { readonly denial: unknown }>

const applicationOf = ({ files, how, by, movePlans }: ChangeContent, previous: string): Application => ({
  ...{ previous, files, how, by, movePlans: new Map(movePlans) },
})
