import type { Database, Key, Transaction } from 'lmdb'
import type { Settlement } from '../../../gateway/store/hold-store.ts'
import type { RowState, StoreRecord } from '../../../gateway/store/record.ts'
import type { NanoUsd } from '../../../policy/nano-usd.ts'
import type { CountersState, GuestDay } from '../../../records/counters.ts'
import { type Complete, present } from '../../../records/fields.ts'
import type { Checkpoint, HoldState } from '../../../records/hold.ts'
import type { ToolTotal } from '../../../records/sums.ts'
import { unpackCounters } from '../account-counters.ts'
import { type StoredRow, unpackRow } from '../ledger-rows.ts'
import { pagesOf } from '../lmdb.ts'
import { unpackGroup } from '../packed-group.ts'
import type { Records } from '../records.ts'
import type { StoreState } from '../store-state.ts'

/**
 * Every record as of one moment after the call: one that a commit wrote is in it with all that this commit wrote. Writes go
 * on meanwhile; until it ends the files keep the pages that they would else use again.
 */
export async function* dumpRecords({ records, writer }: StoreState): AsyncGenerator<StoreRecord, void, undefined> {
  await writer.flush()
  // Else it may be of a moment before the commit.
  records.meta.resetReadTxn()
  // biome-ignore lint/correctness/useHookAtTopLevel: lmdb names it so, and knows nothing of hooks.
  const transaction = records.meta.useReadTransaction()
  try {
    yield ['store', { minted: records.meta.get('minted', { transaction }) ?? 0 }]
    for (const dump of Object.values(DUMPS)) yield* dump(records, transaction)
  } finally {
    transaction.done()
  }
}

type Dump = (records: Records, transaction: Transaction) => AsyncGenerator<StoreRecord, void, undefined>

/** Dumps one database in the order of its keys. */
const dumpOf = <V, K extends Key>(
  of: (records: Records) => Pick<Database<V, K>, 'getRange'>,
  recordOf: (key: K, value: V) => StoreRecord | undefined,
): Dump =>
  async function* (records, transaction) {
    for await (const page of pagesOf(of(records), { transaction }))
      for (const { key, value } of page) {
        const record = recordOf(key, value)
        if (record) yield record
      }
  }

/** Tables that a dump leaves out: other records have their contents, a restore rebuilds them, or they belong to one store only. */
type InOthers =
  | ('keyUses' | 'joined' | 'shapes' | 'write' | 'cache' | 'meta' | 'marks' | 'series' | 'room')
  | ('notices' | 'logins' | 'loginEnds')

/** The compiler asks for what a new database has. */
type Dumped = Exclude<
  { [Name in keyof Records]: Records[Name] extends (...any: never[]) => unknown ? never : Name }[keyof Records],
  InOthers
>

const DUMPS: Readonly<Record<Dumped, Dump>> = {
  holds: dumpOf(
    records => records.holds,
    (_, { hold, readings, leaseUntil, soFar, shared, whole }) => {
      // One that ran on after it was charged is an orphan again until its gateway gives a sign of life.
      if (whole) return undefined
      const held: Complete<HoldState> = { hold, readings, leaseUntil, soFar: soFar && withoutHold(soFar), shared }
      return ['hold', present<HoldState>(held)]
    },
  ),
  accounts: dumpOf(
    records => records.accounts,
    (account, stored) => ['account', { account, ...stored }],
  ),
  keys: async function* (records, transaction) {
    for await (const page of pagesOf(records.keys, { transaction })) {
      for (const { key: hash, value } of page) {
        const lastUsedAt = records.keyUses.get(hash, { transaction })
        yield ['key', { hash, ...value, ...(lastUsedAt !== undefined && { lastUsedAt }) }]
      }
    }
  },
  orgs: dumpOf(
    records => records.orgs,
    (org, stored) => ['org', { org, ...stored }],
  ),
  labels: dumpOf(
    records => records.labels,
    (label, account) => ['opened', { label, account }],
  ),
  signInLabels: dumpOf(
    records => records.signInLabels,
    ([label, account]) => ['labelled', { label, account }],
  ),
  labelValues: dumpOf(
    records => records.labelValues,
    ([account, label, value]) => ['value', { account, label, value }],
  ),
  standings: dumpOf(
    records => records.standings,
    (account, packed) => ['counters', countersState(account, unpackCounters(packed))],
  ),
  rules: dumpOf(
    records => records.rules,
    (key, packed) => {
      // Only the groups of accounts have a blank.
      const at = key.indexOf(' ')
      const counters = Array.from(unpackGroup(packed), ([field, cells]) => {
        return [field, cells.map(({ index, used }) => [index, used] as const)] as const
      })
      return ['rules', { account: key.slice(0, Math.max(0, at)), group: key.slice(at + 1), counters }]
    },
  ),
  allowances: dumpOf(
    records => records.allowances,
    (pool, hour) => ['pool', { pool, hour }],
  ),
  fleet: async function* ({ fleet }, transaction) {
    const drained = JSON.parse(fleet.get('drained', { transaction }) ?? '[]')
    if (drained.length > 0) yield ['fleet', { drained }]
  },
  guestDays: dumpOf(
    records => records.guestDays,
    (day, { used }) => ['guests', { day, used } satisfies Complete<GuestDay>],
  ),
  totals: dumpOf(
    records => records.totals,
    ([day, account, plan, model, key], sums) => [
      'total',
      { day, account, plan, model, ...(key !== undefined && { key }), ...sums },
    ],
  ),
  toolTotals: dumpOf(
    records => records.toolTotals,
    ([day, account, plan, model, tool, key], { requests: calls, cost }) => [
      'tools',
      present<ToolTotal>({ day, account, plan, model, tool, key, calls, cost }),
    ],
  ),
  waste: dumpOf(
    records => records.waste,
    ([day, pool], { requests: attempts, ...sums }) => ['waste', { day, pool, attempts, ...sums }],
  ),
  ledger: dumpOf(
    records => records.ledger,
    (key, packed) => ['row', rowState(key, unpackRow(packed))],
  ),
  audit: dumpOf(
    records => records.audit,
    (_, row) => ['audit', row],
  ),
  invoices: dumpOf(
    records => records.invoices,
    (_, invoice) => ['invoice', invoice],
  ),
  responses: async function* ({ responses }, transaction) {
    for await (const page of pagesOf(responses.kept, { transaction })) {
      for (const { key, value } of page) {
        const { bytes: _bytes, ...kept } = value
        const sealed = responses.sealed.get(key, { transaction })
        if (sealed) yield ['response', { account: key[0], ...kept, sealed: sealed.toString('base64') }]
      }
    }
  },
}

const withoutHold = ({ hold: _hold, ...checkpoint }: Settlement): Checkpoint => checkpoint

function countersState(account: string, { minute, calendar, spend }: ReturnType<typeof unpackCounters>): CountersState {
  const used: Record<number, NanoUsd> = {}
  for (const [window, of] of Object.entries(spend)) used[Number(window)] = of.used
  return { account, minute, calendar, used } satisfies Complete<CountersState>
}

const WASTE = /\+waste(\d+)$/

function rowState(key: string, row: StoredRow): RowState {
  const attempt = row.kind === 'waste' ? WASTE.exec(key)?.[1] : undefined
  return attempt === undefined ? row : { ...row, attempt: Number(attempt) }
}
