import { greatestStep, stepOfAccount, stepOfKey, stepOfTerms } from '../../../gateway/restrictions.ts'
import { LABELLED_STEP } from '../../../gateway/store/label-store.ts'
import { orgId } from '../../../gateway/store/org-store.ts'
import type { RecordKind, RowState, RulesState, StoreRecord, StoreRecords } from '../../../gateway/store/record.ts'
import { bytesOf } from '../../../gateway/store/response-store.ts'
import type { EpochMs, Millis } from '../../../policy/config.ts'
import { dayAt, type Hold } from '../../../policy/counters/account-counters.ts'
import { holdCell } from '../../../policy/counters/rule-hold.ts'
import { termsOfStored } from '../../../policy/facts.ts'
import { readingNumbers, readingsOfStored } from '../../../policy/limits/readings.ts'
import { isSharedGroup } from '../../../policy/limits/rule-claim.ts'
import type { RuleCounter } from '../../../policy/limits/rule-counter.ts'
import type { CountersState, GuestDay } from '../../../records/counters.ts'
import type { HoldState } from '../../../records/hold.ts'
import type { KeyState } from '../../../records/key.ts'
import type { ResponseState } from '../../../records/response.ts'
import type { SchemaStep } from '../../../records/terms.ts'
import { ACCOUNT_HASH, contactsText, ORG_HASH, signInTexts } from '../account-hash.ts'
import { auditTexts } from '../audit-text.ts'
import { runScript, type ScriptName } from '../client.ts'
import { termsText } from '../codec.ts'
import { countersTexts, SHARE_TEXT } from '../counter-texts.ts'
import { placeText } from '../fleet.ts'
import { checkpointText, holdText } from '../hold-text.ts'
import { keyTexts } from '../key-hash.ts'
import { GATEWAYS, GUESTS, KEPT, type Layout } from '../layout.ts'
import { adoptedRules, begunRules } from '../rule-texts.ts'
import type { DedicatedConnections } from '../servers/dedicated-connections.ts'
import { ownOf, sharedOf } from '../shared-holds.ts'
import { sumsText, toolField, totalField } from '../total-texts.ts'
import { rowText } from './record-texts.ts'

/** Facts about the records taken, from which the store's identity follows. */
interface Facts {
  readonly minted: number
  readonly epoch?: string
  /** The first day that has sums. */
  readonly since: number
  /** The schema that restrictions raise the store to, by the epoch of their bucket. */
  readonly steps: ReadonlyMap<string, SchemaStep>
}

/** Writes records as the scripts of Redis have them. */
export class BulkWriter {
  readonly #dedicated: DedicatedConnections
  readonly #layout: Layout
  readonly #epoch: string
  readonly #now: () => EpochMs
  readonly #sent: Promise<unknown>[] = []
  readonly #holds = new Map<string, Hold[]>()
  /** Accounts with holds whose counters have not come yet. */
  readonly #uncounted = new Set<string>()
  /** Holds, by the groups that accounts share. */
  readonly #sharing = new Map<string, Hold[]>()
  /** Groups that accounts share: holds of any account count in them. */
  readonly #shared: RulesState[] = []
  readonly #guestDays = new Map<number, number>()
  #store: StoreRecords['store'] = { minted: 0 }
  #since = Number.POSITIVE_INFINITY
  readonly #steps = new Map<string, SchemaStep>()

  /** `epoch` is that of the buckets while they are filled. */
  constructor(dedicated: DedicatedConnections, layout: Layout, epoch: string, now: () => EpochMs) {
    this.#dedicated = dedicated
    this.#layout = layout
    this.#epoch = epoch
    this.#now = now
  }

  /** Resolves when Redis has them. */
  async take(records: readonly StoreRecord[]): Promise<void> {
    for (const [kind, record] of records) this.#take(kind, record)
    await this.#done()
  }

