import type { Millis } from '../../policy/config.ts'
import type { Member } from '../../wire/admin/fleet.ts'
import type { Alarm, Cancel, Clock } from '../ports.ts'
import type { FleetState, FleetStore } from '../store/fleet-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import { every } from '../timers.ts'

export interface FleetPorts {
  readonly store: FleetStore
  readonly clock: Clock
  readonly alarm: Alarm
  /** This gateway, as it is now. */
  readonly self: () => Member
  /** Hears the store's view of all gateways, each time it was asked, in order. */
  readonly heard: (state: FleetState) => void
}

/** The gateways on one store: this one announces itself there, and hears who else is there and what operators want of all. */
export class Fleet {
  readonly #ports: FleetPorts
  readonly #followers: ((state: FleetState) => void)[] = []
  #last: Promise<unknown> = Promise.resolve()
  #stop: Cancel = () => {}
  #left = false
  /** As the store said last. While it does not answer, others may have come and gone. */
  state: FleetState | undefined

  constructor(ports: FleetPorts) {
    this.#ports = ports
  }

  /**
   * Hears what operators want of all gateways, before this one is one of them. A store on a busy machine may be late: it is
   * asked again for 5 s. Rejects with StoreUnavailable.
   */
  async hear(): Promise<FleetState> {
    const { store, clock } = this.#ports
    const end = clock.elapsed() + PATIENCE
    for (;;) {
      const state = await store.read().catch(error => {
        if (!(error instanceof StoreUnavailable) || clock.elapsed() >= end) throw error
      })
      if (state) return this.#hear(state)
      await new Promise<void>(resolve => clock.after(AGAIN, resolve))
    }
  }

  /** From now on `hear` gets each state that the store tells. */
  follow(hear: (state: FleetState) => void): void {
    this.#followers.push(hear)
  }

  /** Is one of the fleet from now on, until it leaves or ends. */
  async join(): Promise<void> {
    await this.announceSoon()
    this.#stop = every(this.#ports.clock, PERIOD, () => this.announceSoon())
  }

  /** Announces this gateway as it is now. Resolves once all that the store knew then is heard; rejects with StoreUnavailable. */
  announce(): Promise<FleetState> {
    const next = this.#last.then(() => this.#announce())
    this.#last = next.catch(() => {})
    return next
  }

  /** Announces the gateway while the store may be away: a failure is tried again a moment later. */
  async announceSoon(): Promise<void> {
    await this.announce().catch(error => {
      if (!(error instanceof StoreUnavailable)) this.#ports.alarm('the fleet cannot be read', { error: String(error) })
    })
  }

  /** Those that are there; this gateway alone before the store was asked. */
  get members(): readonly Member[] {
    return this.state?.members ?? [this.#ports.self()]
  }

  get self(): Member {
    return this.#ports.self()
  }

  async leave(): Promise<void> {
    this.#stop()
    this.#left = true
    await this.#last
    // Where the store is away, its lease ends.
    await this.#ports.store.leave(this.self.id).catch(() => {})
  }

  async #announce(): Promise<FleetState> {
    const { store, self } = this.#ports
    return this.#hear(this.#left ? await store.read() : await store.announce(self(), LEASE))
  }

  #hear(state: FleetState): FleetState {
    this.state = state
    this.#ports.heard(state)
    for (const hear of this.#followers) hear(state)
    return state
  }
}

/** So soon others hear what changed. */
const PERIOD: Millis = 1000
/** How long a store may be late when a gateway begins, and how soon it is asked again. */
const PATIENCE: Millis = 5000
const AGAIN: Millis = 250
/** So long a gateway that died counts as one of the fleet. */
const LEASE: Millis = 10_000
