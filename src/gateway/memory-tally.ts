/** The owner of some bytes. A request that names no account counts for its address. */
export interface Holder {
  readonly account?: string | undefined
  readonly address: string
}

/** The account of a holder, or what stands for it. */
export const ownerOf = ({ account, address }: Holder): string => account ?? address

/** Collecting garbage costs more than it frees below this size. */
const MUCH_BYTES = 64_000_000

/** Counts bytes in memory: in all, of each account and of each address. */
export class MemoryTally {
  readonly #emptied: () => void
  readonly #owners = new Map<string, number>()
  readonly #addresses = new Map<string, number>()
  #total = 0
  /** The most since it was empty. */
  #peak = 0

  /**
   * `emptied` runs when little is left where there was much: an idle process collects no garbage, and would keep it all.
   */
  constructor(emptied: () => void = () => {}) {
    this.#emptied = emptied
  }

  get total(): number {
    return this.#total
  }

  get isNearlyEmpty(): boolean {
    return this.#total <= MUCH_BYTES / 8
  }

  ofOwner(owner: string): number {
    return this.#owners.get(owner) ?? 0
  }

  ofAddress(address: string): number {
    return this.#addresses.get(address) ?? 0
  }

  /** Counts more bytes of an owner, or fewer where `bytes` is negative. */
  add({ owner, address }: { readonly owner: string; readonly address: string }, bytes: number): void {
    change(this.#owners, owner, bytes)
    change(this.#addresses, address, bytes)
    this.#total += bytes
    this.#peak = Math.max(this.#peak, this.#total)
    if (bytes >= 0 || this.#peak < MUCH_BYTES || !this.isNearlyEmpty) return
    this.#peak = this.#total
    this.#emptied()
  }
}

function change(counts: Map<string, number>, name: string, bytes: number): void {
  const left = (counts.get(name) ?? 0) + bytes
  if (left > 0) counts.set(name, left)
  else counts.delete(name)
}