  /** Writes what had to wait for all records. */
  async end(): Promise<Facts> {
    for (const state of this.#shared) this.#writeRules(state, this.#sharing.get(state.group) ?? [])
    for (const account of [...this.#uncounted]) this.#counters({ account, minute: [], calendar: [], used: {} })
    const { guestSpend } = this.#layout.guests
    for (const [day, spent] of this.#guestDays) this.#send('SET', `${guestSpend}${day}`, spent, 'EX', SHARED_KEPT_S)
    await this.#done()
    return { ...this.#store, since: this.#since, steps: this.#steps }
  }

  async #done(): Promise<void> {
    await Promise.all(this.#sent.splice(0))
  }

  #send(...words: readonly (string | number | Buffer)[]): void {
    const command = words.map(word => (typeof word === 'number' ? String(word) : word))
    this.#sent.push(this.#dedicated.run(String(words[1]), client => client.sendCommand(command)))
  }

  #run(account: string, name: ScriptName, keys: readonly string[], values: readonly (string | number)[]): void {
    const { epoch } = this.#layout.bucketOf(account)
    const given = [this.#epoch, this.#now(), ...values]
    this.#sent.push(this.#dedicated.run(epoch, client => runScript(client, name, [epoch, ...keys], given)))
  }

  #restricts(epoch: string, step: SchemaStep): void {
    this.#steps.set(epoch, greatestStep(this.#steps.get(epoch), step))
  }

  #take<Kind extends RecordKind>(kind: Kind, record: StoreRecords[Kind]): void {
    this.#takers[kind](record)
  }

  readonly #takers: { readonly [Kind in RecordKind]: (record: StoreRecords[Kind]) => void } = {
    store: facts => {
      this.#store = facts
    },
    hold: state => this.#hold(state),
    account: state => this.#account(state),
    key: state => this.#key(state),
    org: record => {
      const { org, terms } = record
      this.#restricts(this.#layout.of(orgId(org)).epoch, stepOfTerms(terms))
      const texts = { kind: 'org', ...ORG_HASH.write(record), terms: termsText(terms), label: orgId(org), change: '' }
      this.#send('HSET', this.#layout.org(org), ...Object.entries(texts).flat())
    },
    opened: ({ label, account }) => this.#send('SET', this.#layout.opened(label), account),
    value: ({ account, label, value }) => {
      const bucket = this.#layout.bucketOf(account)
      this.#restricts(bucket.epoch, LABELLED_STEP)
      this.#send('HSET', bucket.labelValues(account), `${label}=${value}`, '1')
      this.#send('HINCRBY', bucket.labelValues(account), label, 1)
    },
    labelled: ({ label, account }) => this.#send('SADD', this.#layout.labelled(label), account),
    counters: state => this.#counters(state),
    rules: state => {
      if (isSharedGroup(state.group)) this.#shared.push(state)
      else this.#writeRules(state, this.#holds.get(state.account) ?? [])
    },
    pool: ({ pool, hour }) => {
      const text = hour.map(({ minute, cost }) => `${minute} ${cost}`).join(' ')
      if (text !== '') this.#send('SET', this.#layout.pools.allowance(pool), text, 'EX', BUDGET_KEPT_S)
    },
    fleet: ({ drained }) => {
      const keys = this.#layout.fleet
      for (const place of drained) this.#send('HSET', keys.drained, placeText(place), '1')
    },
    guests: state => this.#guests(state),
    total: ({ day, ...total }) => {
      this.#since = Math.min(this.#since, day)
      this.#send('HSET', this.#layout.bucketOf(total.account).totals(day), totalField(total), sumsText(total))
    },
    tools: ({ day, calls, cost, ...of }) =>
      this.#send('HSET', this.#layout.bucketOf(of.account).toolTotals(day), toolField(of), `${calls} ${cost}`),
    waste: ({ day, pool, attempts, ...sums }) => {
      this.#since = Math.min(this.#since, day)
      this.#send('HSET', this.#layout.pools.waste(day), pool, sumsText({ ...sums, requests: attempts }))
    },
    row: state => this.#row(state),
    audit: row => {
      const { audit } = this.#layout.bucketOf(row.account || GATEWAYS)
      this.#send('XADD', audit, '*', ...auditTexts(row))
    },
    response: state => this.#response(state),
    invoice: invoice => {
      const { account, month } = invoice
      this.#send('HSET', this.#layout.bucketOf(account).invoices(account), month, JSON.stringify(invoice))
    },
  }

  #hold({ hold, readings, leaseUntil, soFar, shared }: HoldState): void {
    const { requestId, account, window } = hold
    const { isCluster } = this.#layout
    const bucket = this.#layout.bucketOf(account)
    const heldCost = hold.spent.cost + hold.cost
    const ofGuests = shared && SHARE_TEXT.textOf({ day: dayAt(hold.at), cost: heldCost })
    const fields = {
      ...{ state: 'open', account, window: String(window), hold: holdText(hold) },
      readings: readingNumbers(readingsOfStored(readings)).join(' '),
      ...(soFar && { checkpoint: checkpointText(soFar) }),
      ...(ofGuests && !isCluster && { shared: ofGuests }),
      ...this.#rulesOf(isCluster ? ownOf(hold) : hold),
    }
    this.#send('HSET', bucket.hold(requestId), ...Object.entries(fields).flat())
    this.#send('ZADD', bucket.leases, leaseUntil, requestId)
    if (isCluster) this.#share(hold, leaseUntil, fields.checkpoint, ofGuests)
    listIn(this.#holds, account).push(hold)
    this.#uncounted.add(account)
    const groups = new Set((hold.rules?.taken ?? []).map(({ group }) => group).filter(isSharedGroup))
    for (const group of groups) listIn(this.#sharing, group).push(hold)
    if (shared) this.#addToDay(dayAt(hold.at), heldCost)
  }

  /** Takes a request's share of limits that accounts share, where those lie apart. */
  #share(hold: Hold, leaseUntil: EpochMs, checkpoint = '', ofGuests = ''): void {
    const { guests } = this.#layout
    const { rules } = sharedOf(hold)
    const isHeld = rules?.taken.some(({ group }) => isSharedGroup(group))
    if (!isHeld && ofGuests === '') return
    const fields = {
      ...{ state: 'open', account: hold.account, hold: holdText(hold), checkpoint },
      ...(ofGuests !== '' && { shared: ofGuests }),
      ...(isHeld && this.#rulesOf(sharedOf(hold))),
    }
    this.#send('HSET', guests.sharedHold(hold.requestId), ...Object.entries(fields).flat())
    this.#send('ZADD', guests.sharedLeases, leaseUntil, hold.requestId)
  }

  #rulesOf(hold: Hold): Readonly<Record<string, string>> {
    const [rules, cells = '', weight = ''] = adoptedRules(this.#layout, hold).values
    return rules === undefined ? {} : { rules, cells, weight }
  }

  #account(state: StoreRecords['account']): void {
    const { account, kind, terms, activeKey, keys } = state
    const bucket = this.#layout.bucketOf(account)
    this.#restricts(bucket.epoch, stepOfAccount(state))
    // A device keeps its one key, ended.
    const key = activeKey ?? (kind === 'guest' ? keys[0] : undefined) ?? ''
    const texts = { ...ACCOUNT_HASH.write(state), terms: termsText(termsOfStored(terms)), key }
    this.#send('HSET', bucket.account(account), ...Object.entries(texts).flat())
    for (const [name, text] of Object.entries(signInTexts(state)))
      if (text !== '') this.#send('HSET', bucket.account(account), name, text)
    const contacts = contactsText(state.contacts)
    if (contacts !== '') this.#send('HSET', bucket.account(account), 'contacts', contacts)
    for (const signIn of state.signIns ?? []) this.#send('SET', this.#layout.joined(signIn), account)
    if (keys.length > 0) this.#send('RPUSH', bucket.keysOf(account), ...keys)
  }

  #key(state: KeyState): void {
    const { hash, account, number } = state
    const bucket = this.#layout.bucketOf(account)
    this.#restricts(bucket.epoch, stepOfKey(state))
    this.#send('HSET', bucket.key(hash), ...Object.entries(keyTexts(state)).flat())
    this.#send('ZADD', bucket.keys, number, hash)
    this.#sent.push(this.#dedicated.to(this.#layout.owner(hash)).then(({ owners }) => owners.set(hash, account)))
  }

