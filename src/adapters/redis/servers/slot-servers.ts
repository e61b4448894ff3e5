import type { EpochMs } from '../../../policy/config.ts'

/** The slots of one server. */
export interface ServerSlots {
  readonly server: string
  readonly slots: ReadonlySet<number>
}

/** The server of each slot as it was when it was last verified, and when a slot changed its server. */
export class SlotServers {
  readonly #servers = new Map<number, string>()
  readonly #movedAt = new Map<number, EpochMs>()

  /** Undefined before a server of the slot was verified. */
  of(slot: number): string | undefined {
    return this.#servers.get(slot)
  }

  /** False as long as every slot is where it was first: nearly always. */
  get hasMoves(): boolean {
    return this.#movedAt.size > 0
  }

  /** When the slot last moved to another server; undefined if it never did. */
  movedAt(slot: number): EpochMs | undefined {
    return this.#movedAt.get(slot)
  }

  /** Those of these slots that another server had before. */
  takenOver(server: string, slots: ReadonlySet<number>): ReadonlySet<number> {
    return new Set([...slots].filter(slot => (this.#servers.get(slot) ?? server) !== server))
  }

  /** Those of these slots that no server was known to have. */
  unknown(slots: ReadonlySet<number>): ReadonlySet<number> {
    return new Set([...slots].filter(slot => !this.#servers.has(slot)))
  }

  noteMove(slots: ReadonlySet<number>, at: EpochMs): void {
    for (const slot of slots) this.#movedAt.set(slot, at)
  }

  assign(server: string, slots: ReadonlySet<number>): void {
    for (const slot of slots) this.#servers.set(slot, server)
  }

  /** Each server with its slots. */
  all(): readonly ServerSlots[] {
    const slots = new Map<string, Set<number>>()
    for (const [slot, server] of this.#servers) {
      const own = slots.get(server)
      if (own) own.add(slot)
      else slots.set(server, new Set([slot]))
    }
    return [...slots].map(([server, own]) => ({ server, slots: own }))
  }

  /** Whether a server has any of the slots. */
  has(server: string): boolean {
    for (const each of this.#servers.values()) if (each === server) return true
    return false
  }

  /** The names of all servers. */
  names(): ReadonlySet<string> {
    return new Set(this.#servers.values())
  }
}
