import type { Settings } from '../../config/settings.ts'
import { Roster } from '../../gateway/lifetimes.ts'
import { type Holder, MemoryTally, ownerOf } from '../../gateway/memory-tally.ts'
import type { Denial } from '../../policy/denial.ts'

/** Without a word in the files: more than this is a choice to be made. */
const MOST_BYTES = 256_000_000

/**
 * The bytes that all bodies in flight may occupy in this process, given the memory that the gateway may use. Each of several
 * processes gets a share that fits one account with the largest body.
 */
export function bodyMemoryBytes({ limits }: Pick<Settings, 'limits'>, memoryBytes: number, processes = 1): number {
  const { bodyMemoryBytes: written, bodyBytes } = limits
  const least = 2 * bodyBytes
  const all = written ?? Math.max(least, Math.min(memoryBytes / 4, MOST_BYTES))
  return processes === 1 ? all : Math.max(least, all / processes)
}

/** No account and no address may have more of the total than this, however little of it others use. */
const SHARE = 1 / 2

/**
 * Counts the bytes of all bodies that are kept in memory: as they come, not as they are announced. When there is no room
 * for more, the account with the most bytes loses a body that has not arrived yet; an account with few never does.
 */
export class BodyMemory {
  readonly #limit: () => number
  readonly #tally: MemoryTally
  /** The bodies of each account that are not complete yet. */
  readonly #arriving = new Map<string, Roster<HeldBody>>()

  /** `limit` is how many bytes of all bodies there may be now; `emptied` is as in MemoryTally. */
  constructor(limit: () => number, emptied?: () => void) {
    this.#limit = limit
    this.#tally = new MemoryTally(emptied)
  }

  /** Bytes that are kept now. */
  get total(): number {
    return this.#tally.total
  }

  get isNearlyEmpty(): boolean {
    return this.#tally.isNearlyEmpty
  }

  /** A body of which nothing has come yet. */
  open(holder: Holder): HeldBody {
    return new HeldBody(this, holder)
  }

  /** Counts more bytes of a body, and may refuse this one or another. */
  add(body: HeldBody, bytes: number): void {
    const { owner, address } = body
    const arriving = this.#arriving.get(owner) ?? new Roster()
    this.#arriving.set(owner, arriving)
    if (body.bytes === bytes) arriving.add(body)
    this.#tally.add(body, bytes)
    const limit = this.#limit()
    const share = limit * SHARE
    if (this.#tally.ofOwner(owner) > share) body.refuse(TOO_MUCH.account)
    else if (this.#tally.ofAddress(address) > share) body.refuse(TOO_MUCH.address)
    else this.#refuseLargestAbove(limit)
  }

  /** Nothing more of it will come, so that it is not refused any more. */
  complete(body: HeldBody): void {
    this.#arriving.get(body.owner)?.remove(body)
  }

  release(body: HeldBody): void {
    const { owner, bytes } = body
    const arriving = this.#arriving.get(owner)
    if (!arriving) return
    arriving.remove(body)
    this.#tally.add(body, -bytes)
    if (this.#tally.ofOwner(owner) === 0 && arriving.size === 0) this.#arriving.delete(owner)
  }

  #refuseLargestAbove(limit: number): void {
    while (this.total > limit) {
      const owners = [...this.#arriving].map(([owner, arriving]) => ({ bytes: this.#tally.ofOwner(owner), arriving }))
      const most = largestOf(owners.filter(({ arriving }) => arriving.size > 0))
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

/** The memory held for one body. */
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

  constructor(memory: BodyMemory, holder: Holder) {
    this.#memory = memory
    this.owner = ownerOf(holder)
    this.address = holder.address
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
