import { mkdir, readdir, rm } from 'node:fs/promises'
import type { Alarm } from '../../gateway/ports.ts'
import type { RevisionFiles, RevisionLine } from '../../gateway/revision.ts'
import { numberOf, pathOf, readRecord, writeRecord } from './revision-file.ts'

/** How many are kept. */
export const REVISIONS_KEPT = 50

interface Kept extends RevisionLine {
  /** Until it is on the disk. Where it cannot be written, it is kept for as long as this process lives. */
  readonly unwritten?: RevisionFiles
}

/** The newest revisions that served, in a directory: a file each. What cannot be kept or read is told, and left out. */
export class KeptRevisions {
  readonly #directory: string
  readonly #alarm: Alarm
  /** Newest first. */
  #kept: readonly Kept[] = []
  /** The highest number that a file has, whatever is in it. */
  #last = 0
  #written: Promise<void> = Promise.resolve()

  constructor(directory: string, alarm: Alarm) {
    this.#directory = directory
    this.#alarm = alarm
  }

  /** Reads what was kept before. Never rejects. */
  async open(): Promise<void> {
    try {
      await mkdir(this.#directory, { recursive: true, mode: 0o700 })
      const numbers = (await readdir(this.#directory)).flatMap(name => numberOf(name) ?? []).sort((a, b) => b - a)
      this.#last = numbers[0] ?? 0
      for (const number of numbers.slice(REVISIONS_KEPT)) await rm(pathOf(this.#directory, number), { force: true })
      const kept: Kept[] = []
      for (const number of numbers.slice(0, REVISIONS_KEPT)) kept.push(...(await this.#read(number)).map(shortened))
      this.#kept = kept
    } catch (error) {
      this.#tell('the revisions of before cannot be read', error)
    }
  }

  /** Keeps what serves from now on, unless it is the newest already. What it is kept as, before it is on the disk. */
  keep(next: Omit<RevisionFiles, 'number'>): RevisionLine {
    const [newest] = this.#kept
    if (newest?.revision === next.revision) return lineOf(newest)
    const record = { ...next, number: ++this.#last }
    const kept = { ...shortened(record), unwritten: record }
    this.#kept = [kept, ...this.#kept]
    this.#written = this.#written.then(() => this.#write(record))
    return lineOf(kept)
  }

  /** Resolves once all that was to be kept is on the disk, or was told of. Never rejects. */
  async written(): Promise<void> {
    await this.#written
  }

  /** Newest first. */
  list(): readonly RevisionLine[] {
    return this.#kept.map(lineOf)
  }

  /** Undefined where it is not kept, or damaged since. */
  async find(number: number): Promise<RevisionFiles | undefined> {
    const kept = this.#kept.find(each => each.number === number)
    if (!kept || kept.unwritten) return kept?.unwritten
    const [record] = await this.#read(number)
    return record
  }

  async #read(number: number): Promise<RevisionFiles[]> {
    try {
      return [await readRecord(this.#directory, number)]
    } catch (error) {
      this.#tell(`revision ${number} is kept no more`, error)
      return []
    }
  }

  async #write(record: RevisionFiles): Promise<void> {
    try {
      await writeRecord(this.#directory, record)
      this.#kept = this.#kept.map(kept => (kept.number === record.number ? shortened(record) : kept))
    } catch (error) {
      this.#tell('a revision cannot be kept', error)
    }
    await this.#drop()
  }

  async #drop(): Promise<void> {
    const old = this.#kept.slice(REVISIONS_KEPT)
    this.#kept = this.#kept.slice(0, REVISIONS_KEPT)
    for (const { number } of old)
      await rm(pathOf(this.#directory, number), { force: true }).catch(error =>
        this.#tell('an old revision cannot be removed', error),
      )
  }

  #tell(message: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.#alarm(message, { directory: this.#directory, error: reason })
  }
}

const lineOf = ({ unwritten: _, ...line }: Kept): RevisionLine => line

const shortened = ({ files, ...rest }: RevisionFiles): RevisionLine => ({ ...rest, files: files.length })
