import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createGunzip } from 'node:zlib'
import { LineCutter } from '../../wire/lines.ts'

/** The finished part of each day's file, by day, as `archive.json` says it. */
export async function dayEnds(directory: string): Promise<ReadonlyMap<string, DayEnd>> {
  const text = await readFile(join(directory, STATE), 'utf8').catch(unlessMissing)
  return new Map(Object.entries(text === undefined ? {} : (JSON.parse(text) as Record<string, DayEnd>)))
}

/** The finished part of a day's file. */
export interface DayEnd {
  readonly bytes: number
  /** The name of the last row. */
  readonly last: string
}

export const STATE = 'archive.json'

export const dayFile = (directory: string, day: string): string => join(directory, `${day}.ndjson.gz`)

/** The lines in the first bytes of a file, some at a time: one by one they would cost more than what is done with them. */
export async function* linesIn(file: string, bytes: number): AsyncGenerator<readonly string[], void, undefined> {
  if (bytes === 0) return
  const packed = createReadStream(file, { end: bytes - 1 })
  const gunzip = createGunzip({ chunkSize: CHUNK })
  packed.on('error', error => gunzip.destroy(error))
  const cutter = new LineCutter()
  try {
    for await (const piece of packed.pipe(gunzip)) yield cutter.next(piece as Uint8Array)
  } finally {
    packed.destroy()
    gunzip.destroy()
  }
}

const CHUNK = 262_144

export function unlessMissing(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
