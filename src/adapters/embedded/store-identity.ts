import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { put } from './lmdb.ts'
import type { Records } from './records.ts'

/** The files are not the store that this gateway had. The message is for the operator. */
class StoreRefused extends Error {
  override readonly name = 'StoreRefused'
}

/** The gateway's memory of its store, kept outside the store. */
export interface StoreMemory {
  readonly stateDir: string
  /** Whether the operator wants a new store in place of the one that is remembered. */
  readonly mayBegin: boolean
  /** Whether this process is the gateway: a tool judges, and remembers nothing. */
  readonly remembers: boolean
}

/** Throws StoreRefused, before a file is made, where the store of a path is gone. */
export function refuseGone(path: string, { stateDir, mayBegin }: StoreMemory): void {
  if (mayBegin || hasBytes(path) || !recall(stateDir, path)) return
  throw new StoreRefused(goneText(stateDir))
}

/**
 * Gives a store its identity, and has `stateDir` remember it. A store without one is taken as it is where it has data: an
 * older version, a restore or a migration wrote it. Throws StoreRefused where it is not the store that is remembered.
 */
export async function identify(
  path: string,
  records: Records,
  { stateDir, mayBegin, remembers }: StoreMemory,
): Promise<void> {
  const remembered = recall(stateDir, path)
  const found = records.marks.get('identity')
  if (remembered && !mayBegin) {
    if (!found && !hasData(records)) throw new StoreRefused(goneText(stateDir))
    if (found && found !== remembered.id) throw new StoreRefused(otherText(stateDir))
  }
  if (!remembers || (found && found === remembered?.id)) return
  const id = found ?? randomBytes(12).toString('base64url')
  if (!found) await records.commit([put(records.marks, 'identity', id)])
  await mkdir(stateDir, { recursive: true, mode: 0o700 })
  const file = fileOf(stateDir)
  writeFileSync(`${file}.part`, `${JSON.stringify({ path: resolve(path), id })}\n`, { mode: 0o600 })
  renameSync(`${file}.part`, file)
}

/** Whether anything was ever kept in it. */
export function hasData({ accounts, keys, ledger, totals, audit, orgs }: Records): boolean {
  return [accounts, keys, ledger, totals, audit, orgs].some(database => database.getKeysCount({ limit: 1 }) > 0)
}

const hasBytes = (path: string): boolean =>
  ['data.mdb', join('restored', 'data.mdb')].some(
    name => (statSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0) > 0,
  )

interface Remembered {
  readonly path: string
  readonly id: string
}

/** Recalls the store at a path: another path is another store, which the operator chose. */
function recall(stateDir: string, path: string): Remembered | undefined {
  const file = fileOf(stateDir)
  if (!existsSync(file)) return undefined
  const remembered = JSON.parse(readFileSync(file, 'utf8')) as Remembered
  return remembered.path === resolve(path) ? remembered : undefined
}

const fileOf = (stateDir: string): string => join(stateDir, 'store-identity.json')

const goneText = (stateDir: string): string =>
  `it is gone or empty, and ${fileOf(stateDir)} remembers one with keys and rows: mount its disk, or restore a backup. To start over without them: svcctl serve --new-store`

const otherText = (stateDir: string): string =>
  `it is not the store that ${fileOf(stateDir)} remembers: mount that store's disk, or restore a backup. To use this store from now on: svcctl serve --new-store`
