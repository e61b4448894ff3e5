import { createHash } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { RevisionFiles } from '../../gateway/revision.ts'

const NAME = /^(\d{6,})\.json$/

export const pathOf = (directory: string, number: number): string =>
  join(directory, `${String(number).padStart(6, '0')}.json`)

/** The number of a revision by the name of its file; undefined for another file. */
export function numberOf(name: string): number | undefined {
  const digits = NAME.exec(name)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Reads a revision. Rejects where the file cannot be read, or its checksum is wrong. */
export async function readRecord(directory: string, number: number): Promise<RevisionFiles> {
  const { sum, ...record }: RevisionFiles & { sum: unknown } = JSON.parse(
    await readFile(pathOf(directory, number), 'utf8'),
  )
  if (sum !== sumOf(record) || record.number !== number) throw new Error('it is not what was written')
  return record
}

/** Writes a revision to a file that only its owner may read. */
export async function writeRecord(directory: string, record: RevisionFiles): Promise<void> {
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