  #counters({ account, minute, calendar, used }: CountersState): void {
    const bucket = this.#layout.bucketOf(account)
    const holds = this.#holds.get(account) ?? []
    const texts = countersTexts({ minute, calendar, concurrent: holds.length })
    const { head, counts } = texts
    this.#send('HSET', bucket.counters(account), 'head', head, 'counts', counts, 'calendar', texts.calendar)
    this.#send('EXPIRE', bucket.counters(account), COUNTERS_KEPT_S)
    for (const { at, text } of texts.ring) this.#send('SETRANGE', bucket.minute(account), at, text)
    if (texts.ring.length > 0) this.#send('EXPIRE', bucket.minute(account), RING_KEPT_S)
    this.#spend(account, used, holds)
    this.#uncounted.delete(account)
  }

  #spend(account: string, used: CountersState['used'], holds: readonly Hold[]): void {
    const bucket = this.#layout.bucketOf(account)
    const held = new Map<number, number>()
    for (const { window, spent, cost } of holds) held.set(window, (held.get(window) ?? 0) + spent.cost + cost)
    const windows = [...new Set([...Object.keys(used).map(Number), ...held.keys()])].sort((a, b) => a - b)
    const newest = windows.at(-1)
    if (newest !== undefined) this.#send('HSET', bucket.account(account), 'window', newest)
    for (const window of windows) {
      const key = bucket.spend(account, window)
      this.#send('HSET', key, 'used', used[window] ?? 0, 'held', held.get(window) ?? 0)
      if (window !== newest) this.#send('EXPIRE', key, SHARED_KEPT_S)
    }
  }

  #writeRules({ account, group, counters }: RulesState, holds: readonly Hold[]): void {
    const cells = new Map<string, RuleCounter>()
    for (const [field, used] of counters)
      cells.set(
        field,
        used.map(([index, sum]) => ({ index, used: sum, held: 0 })),
      )
    for (const { rules } of holds) {
      for (const cell of rules?.taken ?? [])
        if (rules && cell.group === group)
          cells.set(cell.field, holdCell(cells.get(cell.field) ?? [], cell, rules.weight))
    }
    const begun = Array.from(cells, ([field, counter]) => ({ name: { group, field }, counter }))
    if (begun.length === 0) return
    const { keys, values } = begunRules(this.#layout, account, begun)
    this.#run(isSharedGroup(group) ? this.#placeOfShared(group) : account, 'begin', keys, values)
  }

  /** The name whose bucket has the counters of a group that accounts share. */
  #placeOfShared(group: string): string {
    return this.#layout.isCluster ? GUESTS : group
  }

  #guests({ day, used }: GuestDay): void {
    this.#addToDay(day, used)
  }

  #addToDay(day: number, amount: number): void {
    this.#guestDays.set(day, (this.#guestDays.get(day) ?? 0) + amount)
  }

  #row(state: RowState): void {
    const bucket = this.#layout.bucketOf(state.account)
    this.#send('ZADD', bucket.ledger, 0, rowText(state))
    const { requestId, kind, pieces, shared, settledAt, cost, admittedAt, account } = state
    const left = settledAt + ORPHAN_KEPT_MS - this.#now()
    if (kind !== 'orphan' || left <= 0) return
    // For a settlement that comes late.
    const { images = 0, seconds = 0 } = pieces ?? {}
    const fields = [
      'state',
      'orphan',
      'account',
      account,
      'weight',
      '',
      'pieces',
      `${images} ${seconds}`,
      'checkpoint',
      '',
    ]
    if (shared) fields.push('shared', SHARE_TEXT.textOf({ day: dayAt(admittedAt), cost }))
    this.#send('HSET', bucket.hold(requestId), ...fields)
    this.#send('PEXPIRE', bucket.hold(requestId), left)
  }

  #response({ account, id, items, expiresAt, sealed: text }: ResponseState): void {
    const keep = expiresAt - this.#now()
    if (keep <= 0) return
    const bucket = this.#layout.bucketOf(account)
    const sealed = Buffer.from(text, 'base64')
    const aside = bucket.responseAside(id)
    const bytes = bytesOf({ id, items, sealed })
    const { responseEnds, responseBytes } = this.#layout.kept
    this.#run(
      KEPT,
      'reserve',
      [responseEnds, responseBytes],
      [`${id} ${account}`, bytes, keep, Number.MAX_SAFE_INTEGER],
    )
    this.#send('SET', aside, sealed, 'PX', ASIDE_MS)
    const keys = [
      bucket.responses(account),
      bucket.responseOrder(account),
      bucket.responseItems(account),
      bucket.responsePrefix,
    ]
    const most = Number.MAX_SAFE_INTEGER
    this.#run(account, 'keep', [...keys, aside], [account, id, bytes, keep, most, most, ...items])
  }
}

function listIn<T>(lists: Map<string, T[]>, name: string): T[] {
  const list = lists.get(name) ?? []
  lists.set(name, list)
  return list
}

// How long scripts keep records that may expire.
const COUNTERS_KEPT_S = 3 * 86_400
const RING_KEPT_S = 600
const SHARED_KEPT_S = 100 * 86_400
/** That of a mirror is one of a day; buckets that are too old for a budget do not count in it. */
const BUDGET_KEPT_S = 3 * 86_400
const ORPHAN_KEPT_MS: Millis = 3_600_000
const ASIDE_MS: Millis = 60_000
