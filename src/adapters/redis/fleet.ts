import { randomUUID } from 'node:crypto'
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
import type { Millis } from '../../policy/config.ts'
import type { ShareElsewhere, SlotGrant, SlotReport, Standing } from '../../policy/queue/shared-slots.ts'
import type { QueueHead } from '../../policy/queue/virtual-time.ts'
import type { Member } from '../../wire/admin/fleet.ts'
import type { Access } from './access.ts'
import { FLEET } from './layout.ts'

/** The gateways' knowledge of each other, all in one bucket. */
export class RedisFleet implements FleetStore {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  announce(member: Member, lease: Millis): Promise<FleetState> {
    return this.#state('announce', [member.id, lease, JSON.stringify(member)])
  }

  async leave(id: string): Promise<void> {
    await this.#state('leave', [id])
  }

  read(): Promise<FleetState> {
    return this.#state('read', [])
  }

  /** Compares the last change of the place: of two at once the second reads again. */
  async setDrained(place: DrainedPlace, drained: boolean): Promise<void> {
    const { ask, control, layout } = this.#access
    const keys = [layout.fleet.drained, layout.fleet.drains]
    const text = placeText(place)
    for (;;) {
      const last = await ask(layout.fleet.drains, client => client.hGet(layout.fleet.drains, text))
      const values = [drained ? 'drain' : 'undrain', text, last ?? '', randomUUID()]
      const [outcome] = await control(FLEET, 'drain', keys, values)
      if (outcome !== 'changed') return
    }
  }

  async setChange(next: FleetChange, expected: FleetChange | undefined, content?: ChangeContent): Promise<boolean> {
    const heads = [expected ? JSON.stringify(expected) : '', JSON.stringify(next)]
    const [id, other = ''] = contentKept(next)
    const values = [...heads, content ? JSON.stringify(content) : '', id ?? '', other]
    const [outcome] = await this.#access.control(FLEET, 'changeFleet', [this.#access.layout.fleet.change], values)
    return outcome !== 'changed'
  }

  readCanaries(): Promise<Readonly<Record<string, string>>> {
    const { ask, layout } = this.#access
    const { canaries } = layout.fleet
    return ask(canaries, async client => ({ ...(await client.hGetAll(canaries)) }))
  }

  async setCanary(name: string, next: string | undefined, expected: string | undefined): Promise<boolean> {
    const { canaries } = this.#access.layout.fleet
    const [outcome] = await this.#access.script(FLEET, 'canary', [canaries], [name, expected ?? '', next ?? ''])
    return outcome === 'done'
  }

  async cacheSeed(fresh: string): Promise<string> {
    const { ask, layout } = this.#access
    return ask(layout.meta, async client => {
      await client.hSetNX(layout.meta, SEED, fresh)
      return (await client.hGet(layout.meta, SEED)) ?? fresh
    })
  }

  async readChange(id: string): Promise<ChangeContent | undefined> {
    const { find, layout } = this.#access
    const { change } = layout.fleet
    const text = await find(change, ({ client }) => client.hGet(change, `content:${id}`))
    return text === undefined ? undefined : (JSON.parse(text) as ChangeContent)
  }

  /** One round trip. The stream is bounded, and goes by itself where gateways have nothing to say any more. */
  async passNews({ from, text, after }: PassedNews): Promise<HeardNews> {
    const { ask, layout } = this.#access
    const { news } = layout.fleet
    return ask(news, async client => {
      const adding: readonly Promise<unknown>[] =
        text === undefined
          ? []
          : [
              client.sendCommand(['XADD', news, 'MAXLEN', NEWS_KEPT, '*', 'from', from, 'text', text]),
              client.sendCommand(['PEXPIRE', news, NEWS_MS]),
            ]
      const reading = client.sendCommand(['XREAD', 'COUNT', NEWS_READ, 'STREAMS', news, after || '0'])
      const [reply, added] = await Promise.all([reading, ...adding])
      const entries = entriesIn(reply)
      // The stream began anew, at a server whose clock is behind.
      const isBehind = typeof added === 'string' && isBefore(added, after)
      const last = isBehind ? added : (entries.at(-1)?.id ?? after)
      return { texts: entries.filter(each => each.from !== from).map(({ from, text }) => ({ from, text })), last }
    })
  }

