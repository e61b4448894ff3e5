import type { Millis } from '../../policy/config.ts'
import type { Filling } from '../backup/restore.ts'
import type { Clock } from '../ports.ts'
import type { Mark } from '../store/mark.ts'
import { firstPresentDay } from '../store/part.ts'
import { type MovableStore, StoreUnavailable } from '../store/store.ts'
import type { StoreRecord } from '../store/store-record.ts'
import type { News, SwitchableStore } from './switchable-store.ts'

/** The store could not be moved, and the gateway goes on with the one that it had. The message is for the operator. */
export class MoveFailed extends Error {
  override readonly name = 'MoveFailed'
}

export interface MovePorts {
  readonly store: SwitchableStore
  readonly clock: Pick<Clock, 'elapsed'>
  /** Of the move. */
  readonly marks: { readonly moved: Mark; readonly copy: Mark }
  /** Opens the target to be filled. */
  readonly fill: () => Promise<Filling>
  /** Opens the target, which is whole, as the store of this gateway. */
  readonly open: () => Promise<MovableStore>
  /** What this machine knows of the move: it is what a start goes by. */
  readonly journal: {
    begin(): Promise<void>
    /** From here on the target is the store, whatever dies. */
    commit(): Promise<void>
    end(): Promise<void>
  }
  readonly say: (text: string) => void
  /** Aborted where the operator left. */
  readonly signal: AbortSignal
}

export interface Moved {
  readonly rows: number
  /** How long requests waited at the most. */
  readonly pausedMs: Millis
}

/** By then the copy is done, or given up: requests wait for 2 s at the most, and what remains is one write on this disk. */
const COPY_MS: Millis = 1600
/**
 * The present may take so long while requests are served: beside 100 clients it took ten times as long as in the pause, in
 * which nothing else runs. Above this a pause would be given up, and clients have waited for nothing.
 */
const REHEARSAL_MS: Millis = 5000
/** So many requests may be left for the pause. */
const FEW = 500
const ROUNDS = 50
/** Responses that were kept meanwhile wait in memory. */
const MOST_RESPONSE_BYTES = 256e6

/**
 * Moves the store of a gateway while it serves. Rejects with MoveFailed or as a store does: then the gateway goes on with the
 * store that it had, and nothing is left of the copy where that can be reached.
 */
export async function move(ports: MovePorts): Promise<Moved> {
  const { store, journal } = ports
  const source = store.current
  await journal.begin()
  let filling: Filling | undefined
  try {
    filling = await ports.fill()
    return await new Moving(ports, source, filling).run()
  } catch (error) {
    store.unwatch()
    await within(filling?.drop())
    await journal.end()
    throw error
  } finally {
    await within(filling?.close())
  }
}

class Moving {
  readonly #ports: MovePorts
  readonly #source: MovableStore
  readonly #target: Filling
  #isGivenUp = false

  constructor(ports: MovePorts, source: MovableStore, target: Filling) {
    this.#ports = ports
    this.#source = source
    this.#target = target
  }

  async run(): Promise<Moved> {
    const { store, say } = this.#ports
    const { at } = await this.#source.fleet.read()
    const before = firstPresentDay(at)
    const news = await store.watch()
    await this.#copyPast(before, at)
    await this.#copyNews(news)
    await this.#rehearse(before)
    await this.#copyNews(news)
    say('requests wait')
    const moved = await this.#switch(news, before, at)
    store.unwatch()
    return moved
  }

