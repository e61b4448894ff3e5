import { rmSync } from 'node:fs'
import { configDir, readJsonFile, writePrivate } from '../../operator/session-file.ts'
import { isObject } from '../../wire/json-safety.ts'
import type { AgentFile, Setting } from './agent.ts'

/** The files as they were before an agent was set up: the backup, and what undoes the change. */
export interface SetupRecord {
  readonly version: 1
  readonly agent: string
  readonly gateway: string
  /** The key that was minted for it. */
  readonly key?: string
  readonly files: readonly ChangedFile[]
}

export interface ChangedFile {
  readonly path: string
  readonly format: AgentFile['format']
  /** Undefined where there was none. */
  readonly before?: string
  readonly after: string
  readonly mode: number
  /** True for a file that svcctl alone writes: it has no settings to undo one by one. */
  readonly own?: true
  /** Folders that were made for it, outermost first. */
  readonly made: readonly string[]
  readonly settings: readonly Setting[]
  /** The values of the settings before, in the order that undoes them; one without `value` was absent. */
  readonly was: readonly Setting[]
}

/** Where the record of an agent is. */
export const recordFile = (agent: string): string => `${configDir()}/agents/${agent}.json`

export function readRecord(agent: string): SetupRecord | undefined {
  const read = readJsonFile(recordFile(agent))
  return isObject(read) && read.version === 1 && Array.isArray(read.files)
    ? (read as unknown as SetupRecord)
    : undefined
}

export const writeRecord = (record: SetupRecord): void => writePrivate(recordFile(record.agent), record)

export const removeRecord = (agent: string): void => rmSync(recordFile(agent), { force: true })
