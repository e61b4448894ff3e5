import { waits } from '../../gateway/store/notice.ts'
import {
  type Added,
  MOST_WAITING,
  type NoticeStore,
  type Progress,
  placeOfNotice,
  type WaitingNotice,
} from '../../gateway/store/notice-store.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { Crossing, NoticedLimit } from '../../policy/notices.ts'
import type { Notice } from '../../records/notice.ts'
import type { Access } from './access.ts'
import { BUCKETS, chunksOf, GATEWAYS } from './layout.ts'

/** Crossings in the buckets of accounts, beside what they are about, and all notices in one bucket. */
export class RedisNotices implements NoticeStore {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  async lease(holder: string, forMs: Millis): Promise<boolean> {
    const [outcome] = await this.#access.script(GATEWAYS, 'lease', [this.#keys.deliverer], [holder, forMs])
    return outcome === 'leased'
  }

  async release(holder: string): Promise<void> {
    await this.lease(holder, 0)
  }

  async readCrossings(most: number): Promise<readonly Crossing[]> {
    const { ask, layout } = this.#access
    const found: Crossing[] = []
    for (const page of chunksOf(BUCKETS, BUCKETS_AT_ONCE)) {
      const names = page.map(bucket => layout.bucket(bucket).crossings)
      const hashes = await Promise.all(names.map(name => ask(name, client => client.hGetAll(name))))
      for (const [at, hash] of hashes.entries())
        for (const [field, text] of Object.entries(hash)) found.push(crossingOf(field, text, names[at] ?? ''))
      if (found.length >= most) break
    }
    return found
  }

  async removeCrossings(crossings: readonly Crossing[]): Promise<void> {
    const { ask } = this.#access
    const byKey = new Map<string, string[]>()
    for (const { key, field } of crossings as readonly FoundCrossing[])
      byKey.set(key, [...(byKey.get(key) ?? []), field])
    for (const page of chunksOf([...byKey], BUCKETS_AT_ONCE))
      await Promise.all(page.map(([key, fields]) => ask(key, client => client.hDel(key, fields))))
  }

  async add(notices: readonly Notice[]): Promise<Added> {
    let added = 0
    const full: string[] = []
    for (const page of chunksOf(notices, NOTICES_AT_ONCE)) {
      const [, count, ...without] = await this.#write('add', page, 'waits')
      added += Number(count)
      full.push(...without)
    }
    return { added, full }
  }

  async write(notices: readonly Notice[], again = false): Promise<void> {
    for (const page of chunksOf(notices, NOTICES_AT_ONCE)) await this.#write('write', page, again ? 'again' : 'waits')
  }

  async readProgress(watcher: string): Promise<string | undefined> {
    const { progress } = this.#keys
    return (await this.#access.ask(progress, client => client.hGet(progress, watcher))) ?? undefined
  }

  async advance({ watcher, before = '', after }: Progress, notices: readonly Notice[]): Promise<boolean> {
    const [outcome] = await this.#write('advance', notices, 'waits', [watcher, before, after])
    return outcome === 'written'
  }

  async readWaiting(most: number, after?: number): Promise<readonly WaitingNotice[]> {
    const { ask } = this.#access
    const { waiting } = this.#keys
    const from = after === undefined ? '-inf' : `(${after}`
    const LIMIT = { offset: 0, count: most }
    const found = await ask(waiting, client => client.zRangeWithScores(waiting, from, '+inf', { BY: 'SCORE', LIMIT }))
    const notices = await this.#read(found.map(({ value }) => value))
    return found.flatMap(({ score }, at) => {
      const notice = notices[at]
      return notice ? [{ number: score, notice }] : []
    })
  }

  async countWaiting(): Promise<number> {
    const { waiting } = this.#keys
    return this.#access.ask(waiting, client => client.zCard(waiting))
  }

  async find(id: string): Promise<Notice | undefined> {
    return (await this.#read([id]))[0]
  }

  async readNewest(most: number, before?: string): Promise<readonly Notice[]> {
    const { ask } = this.#access
    const { order } = this.#keys
    const from = before === undefined ? '+' : `(${before}`
    const options = { BY: 'LEX', REV: true, LIMIT: { offset: 0, count: most } } as const
    const places = await ask(order, client => client.zRange(order, from, '-', options))
    return (await this.#read(places.map(idIn))).filter(notice => notice !== undefined)
  }

  async trim(before: EpochMs, most: number): Promise<number> {
    const { ask } = this.#access
    const { notices, order, waiting } = this.#keys
    let surplus = (await ask(order, client => client.zCard(order))) - most
    let removed = 0
    let from = '-'
    for (;;) {
      const LIMIT = { offset: 0, count: NOTICES_AT_ONCE }
      const page = await ask(order, client => client.zRange(order, from, '+', { BY: 'LEX', LIMIT }))
      const old = page.filter((place, at) => Number(place.slice(0, place.indexOf(' '))) < before || at < surplus)
      if (old.length === 0) return removed
      const scores = await ask(waiting, client => client.zmScore(waiting, old.map(idIn)))
      const over = old.filter((_, at) => scores[at] === null)
      if (over.length > 0) {
        await ask(order, client => Promise.all([client.hDel(notices, over.map(idIn)), client.zRem(order, over)]))
        removed += over.length
        surplus -= over.length
      }
      if (old.length < page.length || page.length < NOTICES_AT_ONCE) return removed
      from = `(${page.at(-1)}`
    }
  }

  get #keys() {
    return this.#access.layout.of(GATEWAYS).noticeList
  }

  #write(
    how: 'add' | 'write' | 'advance',
    notices: readonly Notice[],
    waiting: 'waits' | 'again',
    progress: readonly string[] = ['', '', ''],
  ) {
    const names = this.#keys
    const keys = [names.notices, names.order, names.waiting, names.last, names.progress]
    const texts = notices.flatMap(notice => [
      ...[notice.id, placeOfNotice(notice), waits(notice) ? waiting : 'over', JSON.stringify(notice)],
    ])
    return this.#access.script(GATEWAYS, 'notices', keys, [how, MOST_WAITING, ...progress, ...texts])
  }

  async #read(ids: readonly string[]): Promise<readonly (Notice | undefined)[]> {
    if (ids.length === 0) return []
    const { notices } = this.#keys
    const texts = await this.#access.ask(notices, client => client.hmGet(notices, [...ids]))
    return texts.map(text => (typeof text === 'string' ? (JSON.parse(text) as Notice) : undefined))
  }
}

/** A crossing, and where it lies. */
interface FoundCrossing extends Crossing {
  readonly key: string
  readonly field: string
}

/** Reads a row as redis/notices/announce.lua writes it: `percent above used at end about`, named by its counter and percent. */
function crossingOf(field: string, text: string, key: string): FoundCrossing {
  const [, percent, above, used, at, end, about = ''] = /^(\d+) (\d+) (\d+) (\d+) (\d+) (.*)$/s.exec(text) ?? []
  return {
    ...{ key, field, name: field.slice(0, field.lastIndexOf(' ')) },
    ...{ percent: Number(percent), above: Number(above), used: Number(used), at: Number(at), end: Number(end) },
    about: JSON.parse(about) as NoticedLimit,
  }
}

const idIn = (place: string): string => place.slice(place.indexOf(' ') + 1)

const BUCKETS_AT_ONCE = 64
const NOTICES_AT_ONCE = 100