  /** One round trip. The state expires once nobody reports. */
  async shareSlots(pool: string, report: SlotReport, lease: Millis): Promise<SlotGrant> {
    const { holders, accounts } = this.#access.layout.slotsOf(pool)
    const reply = await this.#access.script(FLEET, 'shareSlots', [holders, accounts], slotWords(report, lease))
    const [, granted = '0', held = '0', virtual = '0', top = '', risen = '', tag = '', step = '', ...standings] = reply
    return {
      granted: Number(granted),
      held: Number(held),
      virtual: Number(virtual),
      ...(top && { ahead: headOf(top, risen, tag, step) }),
      standings: report.accounts.map((_, index) => standingOf(standings[2 * index], standings[2 * index + 1])),
      ...(report.shares && { shares: usesIn(standings.slice(2 * report.accounts.length), report.shares.length) }),
    }
  }

  async #state(verb: 'announce' | 'leave' | 'read', values: readonly (string | number)[]): Promise<FleetState> {
    const { members, drained, change } = this.#access.layout.fleet
    const reply = await this.#access.script(FLEET, 'announce', [members, drained, change], [verb, ...values])
    const [, at, head, count = '0', ...texts] = reply
    const known = texts.slice(0, Number(count)).map(text => JSON.parse(text) as Member)
    return {
      at: Number(at),
      members: inOrder(known),
      drained: texts.slice(Number(count)).map(text => placeIn(text)),
      ...(head && { change: JSON.parse(head) as FleetChange }),
    }
  }
}

const headOf = (top: string, risen: string, tag: string, step: string): QueueHead => ({
  top: Number(top),
  risen: Number(risen),
  tag: Number(tag),
  step: Number(step),
})

const standingOf = (finish: string | undefined, floor: string | undefined): Standing => ({
  ...(finish && { finish: Number(finish) }),
  ...(floor && { floor: Number(floor) }),
})

/** The slots and requests that owners of so many shares have elsewhere. */
const usesIn = (words: readonly string[], count: number): readonly ShareElsewhere[] =>
  Array.from({ length: count }, (_, index) => ({
    held: Number(words[2 * index]),
    waiting: Number(words[2 * index + 1]),
  }))

/** A report as `redis/fleet/slots.lua` reads it. */
function slotWords(report: SlotReport, lease: Millis): readonly (string | number)[] {
  const { holder, round, max, held, waiting, head, charges, accounts, shares = [] } = report
  const first = head ? [head.top, head.risen, head.tag, head.step, head.weight, head.lastTag] : Array(6).fill('')
  return [
    ...[holder, lease, round, max, held, waiting, ...first, charges.length],
    ...charges.flatMap(({ account, ...of }) => [account, of.floor, of.work, of.weight, of.waits ? 1 : 0, of.round]),
    shares.length,
    ...shares.flatMap(({ owner, slots, ...of }) => [owner, slots, of.held, of.waiting]),
    ...accounts.flatMap(({ account, floor }) => [account, floor ?? '']),
  ]
}

interface Entry {
  readonly id: string
  readonly from: string
  readonly text: string
}

/** The entries in an answer to XREAD of one stream. */
function entriesIn(reply: unknown): readonly Entry[] {
  const [stream] = (reply ?? []) as readonly (readonly [string, readonly (readonly [string, readonly string[]])[]])[]
  return (stream?.[1] ?? []).map(([id, [, from = '', , text = '']]) => ({ id, from, text }))
}

/** Whether one id of a stream comes before another. */
function isBefore(id: string, other: string): boolean {
  const [time = 0, count = 0] = id.split('-').map(Number)
  const [otherTime = 0, otherCount = 0] = other.split('-').map(Number)
  return time < otherTime || (time === otherTime && count < otherCount)
}

/** Entries that the stream keeps, those that are read at once, and how long it stays without a new one. */
const NEWS_KEPT = '256'
const NEWS_READ = '64'
const NEWS_MS = '60000'

/** The field of the store's identity that has it. */
const SEED = 'cache_seed'

/** The fields in an order of their own, so that a place has one name. */
export const placeText = ({ pool, replica }: DrainedPlace): string =>
  JSON.stringify({ pool, ...(replica && { replica }) })

const placeIn = (text: string): DrainedPlace => JSON.parse(text) as DrainedPlace
