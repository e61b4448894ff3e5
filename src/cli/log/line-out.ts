import { fstatSync } from 'node:fs'
import type { Writable } from 'node:stream'

/** What may wait for a reader, or a disk, that is slow; what comes then is dropped. */
const MOST_BYTES = 4_000_000

/** Writes lines for whoever reads them: never waits, never throws, and keeps no more than a bound. */
export interface LineOut {
  write(line: string): void
  /** Lines that were dropped since the start. */
  readonly dropped: number
  /** Resolves once what waits is written, if it ever is. */
  flush(): Promise<void>
}

/** Lines for stdout or stderr. Pipes and terminals are written by the event loop, files behind it. */
export async function lineOut(
  stream: NodeJS.WriteStream & { readonly fd: number },
  most = MOST_BYTES,
): Promise<LineOut> {
  return fstatSync(stream.fd).isFile() ? fileOut(stream.fd, most) : streamOut(stream, most)
}

/** A pipe takes what fits, and the rest waits in the stream: `console.log` would keep it all. */
export function streamOut(stream: Writable, most = MOST_BYTES): LineOut {
  let dropped = 0
  // A reader that left takes nothing any more; requests go on.
  stream.on('error', () => {})
  return {
    write: line => {
      if (stream.destroyed || !stream.writable || stream.writableLength + line.length > most) dropped++
      else stream.write(`${line}\n`)
    },
    get dropped() {
      return dropped
    },
    flush: () => new Promise(resolve => void (stream.destroyed ? resolve() : stream.write('', () => resolve()))),
  }
}

/** Not for pipes: a write that a reader holds up in another thread would keep the process from its exit. */
async function fileOut(fd: number, most: number): Promise<LineOut> {
  const { default: pino } = await import('pino')
  const out = pino.destination({ dest: fd, sync: false, maxLength: most })
  let dropped = 0
  out.on('drop', () => dropped++)
  // A full disk: what waits is written once there is room.
  out.on('error', () => {})
  return {
    write: line => void out.write(`${line}\n`),
    get dropped() {
      return dropped
    },
    flush: () => new Promise(resolve => out.flush(() => resolve())),
  }
}
