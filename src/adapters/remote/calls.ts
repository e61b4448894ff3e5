import type { Store } from '../../gateway/store/store.ts'
import { HOLD } from '../../records/hold.ts'
import {
  bytes,
  flag,
  json,
  list,
  nanoUsds,
  nothing,
  number,
  type Optional,
  optional,
  type Shape,
  text,
} from '../../records/shape.ts'
import { admission, admitted, extension, heartbeat, keptBounds, keptResponse, settlement } from './messages.ts'

/**
 * Every call of a store and its encoding: the only description of the protocol between a worker and the store process. Calls of
 * the request path are binary, all others are JSON. A new method of a facet does not compile until it is listed here.
 */
export const CALLS: Calls = {
  keys: {
    findCaller: inTime(optional(json), text),
    mint: answers(json, json),
    rotate: answers(optional(json), json),
    revoke: answers(optional(json), json),
    list: answers(json),
    listOf: answers(json, text),
    findGuest: answers(optional(json), text),
    mintGuest: answers(json, json),
    keepMintSecret: answers(text, text),
    noteUses: answers(nothing, json),
  },
  accounts: {
    signIn: answers(json, json),
    find: answers(optional(json), text),
    findByLabel: answers(json, text),
    readAll: streams(json),
    // Which accounts are wanted is a function of the asker, and does not travel: others may come all the same.
    scan: { ...streams(json, optional(json)), perPage: 1 },
    changeTerms: answers(optional(json), json),
    changeSignIns: answers(json, json),
    changeContacts: answers(json, json),
    noteChange: answers(nothing, json),
    readAudit: streams(json, optional(json)),
    readAuditBack: streams(json, optional(json)),
    readSpend: answers(json, text, optional(json)),
    readUsage: answers(optional(json), text, optional(json)),
    countEvent: answers(number, json, number),
  },
  orgs: {
    open: answers(json, text),
    find: answers(optional(json), text),
    readAll: streams(json),
    changeTerms: answers(optional(json), json),
  },
  holds: {
    admit: inTime(admitted, admission),
    beginCounters: answers(nothing, text, json),
    readRules: inTime(json, text, json),
    extend: inTime(json, extension),
    heartbeat: inTime(json, list(heartbeat)),
    settle: answers(nothing, settlement),
    refund: answers(nothing, HOLD),
    sweep: answers(number),
  },
  ledger: {
    recordWaste: answers(nothing, json),
    readRows: streams(json, optional(json)),
    readRecent: streams(json, json),
    index: answers(nothing),
    readPast: answers(json, json),
    readNewest: answers(json, json),
    readRequest: answers(json, text),
    readTotals: streams(json, optional(json)),
    readTools: streams(json, optional(json)),
    readWaste: streams(json, optional(json)),
    keepInvoice: answers(json, json),
    readInvoices: answers(json, text, json),
    trim: answers(number, number, optional(number), optional(json)),
  },
  archive: {
    lease: inTime(flag, text, number),
    release: inTime(nothing, text),
    readLeaving: answers(json, number, number),
    remove: answers(number, json),
    readWaiting: answers(json, number),
  },
  budgets: {
    take: inTime(optional(number), json),
    amend: answers(nothing, json),
    read: answers(nanoUsds, text, optional(json)),
  },
  responses: {
    keep: answers(flag, keptResponse, keptBounds),
    sizeOf: answers(optional(number), text, text),
    readTotal: answers(number),
    read: answers(optional(bytes), text, text),
    findByItem: answers(optional(text), text, text),
    remove: answers(flag, text, text),
    sweep: answers(number),
  },
  fleet: {
    announce: inTime(json, json, number),
    leave: inTime(nothing, text),
    read: inTime(json),
    setDrained: answers(nothing, json, flag),
    setChange: answers(flag, json, optional(json), optional(json)),
    readCanaries: answers(json),
    setCanary: answers(flag, text, optional(text), optional(text)),
    cacheSeed: answers(text, text),
    readChange: answers(optional(json), text),
    passNews: inTime(json, json),
    shareSlots: inTime(json, text, json, number),
  },
  series: { write: answers(nothing, json), read: answers(json, number) },
  notices: {
    lease: inTime(flag, text, number),
    release: inTime(nothing, text),
    readCrossings: answers(json, number),
    removeCrossings: answers(nothing, json),
    add: answers(json, json),
    write: answers(nothing, json, optional(flag)),
    readProgress: answers(optional(text), text),
    advance: answers(flag, json, json),
    readWaiting: answers(json, number, optional(number)),
    countWaiting: answers(number),
    find: answers(optional(json), text),
    readNewest: answers(json, number, optional(text)),
    trim: answers(number, number, number),
  },
  logins: {
    put: answers(flag, text, text, number),
    find: inTime(optional(text), text),
    replace: answers(flag, text, text, optional(text)),
  },
  labels: { take: answers(optional(json), json) },
  whole: { proveWritable: answers(nothing), dump: streams(json) },
}

/** The shapes of a call's arguments and answer. */
export interface CallShape<Args extends readonly unknown[] = readonly unknown[], Answer = unknown> {
  readonly args: { readonly [Place in keyof Args]: ShapeOf<Args[Place]> }
  /** The shape of its result, or of each item of a stream. */
  readonly answer: ShapeOf<Answer>
  /** `soon`: given up after 2 s without a word. `whenever`: what is written, or takes long. `pages`: gives items, page by page. */
  readonly comes: 'soon' | 'whenever' | 'pages'
  /** The most items of a stream that travel together, where they are pages themselves. */
  readonly perPage?: number
}

type ShapeOf<T> = undefined extends T ? Optional<Exclude<T, undefined>> | Nothing<T> : Shape<T>
type Nothing<T> = T extends void ? Shape<void> : never

/** The parts of a store that are called, and what is asked of the store itself. */
export interface Facets extends Omit<Store, 'close' | Whole> {
  readonly whole: Pick<Store, Whole>
}

type Whole = 'proveWritable' | 'dump'

type Calls = { readonly [F in keyof Facets]: FacetCalls<Facets[F]> }

type FacetCalls<F> = {
  readonly [Name in keyof F as F[Name] extends Travels ? Name : never]: F[Name] extends (
    ...args: infer Args
  ) => infer Answer
    ? CallShape<Complete<Args>, ItemOf<Answer>>
    : never
}

type Travels = (...args: never[]) => Promise<unknown> | AsyncIterable<unknown>
type Complete<Args extends readonly unknown[]> = Args extends readonly []
  ? []
  : { [P in keyof Required<Args>]: Args[P & keyof Args] }
type ItemOf<Answer> = Answer extends Promise<infer A> ? A : Answer extends AsyncIterable<infer A> ? A : never

function answers<Answer, Args extends readonly unknown[]>(answer: Answer, ...args: Args) {
  return { args, answer, comes: 'whenever' } as const
}

function inTime<Answer, Args extends readonly unknown[]>(answer: Answer, ...args: Args) {
  return { args, answer, comes: 'soon' } as const
}

function streams<Item, Args extends readonly unknown[]>(answer: Item, ...args: Args) {
  return { args, answer, comes: 'pages' } as const
}
