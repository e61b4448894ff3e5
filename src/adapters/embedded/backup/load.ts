import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { RestoreInterrupted, type Restoring, StoreNotEmpty } from '../../../gateway/backup/restore.ts'
import { batchesOf } from '../../../gateway/batches.ts'
import { LABELLED_STEP } from '../../../gateway/store/label-store.ts'
import type { RecordKind, RowState, StoreRecord, StoreRecords } from '../../../gateway/store/record.ts'
import { bytesOf } from '../../../gateway/store/response-store.ts'
import { synced } from '../../../gateway/synced.ts'
import type { Spend } from '../../../policy/counters/account-counters.ts'
import { ZERO_USD } from '../../../policy/nano-usd.ts'
import type { CountersState } from '../../../records/counters.ts'
import type { KeyState } from '../../../records/key.ts'
import { packCounters } from '../account-counters.ts'
import type { CommitSize } from '../disk/page-bound.ts'
import { journalOf } from '../journal/tail.ts'
import { lateKey, packRow, wasteKey } from '../ledger-rows.ts'
import { noteShapes } from '../look-alikes.ts'
import { packGroup } from '../packed-group.ts'
import { openRecords, type Records } from '../records.ts'
import { replace } from '../response-records.ts'
import { groupKey } from '../rule-counters.ts'
import { ensurePrivate, lockDirectory } from '../store-directory.ts'
import { hasData } from '../store-identity.ts'

/**
 * Fills a store that no process has open. Its files are made aside and then take the place of those that are there in one
 * step, so that a restore that was killed leaves the store as it was. Rejects with StoreLocked, StoreNotEmpty, or as
 * `records` does.
 */
export async function loadRecords(path: string, { records, replace }: Restoring): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(path)
  try {
    await finishRestore(path)
    if (!replace && (await isUsed(path))) throw new StoreNotEmpty(`embedded:${path}`)
    const aside = asideOf(path)
    await rm(aside, { recursive: true, force: true })
    await mkdir(aside, { mode: 0o700 })
    await fill(aside, records).catch(async error => {
      // Not as after a kill: the operator hears of this one now.
      await rm(aside, { recursive: true, force: true })
      throw error
    })
    await rename(aside, wholeOf(path))
    await synced(path)
    await finishRestore(path)
  } finally {
    await lock.release()
  }
}

async function fill(aside: string, records: Restoring['records']): Promise<void> {
  await ensurePrivate(join(aside, DATA))
  const files = await openRecords(aside)
  try {
    for await (const batch of batchesOf(records, BATCH))
      await files.change(() => {
        for (const [kind, record] of batch) take(files, kind, record)
      }, sizeOf(batch))
    await files.room.trim()
  } finally {
    await files.close()
  }
  await synced(join(aside, DATA))
}

/**
 * Goes on from a restore that was killed once its files were whole; rejects with RestoreInterrupted after one that was
 * killed before. The caller has the lock.
 */
export async function openRestored(path: string): Promise<void> {
  await finishRestore(path)
  const aside = asideOf(path)
  if (existsSync(aside))
    throw new RestoreInterrupted(
      `a restore into embedded:${path} was interrupted, and the store is unchanged: repeat the restore, or remove ${aside} to keep using the store`,
    )
}

/** Replaces the existing files by complete ones. */
async function finishRestore(path: string): Promise<void> {
  const whole = wholeOf(path)
  if (!existsSync(whole)) return
  if (existsSync(join(whole, DATA))) await rename(join(whole, DATA), join(path, DATA))
  await rm(join(path, 'lock.mdb'), { force: true })
  await rm(journalOf(path), { recursive: true, force: true })
  await synced(path)
  await rm(whole, { recursive: true, force: true })
}

const DATA = 'data.mdb'
/** Files that are being made. */
const asideOf = (path: string): string => join(path, 'restoring')
/** The directory of a store into which everything was restored. */
const wholeOf = (path: string): string => join(path, 'restored')

/** Files of no use are in the way of no restore. */
async function isUsed(path: string): Promise<boolean> {
  if (!existsSync(join(path, DATA))) return false
  const records = await openRecords(path)
  try {
    return hasData(records)
  } finally {
    await records.close()
  }
}

/** Records in one commit. */
const BATCH = 1000

/** Most kinds are one record of the files, or two; a label has its shapes as well. */
function sizeOf(batch: readonly StoreRecord[]): CommitSize {
  let [records, bytes] = [3 * batch.length, 0]
  for (const [kind, record] of batch) {
    if (kind === 'invoice') bytes += JSON.stringify(record).length
    if (kind !== 'response') continue
    records += 4 + record.items.length
    bytes += record.sealed.length
  }
  return { records, bytes }
}

