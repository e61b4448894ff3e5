import { rm } from 'node:fs/promises'
import type { Alarm } from '../../../gateway/ports.ts'
import { StoreUnavailable } from '../../../gateway/store/store.ts'
import { ENDS, FRAME_HEAD_BYTES, frameBytes } from './frame.ts'
import { makeSegment, type Segment } from './segment.ts'

/** A record on its way to the disk. */
export interface Appended {
  readonly number: number
  /** Resolves when it is on disk; rejects with StoreUnavailable. */
  readonly synced: Promise<void>
}

/**
 * The files to which changes are appended before LMDB has them. One record is written at a time: the next one follows once
 * it is on disk. After a failure it takes no more records: what lies behind the last one is unknown.
 */
export class Journal {
  readonly #directory: string
  readonly #alarm: Alarm
  readonly #journal: number
  #segment: Segment
  #number: number
  #tail: Promise<void> = Promise.resolve()
  #last: Appended
  #next: Promise<Segment> | undefined
  /** Full segments, oldest first. */
  readonly #full: Segment[] = []
  /** Files of segments that are of no use any more. */
  readonly #used: string[] = []
  #failure: StoreUnavailable | undefined

  private constructor(directory: string, segment: Segment, number: number, alarm: Alarm) {
    this.#directory = directory
    this.#alarm = alarm
    this.#journal = segment.head.journal
    this.#segment = segment
    this.#number = number
    this.#last = { number, synced: this.#tail }
  }

  /** Begins a segment, behind the record with this number. */
  static async begin(
    directory: string,
    { journal, ordinal, number, alarm }: { journal: number; ordinal: number; number: number; alarm: Alarm },
  ): Promise<Journal> {
    return new Journal(directory, await makeSegment(directory, { journal, ordinal }), number, alarm)
  }

  /** The last record that was appended, on disk or not. */
  get last(): Appended {
    return this.#last
  }

  /** The segment that takes the next record. */
  get ordinal(): number {
    return this.#segment.head.ordinal
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined
  }

  append(text: string): Appended {
    const number = ++this.#number
    const synced = this.#tail.then(() => this.#write(number, text))
    this.#tail = synced.catch(() => {})
    this.#last = { number, synced }
    return this.#last
  }

  /** Frees the segments before one, all records of which the files have. */
  freeBefore(ordinal: number): void {
    for (let full = this.#full[0]; full && full.head.ordinal < ordinal; full = this.#full[0]) {
      this.#full.shift()
      full.close()
      if (this.#used.length < MOST_USED) this.#used.push(full.path)
      else rm(full.path, { force: true }).catch(() => {})
    }
  }

  async close(): Promise<void> {
    await this.#tail
    const next = await this.#next?.catch(() => undefined)
    for (const segment of [next, this.#segment, ...this.#full]) segment?.close()
  }

  async #write(number: number, text: string): Promise<void> {
    if (this.#failure) throw this.#failure
    try {
      if (!this.#segment.hasRoomFor(FRAME_HEAD_BYTES + 3 * text.length)) await this.#goOn()
      const segment = this.#segment
      await segment.append(frameBytes({ number, text }, segment.head.salt))
      if (segment.isHalfFull) this.#prepare()
    } catch (cause) {
      this.#failure = new StoreUnavailable('the journal of the store could not be written', { cause })
      this.#alarm('the journal of the store cannot be written: requests are settled without it', {
        cause: cause instanceof Error ? cause.message : String(cause),
      })
      throw this.#failure
    }
  }

  async #goOn(): Promise<void> {
    const next = await this.#prepare()
    this.#next = undefined
    const full = this.#segment
    await full.append(frameBytes({ number: ENDS, text: '' }, full.head.salt))
    this.#full.push(full)
    this.#segment = next
  }

  #prepare(): Promise<Segment> {
    const next =
      this.#next ??
      makeSegment(
        this.#directory,
        { journal: this.#journal, ordinal: this.#segment.head.ordinal + 1 },
        this.#used.pop(),
      )
    this.#next = next
    // The disk may have room again before the segment is needed.
    next.catch(() => {
      if (this.#next === next) this.#next = undefined
    })
    return next
  }
}

/** Files that are kept to be written anew, so that their blocks need not be allocated again. */
const MOST_USED = 2
