import { fstatSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { Clock } from '../../gateway/ports.ts'
import { FileOut } from './file-out.ts'

/** What may wait for a reader, or a disk, that is slow; what comes then is dropped. */
const MOST_CHARS = 4_000_000
/** As much for a file is not waited for. */
const ENOUGH_CHARS = 64_000

/** Writes lines for whoever reads them: never waits, never throws, and keeps no more than a bound. */
export interface LineOut {
  write(line: string): void
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
  { clock, atOnce = false }: { readonly clock: Clock; readonly atOnce?: boolean },
): LineOut {
  if (fstatSync(stream.fd).isFile()) {
    const out = new FileOut(stream.fd, { clock, most: MOST_CHARS, enough: atOnce ? 0 : ENOUGH_CHARS })
    process.once('exit', () => out.leave())
    return out
  }
  const out = streamOut(stream, { most: MOST_CHARS, atOnce })
  process.once('exit', () => void out.flush())
  return out
}

/** A pipe takes what fits, and the rest waits in the stream: `console.log` would keep it all. */
export function streamOut(
  stream: Writable,
  { most, atOnce = false }: { readonly most: number; readonly atOnce?: boolean },
): LineOut {
  let dropped = 0
  /** Of one turn of the event loop. */
  let text = ''
  let lines = 0
  // A reader that left takes nothing any more; requests go on.
  stream.on('error', () => {})
  const isOpen = () => !stream.destroyed && stream.writable
  const pass = () => {
    if (lines === 0) return
    if (isOpen()) stream.write(text)
    else dropped += lines
    text = ''
    lines = 0
  }
  return {
    write: line => {
      if (!isOpen() || stream.writableLength + text.length + line.length > most) {
        dropped++
        return
      }
      text += `${line}\n`
      lines++
      if (atOnce) pass()
      else if (lines === 1) setImmediate(pass)
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
