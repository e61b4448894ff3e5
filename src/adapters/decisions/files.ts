import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** One file of a log. Numbers grow: the highest is the newest. */
export interface LogFile {
  readonly number: number
  readonly path: string
}

const NAME = /^decisions-(\d{6,})\.ndjson$/

export const logFile = (directory: string, number: number): LogFile => ({
  number,
  path: join(directory, `decisions-${String(number).padStart(6, '0')}.ndjson`),
})

/** The files of a log, oldest first. Rejects where the directory cannot be read. */
export async function logFiles(directory: string): Promise<LogFile[]> {
  const numbers = (await readdir(directory)).flatMap(name => NAME.exec(name)?.[1] ?? []).map(Number)
  return numbers.sort((a, b) => a - b).map(number => logFile(directory, number))
}
