import { fstatSync, write, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { Cancel, Clock } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'

/** Writes lines to a file, a pipe or a terminal: never waits, never throws, and keeps at most a bound of characters. */
export interface LineOut {
  /** One line, or several with their ends between them, which are written together or dropped together. */
  write(lines: string): void
  /** Lines that were dropped since the start. */
  readonly dropped: number
  /** Resolves once what waits is written, if it ever is. */
  flush(): Promise<void>
}

/**
 * Lines for stdout or stderr, to the end of the process. Pipes and terminals are written by the event loop, files
 * behind it. Lines are gathered for a moment and written together, unless each is wanted `atOnce`.
 */
export function lineOut(
  stream: NodeJS.WriteStream & { readonly fd: number },
  { clock, atOnce = false, isOfAll = false }: LineOutOptions,
): LineOut {
  const most = isOfAll ? MOST_CHARS_OF_ALL : MOST_CHARS
  if (fstatSync(stream.fd).isFile()) {
    const out = new FileOut(stream.fd, { clock, most, enough: atOnce ? 0 : ENOUGH_CHARS })
    process.once('exit', () => out.leave())
    return out
  }
  const out = streamOut(stream, { most, atOnce })
  process.once('exit', () => void out.flush())
  return out
}

export interface LineOutOptions {
  readonly clock: Clock
  readonly atOnce?: boolean
  /** The lines of several processes come together here. */
  readonly isOfAll?: boolean
}

/** Characters that may wait for a slow reader or disk; further lines are dropped. */
const MOST_CHARS = 4_000_000
const MOST_CHARS_OF_ALL = 16_000_000
/** As much for a file is not waited for. */
const ENOUGH_CHARS = 64_000

/** A pipe takes what fits, and the rest waits in the stream: `console.log` would keep it all. */
export function streamOut(
  stream: Writable,
  { most, atOnce = false }: { readonly most: number; readonly atOnce?: boolean },
): LineOut {
  let dropped = 0
  /** The lines of one turn of the event loop. */
  let text = ''
  // A reader that left takes nothing any more; requests go on.
  stream.on('error', () => {})
  const isOpen = () => !stream.destroyed && stream.writable
  const pass = () => {
    if (text === '') return
    if (isOpen()) stream.write(text)
    else dropped += endsIn(text)
    text = ''
  }
  return {
    write: lines => {
      if (!isOpen() || stream.writableLength + text.length + lines.length > most) {
        dropped += endsIn(lines) + 1
        return
      }
      if (text === '' && !atOnce) setImmediate(pass)
      text += `${lines}\n`
      if (atOnce) pass()
    },
    get dropped() {
      return dropped
    },
    flush: () => {
      pass()
      return new Promise(resolve => void (stream.destroyed ? resolve() : stream.write('', () => resolve())))
    },
  }
}

/** How many lines end in a text. */
function endsIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

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
  /** The bytes that are being written, or could not be. */
  #rest: Buffer = NOTHING
  #isWriting = false
  #gathering: Cancel | undefined
  #flushed: (() => void)[] = []

  constructor(fd: number, options: FileOutOptions) {
    this.#fd = fd
    this.#options = options
  }

  write(lines: string): void {
    if (this.#rest.length + this.#waiting.length + lines.length >= this.#options.most) {
      this.dropped += endsIn(lines) + 1
      return
    }
    this.#waiting += `${lines}\n`
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
      // The disk is full, and the process ends without waiting for room.
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
