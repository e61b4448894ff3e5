import type { Pieces } from '../../policy/decision.ts'
import type { PoolBudget } from '../../policy/pool-budget.ts'
import type { AccountState, OrgRecord } from '../../records/account.ts'
import type { AuditRow } from '../../records/audit.ts'
import type { CountersState, GuestDay } from '../../records/counters.ts'
import type { HoldState } from '../../records/hold.ts'
import type { KeyState } from '../../records/key.ts'
import type { LedgerRow } from '../../records/ledger-row.ts'
import type { ResponseState } from '../../records/response.ts'
import type { ToolTotal, Total, WasteTotal } from '../../records/sums.ts'
import type { FleetState } from './fleet-store.ts'
import type { IssuedInvoice } from './issued-invoice.ts'
import type { LabelValue } from './label-store.ts'

/**
 * One record of a store, in a form that belongs to no store: what one of them gives, each of them takes. All of it is JSON.
 * Records of a kind come in the order in which they are to be taken; holds come before what counts them.
 */
export type StoreRecord = { [Kind in RecordKind]: readonly [Kind, StoreRecords[Kind]] }[RecordKind]

export type RecordKind = keyof StoreRecords

export interface StoreRecords {
  readonly store: StoreFacts
  readonly hold: HoldState
  readonly account: AccountState
  readonly key: KeyState
  readonly org: OrgRecord
  /** The account that an operator opened under a label. */
  readonly opened: LabelledAccount
  /** An account that signed in under a label. */
  readonly labelled: LabelledAccount
  /** A value of a label that a client sent. */
  readonly value: LabelValue
  readonly counters: CountersState
  readonly rules: RulesState
  readonly pool: PoolState
  readonly fleet: FleetRecord
  readonly guests: GuestDay
  readonly total: Total
  readonly tools: ToolTotal
  readonly waste: WasteTotal
  readonly row: RowState
  /** Oldest first. */
  readonly audit: AuditRow
  /** Oldest first of each account. */
  readonly response: ResponseState
  readonly invoice: IssuedInvoice
}

export interface StoreFacts {
  /** How many keys were ever minted. */
  readonly minted: number
  /** Lets gateways notice that the store was emptied; absent for stores without one. */
  readonly epoch?: string
}

export interface LabelledAccount {
  readonly label: string
  readonly account: string
}

/** The counters of one group of rules. */
export interface RulesState {
  /** Empty for a group that belongs to none. */
  readonly account: string
  readonly group: string
  /** The cells of each field, oldest first: the index of each, and the use in it. */
  readonly counters: readonly (readonly [field: string, cells: readonly (readonly [index: number, used: number])[]])[]
}

export interface PoolState {
  readonly pool: string
  readonly hour: PoolBudget
}

/** Operators' orders to all gateways. Their last change of the files is no part of it: a backup has the configuration as it served. */
export type FleetRecord = Pick<FleetState, 'drained'>

/** A ledger row, with what a settlement that comes after an orphan needs. */
export interface RowState extends LedgerRow {
  /** An orphan's tokens of the minute. */
  readonly tokens?: number
  readonly pieces?: Pieces
  readonly shared?: true
  /** The number of a failed attempt. */
  readonly attempt?: number
}
