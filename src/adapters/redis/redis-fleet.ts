import type { FileText } from '../../config/settings.ts'
import {
  type DrainedPlace,
  type FleetChange,
  type FleetState,
  type FleetStore,
  inOrder,
  type Member,
} from '../../gateway/store/fleet-store.ts'
import type { Millis } from '../../policy/config.ts'
import type { Access } from './access.ts'
import { FLEET } from './layout.ts'

/** What gateways know of each other, all in one bucket. */
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

  async setDrained(place: DrainedPlace, drained: boolean): Promise<void> {
    const keys = [this.#access.layout.fleet.drained]
    await this.#access.control(FLEET, 'drain', keys, [drained ? 'drain' : 'undrain', placeText(place)])
  }

  async setChange(next: FleetChange, expected: FleetChange | undefined, files?: readonly FileText[]): Promise<boolean> {
    const values = [expected ? JSON.stringify(expected) : '', JSON.stringify(next), files ? JSON.stringify(files) : '']
    const [outcome] = await this.#access.control(FLEET, 'changeFleet', [this.#access.layout.fleet.change], values)
    return outcome === 'done'
  }

  async readChangeFiles(id: string): Promise<readonly FileText[] | undefined> {
    const { find, layout } = this.#access
    const { change } = layout.fleet
    return find(change, async ({ client }) => {
      const [head, files] = await client.hmGet(change, ['head', 'files'])
      if (!head || !files || JSON.parse(head).id !== id) return undefined
      return JSON.parse(files) as readonly FileText[]
    })
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

/** The fields in an order of their own, so that a place has one name. */
export const placeText = ({ pool, replica }: DrainedPlace): string =>
  JSON.stringify({ pool, ...(replica && { replica }) })

const placeIn = (text: string): DrainedPlace => JSON.parse(text) as DrainedPlace