type Takers = { readonly [Kind in RecordKind]: (files: Records, record: StoreRecords[Kind]) => unknown }

const take = <Kind extends RecordKind>(files: Records, kind: Kind, record: StoreRecords[Kind]) =>
  TAKERS[kind](files, record)

const TAKERS: Takers = {
  store: ({ meta }, { minted }) => meta.put('minted', minted),
  hold: ({ holds }, { soFar, ...held }) =>
    holds.put(held.hold.requestId, { ...held, ...(soFar && { soFar: { ...soFar, hold: held.hold } }) }),
  account: ({ write, joined }, { account, ...stored }) => {
    write.account(account, stored)
    for (const signIn of stored.signIns ?? []) joined.put(signIn, account)
  },
  key: takeKey,
  org: ({ write }, { org, ...stored }) => write.org(org, stored),
  opened: (files, { label, account }) => {
    files.labels.put(label, account)
    noteShapes(files, label, account)
  },
  // Other stores keep earlier labels as well.
  labelled: (files, { label, account }) => {
    if (files.accounts.get(account)?.label !== label) return
    files.signInLabels.put([label, account], true)
    noteShapes(files, label, account)
  },
  value: ({ write, labelValues }, { account, label, value }) => {
    write.raise(LABELLED_STEP)
    labelValues.put([account, label, value], true)
  },
  counters: ({ standings }, state) => standings.put(state.account, packCounters({ ...state, ...spendOf(state) })),
  rules: ({ rules }, { account, group, counters }) => {
    const cells = counters.map(([field, used]) => [field, used.map(cellOf)] as const)
    rules.put(groupKey(account, group), packGroup(new Map(cells)))
  },
  pool: ({ allowances }, { pool, hour }) => allowances.put(pool, hour),
  fleet: ({ fleet }, { drained }) => fleet.put('drained', JSON.stringify(drained)),
  guests: ({ guestDays }, { day, used }) => guestDays.put(day, { used, held: ZERO_USD }),
  total: ({ totals }, { day, account, plan, model, key, ...sums }) =>
    totals.put(key === undefined ? [day, account, plan, model] : [day, account, plan, model, key], sums),
  tools: ({ toolTotals }, { day, account, plan, model, tool, key, calls, cost }) =>
    toolTotals.put(key === undefined ? [day, account, plan, model, tool] : [day, account, plan, model, tool, key], {
      ...{ requests: calls, inputTokens: 0, outputTokens: 0 },
      cost,
    }),
  waste: ({ waste }, { day, pool, attempts, ...sums }) => waste.put([day, pool], { requests: attempts, ...sums }),
  row: ({ ledger }, { attempt, ...row }) => ledger.put(rowKey(row, attempt), packRow(row)),
  audit: ({ audit, meta }, row) => {
    const number = (meta.get('audited') ?? 0) + 1
    meta.put('audited', number)
    audit.put(number, row)
  },
  invoice: ({ invoices }, invoice) => invoices.put([invoice.account, invoice.month], invoice),
  response: ({ responses }, { expiresAt, sealed: text, ...kept }) => {
    const sealed = Buffer.from(text, 'base64')
    replace(responses, { ...kept, sealed, keep: expiresAt }, 0, bytesOf({ ...kept, sealed }), UNBOUNDED)
  },
}

const UNBOUNDED = {
  bytes: Number.POSITIVE_INFINITY,
  responses: Number.POSITIVE_INFINITY,
  total: Number.POSITIVE_INFINITY,
}

function takeKey({ write, keyUses }: Records, { hash, lastUsedAt, ...stored }: KeyState): void {
  write.key(hash, stored)
  if (lastUsedAt !== undefined) keyUses.put(hash, lastUsedAt)
}

function spendOf({ used }: CountersState) {
  const spend: Record<number, Spend> = {}
  for (const [window, of] of Object.entries(used)) spend[Number(window)] = { used: of, held: ZERO_USD }
  return { spend, concurrent: 0 }
}

const cellOf = ([index, used]: readonly [number, number]) => ({ index, used, held: 0 })

function rowKey({ requestId, kind }: RowState, attempt = 0): string {
  if (kind === 'waste') return wasteKey(requestId, attempt)
  return kind === 'late' ? lateKey(requestId) : requestId
}
