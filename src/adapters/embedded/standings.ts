import type { EpochMs } from '../../policy/config.ts'
import type { Readings } from '../../policy/decision.ts'
import { type Charge, type Hold, newStanding, release, type Standing, take } from '../../policy/standing.ts'

/** What an admission answered, kept so that the same request id gets the same answer. */
export interface Taken {
  readonly hold: Hold
  readonly readings: Readings
}

/** Ended admissions that are remembered; a repetition follows the first call within moments. */
const ENDED_MAX = 10_000
/** Accounts looked at when one too many is in memory, so that no single request pays for all of them. */
const LOOKS = 8

interface Disk {
  read(account: string): Standing | undefined
  /** Whether the disk has what the memory has. */
  isWritten(account: string): boolean
}

/** Standings and holds of this process: in memory, because admission must not wait. All of it is synchronous. */
export class Standings {
  readonly #disk: Disk
  readonly #max: number
  readonly #standings = new Map<string, Standing>()
  readonly #open = new Map<string, Taken>()
  readonly #ended = new Map<string, Taken>()

  /** Keeps `max` accounts in memory, and more only while they have requests under way or writes to come. */
  constructor(disk: Disk, max: number) {
    this.#disk = disk
    this.#max = max
  }

  get size(): number {
    return this.#standings.size
  }

  of(account: string): Standing {
    return this.#standings.get(account) ?? withoutHolds(this.#disk.read(account) ?? newStanding)
  }

  find(requestId: string): Taken | undefined {
    return this.#open.get(requestId) ?? this.#ended.get(requestId)
  }

  take(taken: Taken): void {
    const { hold } = taken
    this.#open.set(hold.requestId, taken)
    this.#put(hold.account, take(this.of(hold.account), hold))
  }

  /** Ends a hold at its charge. A hold that is not open, because a process before this one took it, is charged all the same. */
  charge(hold: Hold, charge: Charge, at: EpochMs): void {
    if (!this.release(hold, charge, at)) this.#put(hold.account, chargeLost(this.of(hold.account), hold, charge, at))
  }

  /** Ends a hold at its charge; false, and nothing changed, when it is not open. */
  release({ requestId }: Hold, charge: Charge, at: EpochMs): boolean {
    const taken = this.#open.get(requestId)
    if (!taken) return false
    this.#open.delete(requestId)
    this.#remember(requestId, taken)
    this.#put(taken.hold.account, release(this.of(taken.hold.account), taken.hold, charge, at))
    return true
  }

  #remember(requestId: string, taken: Taken): void {
    this.#ended.set(requestId, taken)
    const [oldest] = this.#ended.keys()
    if (oldest !== undefined && this.#ended.size > ENDED_MAX) this.#ended.delete(oldest)
  }

  #put(account: string, standing: Standing): void {
    this.#standings.set(account, standing)
    this.#forgetSome()
  }

  /** Forgets accounts at rest, the oldest first; those still at work go to the end of the line. */
  #forgetSome(): void {
    let looks = LOOKS
    for (const [account, standing] of this.#standings) {
      if (this.#standings.size <= this.#max || looks-- === 0) return
      this.#standings.delete(account)
      if (standing.open > 0 || !this.#disk.isWritten(account)) this.#standings.set(account, standing)
    }
  }
}

/**
 * Holds live in memory, so what a standing on disk says of them belongs to a process that is gone: they bought
 * nothing that can still be learned. Charging them at their last checkpoint comes with checkpoints.
 */
function withoutHolds(standing: Standing): Standing {
  const spend = Object.entries(standing.spend).map(([window, { used }]) => [window, { used, held: 0 }])
  return { ...standing, open: 0, spend: Object.fromEntries(spend) }
}

/** A charge whose hold went with an earlier process: nothing is given back, since nothing of it is held here. */
function chargeLost(standing: Standing, hold: Hold, charge: Charge, at: EpochMs): Standing {
  const tokens = Math.max(charge.tokens, hold.tokens)
  const charged = release(standing, { ...hold, cost: 0 }, { ...charge, tokens }, at)
  return { ...charged, open: standing.open }
}
