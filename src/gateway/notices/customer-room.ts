import type { Delivery, Notice } from '../../records/notice.ts'
import { MOST_WAITING } from '../store/notice-store.ts'
import { accountTarget } from './customers.ts'

/**
 * How many more deliveries to customers may wait: so many at one target of an account, and a half of the room at those of all,
 * so that operators hear of their limits whatever customers leave waiting.
 */
export class CustomerRoom {
  readonly #byTarget = new Map<string, number>()
  #notices = 0

  constructor(waiting: Iterable<Notice>) {
    for (const notice of waiting) this.#count(notice)
  }

  /** The notice, whose deliveries to customers have failed where there is no room for them. */
  admit(notice: Notice): Notice {
    const deliveries = notice.deliveries.map(delivery => this.#admitted(delivery))
    const admitted = { ...notice, deliveries }
    this.#count(admitted)
    return admitted
  }

  #admitted(delivery: Delivery): Delivery {
    const { target } = delivery
    if (!isOfCustomer(delivery)) return delivery
    if ((this.#byTarget.get(target) ?? 0) >= MOST_OF_TARGET)
      return { ...delivery, state: 'failed', error: `${MOST_OF_TARGET} notices wait there already` }
    if (this.#notices >= MOST_OF_CUSTOMERS)
      return { ...delivery, state: 'failed', error: `${MOST_OF_CUSTOMERS} notices to customers wait already` }
    return delivery
  }

  #count({ deliveries }: Notice): void {
    const own = deliveries.filter(isOfCustomer)
    for (const { target } of own) this.#byTarget.set(target, (this.#byTarget.get(target) ?? 0) + 1)
    if (own.length > 0) this.#notices++
  }
}

const isOfCustomer = ({ state, target }: Delivery): boolean =>
  state === 'waiting' && accountTarget(target) !== undefined

/** Notices that wait at one target of an account, at most. */
export const MOST_OF_TARGET = 200
/** Notices that wait for customers, at most. */
export const MOST_OF_CUSTOMERS = MOST_WAITING / 2
