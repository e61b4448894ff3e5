import type { Settings } from '../../config/settings.ts'
import { Roster } from '../../gateway/lifetimes.ts'
import type { Denial } from '../../policy/denial.ts'

/** Whose bytes they are. Of a request that says nothing of an account, the address is what counts. */
export interface Holder {
  readonly account?: string | undefined
  readonly address: string
}

/** Without a word in the files: more than this is a choice to be made. */
const MOST_BYTES = 256_000_000

/**
 * The most that bodies in flight may take together in this process, where the gateway may use so much memory. Of several
 * processes each has a share, in which there is room for one account with the largest body.
 */
export function bodyMemoryBytes({ limits }: Pick<Settings, 'limits'>, memoryBytes: number, processes = 1): number {
  const { bodyMemoryBytes: written, bodyBytes } = limits
  const least = 2 * bodyBytes
  const all = written ?? Math.max(least, Math.min(memoryBytes / 4, MOST_BYTES))
  return processes === 1 ? all : Math.max(least, all / processes)
}

/** To collect less than this would cost more than it brings. */
const MUCH_BYTES = 64_000_000

/** No account and no address may have more of the total than this, however little of it others use. */
const SHARE = 1 / 2

/** The bodies of one account, or of requests from one address that say nothing of an account. */
interface Owner {
  bytes: number
  /** Bodies that are not complete yet. */
  readonly arriving: Roster<HeldBody>
}

/**
 * Counts the bytes of all bodies that are kept in memory: as they come, not as they are announced. When there is no room
 * for more, the account with the most bytes loses a body that has not arrived yet; an account with few never does.
 */
export class BodyMemory {
  readonly #limit: () => number
  readonly #emptied: () => void
  /** The most since it was empty. */
  #peak = 0
  readonly #owners = new Map<string, Owner>()
  readonly #addresses = new Map<string, number>()
  #total = 0

  /**
   * `limit` is how many bytes of all bodies there may be now. `emptied` runs when little is left where there was much: an
   * idle process collects no garbage, and would keep it all.
   */
  constructor(limit: () => number, emptied: () => void = () => {}) {
    this.#limit = limit
    this.#emptied = emptied
  }

  /** Bytes that are kept now. */
  get total(): number {
    return this.#total
  }

  get isNearlyEmpty(): boolean {
    return this.#total <= MUCH_BYTES / 8
  }

  /** A body of which nothing has come yet. */
  open(holder: Holder): HeldBody {
    return new HeldBody(this, holder)
  }

  /** Counts more bytes of a body, and may refuse this one or another. */
  add(body: HeldBody, bytes: number): void {
    const { owner: name, address } = body
    const owner = this.#owners.get(name) ?? { bytes: 0, arriving: new Roster() }
    this.#owners.set(name, owner)
    const isFirst = body.bytes === bytes
    if (isFirst) owner.arriving.add(body)
    owner.bytes += bytes
    const ofAddress = (this.#addresses.get(address) ?? 0) + bytes
    this.#addresses.set(address, ofAddress)
    this.#total += bytes
    this.#peak = Math.max(this.#peak, this.#total)
    const limit = this.#limit()
    const share = limit * SHARE
    if (owner.bytes > share) body.refuse(TOO_MUCH.account)
    else if (ofAddress > share) body.refuse(TOO_MUCH.address)
    else this.#refuseLargestAbove(limit)
  }

  /** Nothing more of it will come, so that it is not refused any more. */
  complete(body: HeldBody): void {
    this.#owners.get(body.owner)?.arriving.remove(body)
  }

  release(body: HeldBody): void {
    const { owner: name, address, bytes } = body
    const owner = this.#owners.get(name)
    if (!owner) return
    owner.arriving.remove(body)
    owner.bytes -= bytes
    if (owner.bytes === 0 && owner.arriving.size === 0) this.#owners.delete(name)
    const left = (this.#addresses.get(address) ?? 0) - bytes
    if (left > 0) this.#addresses.set(address, left)
    else this.#addresses.delete(address)
    this.#total -= bytes
    if (this.#peak < MUCH_BYTES || !this.isNearlyEmpty) return
    this.#peak = this.#total
    this.#emptied()
  }

  #refuseLargestAbove(limit: number): void {
    while (this.#total > limit) {
      const arriving = [...this.#owners.values()].filter(({ arriving }) => arriving.size > 0)
      const most = largestOf(arriving)
      const largest = most && largestOf(most.arriving.all)
      // All that is kept is complete, and is being served.
      if (!largest) return
      largest.refuse(TOO_MUCH.gateway)
    }
  }
}

function largestOf<T extends { readonly bytes: number }>(all: Iterable<T>): T | undefined {
  let largest: T | undefined
  for (const each of all) if (each.bytes > (largest?.bytes ?? 0)) largest = each
  return largest
}

const TOO_MUCH = {
  account: { code: 'OVERLOADED', of: 'account_bodies' },
  address: { code: 'OVERLOADED', of: 'address_bodies' },
  gateway: { code: 'OVERLOADED', of: 'bodies' },
} as const satisfies Record<string, Denial>

/** What is kept of one body. */
export class HeldBody {
  /** Among the bodies of its owner that arrive. */
  place = -1
  bytes = 0
  /** Under which its bytes are counted. */
  readonly owner: string
  readonly address: string
  /** Set once it was refused. */
  denial: Denial | undefined
  /** Hears that it was refused, once. */
  onRefused: (denial: Denial) => void = () => {}
  /** Hears of more bytes. */
  onAdded: (bytes: number) => void = () => {}
  readonly #memory: BodyMemory
  #isOver = false

  constructor(memory: BodyMemory, { account, address }: Holder) {
    this.#memory = memory
    this.owner = account ?? address
    this.address = address
  }

  /** More of it came. */
  add(bytes: number): void {
    if (this.#isOver) return
    this.bytes += bytes
    this.onAdded(bytes)
    this.#memory.add(this, bytes)
  }

  /** All of it came. */
  complete(): void {
    this.#memory.complete(this)
  }

  refuse(denial: Denial): void {
    this.release()
    this.denial = denial
    this.onRefused(denial)
  }

  /** It is not kept any longer. */
  release(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#memory.release(this)
  }
}
