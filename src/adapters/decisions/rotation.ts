import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import type { DecisionSettings } from '../../config/settings.ts'
import { logFile, logFiles } from './files.ts'
import type { Lines } from './lines.ts'

interface Open {
  readonly directory: string
  readonly number: number
  readonly handle: FileHandle
  bytes: number
}

/** Appends to the newest file of a directory, begins the next one when it is full, and removes the oldest. */
export class Rotation {
  readonly #settings: () => DecisionSettings
  #open: Open | undefined

  /** The settings are asked before every write. */
  constructor(settings: () => DecisionSettings) {
    this.#settings = settings
  }

  /** Writes the lines in their order. After a rejection some may be there, the last of them cut short. */
  async append(lines: Lines): Promise<void> {
    for (let from = 0; from < lines.count; ) {
      const file = await this.#withRoom(lines.fitting(from, 0).bytes.length)
      const { bytes, count } = lines.fitting(from, this.#settings().maxBytes - file.bytes)
      await file.handle.appendFile(bytes)
      file.bytes += bytes.length
      from += count
    }
  }

  /** The next append opens the file again. */
  async close(): Promise<void> {
    const file = this.#open
    this.#open = undefined
    await file?.handle.close()
  }

  /** A file with room for so many bytes, or an empty one. */
  async #withRoom(bytes: number): Promise<Open> {
    const { directory, maxBytes, files } = this.#settings()
    const isFull = (file: Open) => file.bytes > 0 && file.bytes + bytes > maxBytes
    if (this.#open?.directory === directory && !isFull(this.#open)) return this.#open
    await this.close()
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const newest = (await logFiles(directory)).at(-1)?.number ?? 0
    let opened = await openFile(directory, Math.max(1, newest))
    if (isFull(opened)) {
      await opened.handle.close()
      opened = await openFile(directory, newest + 1)
    }
    this.#open = opened
    const { number } = opened
    const old = (await logFiles(directory)).filter(file => file.number <= number - files)
    await Promise.all(old.map(({ path }) => rm(path, { force: true })))
    return opened
  }
}

async function openFile(directory: string, number: number): Promise<Open> {
  const handle = await open(logFile(directory, number).path, 'a', 0o600)
  let { size: bytes } = await handle.stat()
  if (bytes > 0) {
    // A new line first: a crash or a full disk may have left half a line before.
    await handle.appendFile('\n')
    bytes++
  }
  return { directory, number, handle, bytes }
}