  async #copyPast(before: number, at: number): Promise<void> {
    const { say, clock } = this.#ports
    let [rows, said] = [0, clock.elapsed()]
    const counted = async function* (records: AsyncIterable<StoreRecord>) {
      for await (const record of records) {
        // What is newer comes with the present.
        if (record[0] === 'audit' && record[1].at >= at) continue
        if (record[0] === 'row') rows++
        if (clock.elapsed() - said > SAID_EACH_MS) {
          said = clock.elapsed()
          say(`${rows} rows are copied`)
        }
        yield record
      }
    }
    await this.#target.take(this.#going(counted(this.#source.dump({ of: 'past', before }))))
    await this.#target.sync()
    say(`${rows} rows are copied, and what belongs to them`)
  }

  /** Until few requests are left that ended since. */
  async #copyNews(news: News): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      if ((await this.#copyEnded(news)) < FEW) break
    }
    await this.#target.sync()
  }

  async #copyEnded(news: News): Promise<number> {
    if (news.bytes > MOST_RESPONSE_BYTES)
      throw new MoveFailed('too many responses are kept meanwhile: try it when it is quiet')
    const requests = news.take()
    // Those that are written just now are read as well.
    if (!this.#isPaused) await this.#ports.store.begunBefore()
    await this.#target.take(this.#going(this.#source.dump({ of: 'news', requests })))
    return requests.size
  }

  #isPaused = false

  async #rehearse(before: number): Promise<void> {
    const { clock, say } = this.#ports
    const began = clock.elapsed()
    await this.#target.take(this.#going(this.#source.dump({ of: 'present', before })), true)
    const took = Math.round(clock.elapsed() - began)
    await this.#target.forgetPresent(before)
    await this.#target.sync()
    if (took > REHEARSAL_MS)
      throw new MoveFailed(
        `requests would wait too long: accounts, keys and what is used of limits take ${took} ms to copy beside them, and ${REHEARSAL_MS} ms are the most. Stop the gateway, and copy without --live`,
      )
    say(`accounts, keys and what is used of limits take ${took} ms to copy`)
  }

  async #switch(news: News, before: number, at: number): Promise<Moved> {
    const { store, clock, signal, journal } = this.#ports
    const began = clock.elapsed()
    this.#isPaused = true
    const quiet = store.pause()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>(resolve => {
      timer = setTimeout(resolve, COPY_MS, 'late')
    })
    const copying = this.#copy(quiet, news, before, at)
    // Where it is late it is waited for below, after requests go on.
    copying.catch(() => {})
    let copy: { readonly next: MovableStore; readonly rows: number } | undefined
    try {
      const done = await Promise.race([copying, late])
      if (done === 'late') throw new MoveFailed(`the copy was not done in ${COPY_MS} ms`)
      copy = done
      if (signal.aborted) throw new MoveFailed(LEFT)
      await journal.commit()
    } catch (error) {
      this.#isGivenUp = true
      store.resume()
      await within(copying.then(async ({ next }) => next.close()))
      await within(this.#source.setMark(undefined))
      throw error
    } finally {
      clearTimeout(timer)
    }
    store.resume(copy.next)
    return { rows: copy.rows, pausedMs: Math.ceil(clock.elapsed() - began) }
  }

  async #copy(quiet: Promise<void>, news: News, before: number, at: number) {
    const { open, marks } = this.#ports
    await quiet
    this.#goOn()
    if (!this.#source.isSettled()) throw new StoreUnavailable('settlements wait for the store that is copied')
    await this.#copyEnded(news)
    await this.#target.take(this.#going(this.#newAudit(at)))
    await this.#target.take(this.#going(this.#source.dump({ of: 'present', before })))
    this.#goOn()
    await this.#target.end(marks.copy)
    this.#goOn()
    const next = await open()
    try {
      for (const again of news.responses) await again(next.responses)
      const [there, rows] = await Promise.all([this.#source.countRows(), next.countRows()])
      if (there !== rows || !this.#source.isSettled())
        throw new MoveFailed(
          `the copy has ${rows} rows of ${there}: settlements waited for the store meanwhile. Try it again`,
        )
      this.#goOn()
      await this.#source.setMark(marks.moved)
      this.#goOn()
      return { next, rows }
    } catch (error) {
      await next.close()
      throw error
    }
  }

  /** Changes since the past was read, oldest first. */
  async *#newAudit(at: number): AsyncGenerator<StoreRecord, void, undefined> {
    const rows: StoreRecord[] = []
    for await (const row of this.#source.accounts.readAuditBack()) {
      if (row.at < at) break
      rows.push(['audit', row])
    }
    yield* rows.reverse()
  }

  async *#going(records: AsyncIterable<StoreRecord>): AsyncGenerator<StoreRecord, void, undefined> {
    for await (const record of records) {
      this.#goOn()
      yield record
    }
  }

  #goOn(): void {
    if (this.#isGivenUp) throw new MoveFailed('given up')
    if (this.#ports.signal.aborted) throw new MoveFailed(LEFT)
  }
}

const LEFT = 'the operator left before it was done'
const SAID_EACH_MS: Millis = 2000

/** Waits for what cleans up, but not for a target that does not answer. */
async function within(cleaning: Promise<unknown> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise<void>(resolve => {
    timer = setTimeout(resolve, CLEANING_MS)
  })
  await Promise.race([cleaning?.catch(() => {}), enough])
  clearTimeout(timer)
}

const CLEANING_MS: Millis = 5000
