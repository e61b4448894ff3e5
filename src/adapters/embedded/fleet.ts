import {
  type ChangeContent,
  contentKept,
  type DrainedPlace,
  type FleetChange,
  type FleetState,
  type FleetStore,
  type HeardNews,
  inOrder,
  type PassedNews,
} from '../../gateway/store/fleet-store.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { SharedSlots, type SlotGrant, type SlotReport } from '../../policy/queue/shared-slots.ts'
import type { Member } from '../../wire/admin/fleet.ts'
import type { Records } from './records.ts'
import type { StoreState } from './store-state.ts'

/** The fleet of a store that one gateway owns. Who is there is kept in memory, and forgotten at its end. */
export class EmbeddedFleet implements FleetStore {
  readonly #state: () => StoreState
  readonly #slots = new Map<string, SharedSlots>()
  readonly #members = new Map<string, { readonly member: Member; readonly until: EpochMs }>()

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  async announce(member: Member, lease: Millis): Promise<FleetState> {
    this.#members.set(member.id, { member, until: this.#state().now() + lease })
    return this.read()
  }

  async leave(id: string): Promise<void> {
    this.#state()
    this.#members.delete(id)
  }

  async read(): Promise<FleetState> {
    const { records, now } = this.#state()
    const at = now()
    const members = [...this.#members.values()].flatMap(({ member, until }) => (until > at ? [member] : []))
    const change = changeIn(records)
    return { at, members: inOrder(members), drained: drainedIn(records), ...(change && { change }) }
  }

  async setDrained(place: DrainedPlace, drained: boolean): Promise<void> {
    const { records } = this.#state()
    const others = drainedIn(records).filter(each => each.pool !== place.pool || each.replica !== place.replica)
    const next = JSON.stringify(drained ? [...others, place] : others)
    await records.change(() => records.fleet.put('drained', next))
  }

  async setChange(next: FleetChange, expected: FleetChange | undefined, content?: ChangeContent): Promise<boolean> {
    const { records } = this.#state()
    const { fleet } = records
    return records.change(() => {
      if (fleet.get('change') !== (expected && JSON.stringify(expected))) return false
      fleet.put('change', JSON.stringify(next))
      if (content) fleet.put(contentKey(next.id), JSON.stringify(content))
      const kept = contentKept(next).map(contentKey)
      for (const key of [...fleet.getKeys({ start: CONTENT, end: `${CONTENT}\uffff` })])
        if (!kept.includes(key)) fleet.remove(key)
      return true
    })
  }

  async readCanaries(): Promise<Readonly<Record<string, string>>> {
    const { fleet } = this.#state().records
    const range = fleet.getRange({ start: CANARY, end: `${CANARY}\uffff` })
    return Object.fromEntries([...range].map(({ key, value }) => [String(key).slice(CANARY.length), value]))
  }

  async setCanary(name: string, next: string | undefined, expected: string | undefined): Promise<boolean> {
    const { records } = this.#state()
    const { fleet } = records
    return records.change(() => {
      if (fleet.get(CANARY + name) !== expected) return false
      if (next === undefined) fleet.remove(CANARY + name)
      else fleet.put(CANARY + name, next)
      return true
    })
  }

  async cacheSeed(fresh: string): Promise<string> {
    const { records } = this.#state()
    const { fleet } = records
    return (
      fleet.get(SEED) ??
      records.change(() => {
        const known = fleet.get(SEED)
        if (known === undefined) fleet.put(SEED, fresh)
        return known ?? fresh
      })
    )
  }

  async readChange(id: string): Promise<ChangeContent | undefined> {
    const text = this.#state().records.fleet.get(contentKey(id))
    return text === undefined ? undefined : (JSON.parse(text) as ChangeContent)
  }

  /** There is no other gateway. */
  async passNews({ after }: PassedNews): Promise<HeardNews> {
    this.#state()
    return { texts: [], last: after }
  }

  /** Workers share what is in the memory of the store process. */
  async shareSlots(pool: string, report: SlotReport, lease: Millis): Promise<SlotGrant> {
    const now = this.#state().now()
    const slots = this.#slots.get(pool) ?? new SharedSlots()
    const grant = slots.exchange(report, lease, now)
    if (slots.isIdle) this.#slots.delete(pool)
    else this.#slots.set(pool, slots)
    return grant
  }
}

const SEED = 'cache-seed'
const CONTENT = 'content:'
const CANARY = 'canary:'
const contentKey = (id: string): string => CONTENT + id

function changeIn({ fleet }: Records): FleetChange | undefined {
  const text = fleet.get('change')
  return text === undefined ? undefined : (JSON.parse(text) as FleetChange)
}

const drainedIn = ({ fleet }: Records): readonly DrainedPlace[] =>
  JSON.parse(fleet.get('drained') ?? '[]') as readonly DrainedPlace[]
