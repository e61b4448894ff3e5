import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AlarmMessage } from '../../gateway/alarm-messages.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { RevisionFiles, RevisionLine } from '../../gateway/revision.ts'

/** How many revisions are kept. */
export const REVISIONS_KEPT = 50

interface Kept extends RevisionLine {
  /** The revision until it is on disk. Where it cannot be written, it is kept for as long as this process lives. */
  readonly unwritten?: RevisionFiles
}

/** The newest revisions that served, one file for each in a directory. A revision that cannot be kept or read raises an alarm and is skipped. */
export class KeptRevisions {
  readonly #directory: string
  readonly #alarm: Alarm
  /** Newest first. */
  #kept: readonly Kept[] = []
  /** The highest number of a file, also of a damaged one. */
  #last = 0
  #written: Promise<void> = Promise.resolve()

  constructor(directory: string, alarm: Alarm) {
    this.#directory = directory
    this.#alarm = alarm
  }

  /** Reads the revisions that were kept before. Never rejects. */
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
      this.#report('the revisions of before cannot be read', error)
    }
  }

  /** Keeps the revision that serves from now on, unless it is the newest already. Returns its line before it is on disk. */
  keep(next: Omit<RevisionFiles, 'number'>): RevisionLine {
    const [newest] = this.#kept
    if (newest?.revision === next.revision) return lineOf(newest)
    const record = { ...next, number: ++this.#last }
    const kept = { ...shortened(record), unwritten: record }
    this.#kept = [kept, ...this.#kept]
    this.#written = this.#written.then(() => this.#write(record))
    return lineOf(kept)
  }

  /** Resolves once all revisions are on disk, or their failures raised alarms. Never rejects. */
  async written(): Promise<void> {
    await this.#written
  }

  /** Newest first. */
  list(): readonly RevisionLine[] {
    return this.#kept.map(lineOf)
  }

  /** A kept revision; undefined where it is not kept, or its file is damaged. */
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
      this.#report(`revision ${number} is kept no more`, error)
      return []
    }
  }

  async #write(record: RevisionFiles): Promise<void> {
    try {
      await writeRecord(this.#directory, record)
      this.#kept = this.#kept.map(kept => (kept.number === record.number ? shortened(record) : kept))
    } catch (error) {
      this.#report('a revision cannot be kept', error)
    }
    await this.#drop()
  }

  async #drop(): Promise<void> {
    const old = this.#kept.slice(REVISIONS_KEPT)
    this.#kept = this.#kept.slice(0, REVISIONS_KEPT)
    for (const { number } of old)
      await rm(pathOf(this.#directory, number), { force: true }).catch(error =>
        this.#report('an old revision cannot be removed', error),
      )
  }

  #report(message: AlarmMessage, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    this.#alarm(message, { directory: this.#directory, error: reason })
  }
}

const lineOf = ({ unwritten: _, ...line }: Kept): RevisionLine => line

const shortened = ({ files, ...rest }: RevisionFiles): RevisionLine => ({ ...rest, files: files.length })

const NAME = /^(\d{6,})\.json$/

const pathOf = (directory: string, number: number): string => join(directory, `${String(number).padStart(6, '0')}.json`)

/** The number of a revision by the name of its file; undefined for another file. */
function numberOf(name: string): number | undefined {
  const digits = NAME.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Reads a revision. Rejects where the file cannot be read, or its checksum is wrong. */
async function readRecord(directory: string, number: number): Promise<RevisionFiles> {
  const { sum, ...record }: RevisionFiles & { sum: unknown } = JSON.parse(
    await readFile(pathOf(directory, number), 'utf8'),
  )
  if (sum !== sumOf(record) || record.number !== number) throw new Error('it is not what was written')
  return record
}

/** Writes a revision to a file that only its owner may read. */
async function writeRecord(directory: string, record: RevisionFiles): Promise<void> {
  const path = pathOf(directory, record.number)
  const file = await open(`${path}.next`, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify({ ...record, sum: sumOf(record) })}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.next`, path)
}

const sumOf = ({ number, revision, at, by, how, files }: RevisionFiles): string =>
  createHash('sha256')
    .update(JSON.stringify([number, revision, at, by, how, files.map(({ file, text }) => [file, text])]))
    .digest('hex')
