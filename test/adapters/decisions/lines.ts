import { readFileSync } from 'node:fs'
import { logFiles } from '../../../src/adapters/decisions/rotation.ts'
import type { DecisionRecord } from '../../../src/policy/record.ts'
import { readRecord } from '../../../src/simulate/records.ts'

/** Every line of a log that is not blank, oldest first. */
export async function linesIn(directory: string): Promise<string[]> {
  const files = await logFiles(directory)
  return files.flatMap(({ path }) => readFileSync(path, 'utf8').split('\n')).filter(line => line !== '')
}

/** The record of a line. Throws where it is none. */
export function recordIn(line: string | undefined): DecisionRecord {
  const record = readRecord(line ?? '')
  if (!record) throw new Error(`no decision: ${line}`)
  return record
}
