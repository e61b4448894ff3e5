import type { EpochMs, Millis } from '../../policy/config.ts'
import { newStanding, type Spend, type Standing } from '../../policy/standing.ts'

/** Accounts looked at when one too many is in memory, so that no single request pays for all of them. */
const LOOKS = 8
/** Spend of windows that began longer ago is in the totals. */
const SPEND_KEPT_MS: Millis = 100 * 86_400_000

interface Disk {
  read(account: string): Standing | undefined
  /** Whether the disk has what the memory has. */
  isWritten(account: string): boolean
}

/** Standings of accounts: in memory, because admission must not wait. All of it is synchronous. */
export class Standings {
  readonly #disk: Disk
  readonly #max: number
  readonly #standings = new Map<string, Standing>()

  /** Keeps `max` accounts in memory, and more only while they have requests under way or writes to come. */
  constructor(disk: Disk, max: number) {
    this.#disk = disk
    this.#max = max
  }

  get size(): number {
    return this.#standings.size
  }

  /** An account with requests under way is in memory, so one that is read has none. */
  of(account: string): Standing {
    return this.#standings.get(account) ?? withoutHolds(this.#disk.read(account) ?? newStanding)
  }

  put(account: string, standing: Standing, at: EpochMs): void {
    this.#standings.set(account, withoutPast(standing, at - SPEND_KEPT_MS))
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

/** Holds are records of their own; what a standing on disk says of them may be older or newer than those. */
function withoutHolds(standing: Standing): Standing {
  const spend = Object.entries(standing.spend).map(([window, { used }]) => [window, { used, held: 0 }])
  return { ...standing, open: 0, spend: Object.fromEntries(spend) }
}

/** Without the windows that began before `oldest`, but for those that hold something. */
function withoutPast(standing: Standing, oldest: EpochMs): Standing {
  for (const window in standing.spend) {
    if (!isKept(window, standing.spend[window], oldest)) {
      const kept = Object.entries(standing.spend).filter(([window, spend]) => isKept(window, spend, oldest))
      return { ...standing, spend: Object.fromEntries(kept) }
    }
  }
  return standing
}

const isKept = (window: string, spend: Spend | undefined, oldest: EpochMs): boolean =>
  Number(window) >= oldest || (spend?.held ?? 0) > 0
