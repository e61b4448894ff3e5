import { write, writeSync } from 'node:fs'
import type { Cancel, Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import type { LineOut } from './line-out.ts'

/** Lines that come within as long share a write; what could not be written is tried again as late. */
const GATHER_MS: Millis = 50

export interface FileOutOptions {
  readonly clock: Pick<Clock, 'after'>
  /** Characters that may wait for a slow disk; what comes then is dropped. */
  readonly most: number
  /** Characters that are not waited for; 0 writes each line at once. */
  readonly enough: number
}

const NOTHING = Buffer.alloc(0)

/**
 * Lines for a file, written by another thread: to wake that for each line would cost more than all else of it. Not for
 * pipes: a write that a reader holds up in another thread would keep the process from its exit.
 */
export class FileOut implements LineOut {
  dropped = 0
  readonly #fd: number
  readonly #options: FileOutOptions
  #waiting = ''
  /** What is being written, or could not be. */
  #rest: Buffer = NOTHING
  #isWriting = false
  #gathering: Cancel | undefined
  #flushed: (() => void)[] = []

  constructor(fd: number, options: FileOutOptions) {
    this.#fd = fd
    this.#options = options
  }

  write(line: string): void {
    if (this.#rest.length + this.#waiting.length + line.length >= this.#options.most) {
      this.dropped++
      return
    }
    this.#waiting += `${line}\n`
    if (!this.#isWriting) this.#writeSoon()
  }

  flush(): Promise<void> {
    return new Promise(resolve => {
      this.#flushed.push(resolve)
      if (!this.#isWriting) this.#begin()
    })
  }

  /** Writes what waits, when nothing else runs any more. */
  leave(): void {
    const text = this.#isWriting ? this.#waiting : `${this.#rest}${this.#waiting}`
    try {
      writeSync(this.#fd, text)
    } catch {
      // A full disk: there is nobody left to wait for room.
    }
  }

  #writeSoon(): void {
    const { clock, enough } = this.#options
    const isStuck = this.#rest.length > 0
    if (!isStuck && (this.#waiting.length > enough || this.#flushed.length > 0)) this.#begin()
    else this.#gathering ??= clock.after(GATHER_MS, () => this.#begin())
  }

  #begin(): void {
    this.#gathering?.()
    this.#gathering = undefined
    this.#isWriting = true
    if (this.#rest.length === 0) {
      this.#rest = Buffer.from(this.#waiting)
      this.#waiting = ''
    }
    write(this.#fd, this.#rest, (error, written) => {
      this.#isWriting = false
      // A full disk: what waits is written once there is room.
      if (error) this.#writeSoon()
      else this.#wrote(written)
    })
  }

  #wrote(bytes: number): void {
    this.#rest = this.#rest.subarray(bytes)
    if (this.#rest.length > 0) this.#begin()
    else if (this.#waiting !== '') this.#writeSoon()
    else {
      for (const resolve of this.#flushed) resolve()
      this.#flushed = []
    }
  }
}
