import { waits } from '../../gateway/store/notice.ts'
import {
  type Added,
  MOST_WAITING,
  type NoticeStore,
  type Progress,
  placeOfNotice,
  type WaitingNotice,
} from '../../gateway/store/notice-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Crossing } from '../../policy/notices.ts'
import type { Notice } from '../../records/notice.ts'
import { padded, ROW, ROW_END, trimMarks } from './crossings.ts'
import type { Records } from './records.ts'
import type { StoreState } from './store-state.ts'

/** Notices in the files of a store that one gateway owns. */
export class EmbeddedNotices implements NoticeStore {
  readonly #state: () => StoreState

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  /** One process has the files. */
  async lease(): Promise<boolean> {
    this.#state()
    return true
  }

  async release(): Promise<void> {}

  async readCrossings(most: number): Promise<readonly Crossing[]> {
    const { records, writer } = this.#state()
    await writer.filed()
    const rows = records.notices.getRange({ start: ROW, end: ROW_END, limit: most })
    return Array.from(rows, ({ value }) => JSON.parse(value) as Crossing)
  }

  async removeCrossings(crossings: readonly Crossing[]): Promise<void> {
    const { records, crossings: state } = this.#state()
    const { notices } = records
    const removed = await records.change(
      () => {
        const known = crossings.map(rowKey).filter(key => notices.doesExist(key))
        for (const key of known) notices.remove(key)
        return known.length
      },
      { records: crossings.length },
    )
    state.removed(removed)
  }

  async add(added: readonly Notice[]): Promise<Added> {
    const { records } = this.#state()
    return records.change(() => addTo(records.notices, added), { records: 3 * added.length })
  }

  async readProgress(watcher: string): Promise<string | undefined> {
    return this.#state().records.notices.get(progressOf(watcher))
  }

  async advance({ watcher, before, after }: Progress, added: readonly Notice[]): Promise<boolean> {
    const { records } = this.#state()
    const { notices } = records
    return records.change(
      () => {
        const isExpected = notices.get(progressOf(watcher)) === before
        if (!isExpected || countOf(notices) + added.length > MOST_WAITING) return false
        notices.put(progressOf(watcher), after)
        addTo(notices, added)
        return true
      },
      { records: 1 + 3 * added.length },
    )
  }

  async write(written: readonly Notice[], again = false): Promise<void> {
    const { records } = this.#state()
    const { notices } = records
    await records.change(
      () => {
        for (const notice of written) {
          if (!notices.doesExist(noteKey(notice.id))) continue
          put(notices, notice)
          if (!waits(notice)) stopWaiting(notices, notice.id)
          else if (again) wait(notices, notice.id)
        }
      },
      { records: 4 * written.length },
    )
  }

  async readWaiting(most: number, after?: number): Promise<readonly WaitingNotice[]> {
    const { notices } = this.#state().records
    const start = after === undefined ? WAIT : `${WAIT}${padded(after + 1)}`
    return Array.from(notices.getRange({ start, end: WAIT_END, limit: most })).flatMap(({ key, value: id }) => {
      const notice = read(notices, id)
      return notice ? [{ number: numberIn(key), notice }] : []
    })
  }

  async countWaiting(): Promise<number> {
    return countOf(this.#state().records.notices)
  }

  async find(id: string): Promise<Notice | undefined> {
    return read(this.#state().records.notices, id)
  }

  async readNewest(most: number, before?: string): Promise<readonly Notice[]> {
    const { notices } = this.#state().records
    const start = before === undefined ? ORDER_END : ORDER + before
    const places = notices.getRange({ start, end: ORDER, reverse: true, limit: most + 1 })
    return Array.from(places)
      .filter(({ key }) => key !== start)
      .slice(0, most)
      .flatMap(({ value: id }) => read(notices, id) ?? [])
  }

  async trim(before: EpochMs, most: number): Promise<number> {
    const { records, now } = this.#state()
    const { notices } = records
    const at = now()
    const surplus = notices.getKeysCount({ start: ORDER, end: ORDER_END }) - most
    return records.change(
      () => {
        trimMarks(records, at)
        const oldest = Array.from(notices.getRange({ start: ORDER, end: ORDER_END, limit: TRIMMED_AT_ONCE }))
        const old = oldest.filter(({ key }, place) => Number(key.split(' ')[1]) < before || place < surplus)
        const over = old.filter(({ value: id }) => !notices.doesExist(waitOf(id)))
        for (const { key, value: id } of over) {
          notices.remove(key)
          notices.remove(noteKey(id))
        }
        return over.length
      },
      { records: 3 * TRIMMED_AT_ONCE },
    )
  }
}

type Table = Records['notices']

const read = (notices: Table, id: string): Notice | undefined => {
  const text = notices.get(noteKey(id))
  return text === undefined ? undefined : (JSON.parse(text) as Notice)
}

// Only within a transaction, from here on.

function addTo(notices: Table, added: readonly Notice[]): Added {
  let waiting = countOf(notices)
  const full: string[] = []
  const fresh = added.filter(({ id }) => !notices.doesExist(noteKey(id)))
  for (const notice of fresh) {
    if (waits(notice) && waiting >= MOST_WAITING) full.push(notice.id)
    else {
      put(notices, notice)
      if (!waits(notice)) continue
      wait(notices, notice.id)
      waiting++
    }
  }
  return { added: fresh.length - full.length, full }
}

function put(notices: Table, notice: Notice): void {
  notices.put(noteKey(notice.id), JSON.stringify(notice))
  notices.put(ORDER + placeOfNotice(notice), notice.id)
}

/** Numbers never come again, so that a reader who knows the last one finds what came since. */
function wait(notices: Table, id: string): void {
  stopWaiting(notices, id)
  const number = Number(notices.get(LAST) ?? 0) + 1
  notices.put(LAST, String(number))
  notices.put(`${WAIT}${padded(number)}`, id)
  notices.put(waitOf(id), String(number))
}

function stopWaiting(notices: Table, id: string): void {
  const number = notices.get(waitOf(id))
  if (number === undefined) return
  notices.remove(`${WAIT}${padded(Number(number))}`)
  notices.remove(waitOf(id))
}

const countOf = (notices: Table): number => notices.getKeysCount({ start: WAIT, end: WAIT_END })

const numberIn = (key: string): number => Number(key.slice(WAIT.length))
const rowKey = ({ name, percent }: Crossing): string => `${ROW}${name} ${percent}`
const noteKey = (id: string): string => `note ${id}`
const waitOf = (id: string): string => `waits ${id}`
const progressOf = (watcher: string): string => `progress ${watcher}`

/** Where keys begin: places in the order of time, and numbers of those that wait. */
const ORDER = 'order '
const ORDER_END = 'order!'
const WAIT = 'wait '
const WAIT_END = 'wait!'
/** The number of the last notice that began to wait. */
const LAST = 'last'

const TRIMMED_AT_ONCE = 128
