import { changedContacts } from '../../gateway/accounts/contacts.ts'
import { changedSignIns } from '../../gateway/accounts/invitations.ts'
import { changed, withClaims } from '../../gateway/admission/terms.ts'
import type {
  AccountRecord,
  AccountStore,
  AccountUsage,
  AuditQuery,
  ContactsChange,
  ContactsChanged,
  EventCount,
  GatewayChange,
  Scan,
  ScannedAccount,
  SignedIn,
  SignInsChange,
  SignInsChanged,
  SpendReading,
  TermsChange,
} from '../../gateway/store/account-store.ts'
import { works } from '../../gateway/store/key-life.ts'
import type { Calendar } from '../../policy/calendar.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { NO_SPEND, newestSecond, readingsOf } from '../../policy/counters/account-counters.ts'
import { keyOfWindow, windowOf } from '../../policy/decision.ts'
import type { Caller } from '../../policy/facts.ts'
import type { AuditRow } from '../../records/audit.ts'
import { sameTerms } from '../../records/terms.ts'
import { scanById, scanByLabel } from './account-scans.ts'
import { pagesOf } from './lmdb.ts'
import { forgetShapes, lookAlikeOf, noteShapes } from './look-alikes.ts'
import { accountOf, type Records, readAccount, writeAccount } from './records.ts'
import type { StoreState } from './store-state.ts'
import type { Account } from './stored-records.ts'

/** Accounts, their audit and their counters. Records are read from the files each time, which sees every change. */
export class EmbeddedAccounts implements AccountStore {
  readonly #state: () => StoreState
  readonly #events = new EventWindows()
  readonly scanOrders = ['id', 'label'] as const

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  /** Writes only fields that the token changes: most sign-ins change nothing. */
  async signIn(token: SignedIn): Promise<Caller> {
    const { records, now } = this.#state()
    const at = now()
    const joined = joinedBy(records, token.account)
    const account = joined ?? token.account
    const known = readAccount(records, account)
    if (joined === undefined && (!known || signedIn(records, known, token) !== known))
      await records.transact(() => {
        const before = readAccount(records, account)
        const after = signedIn(records, before ?? newAccount('developer', account, at), token)
        if (after !== before) relabel(records, account, before, after)
      })
    const { kind, terms, activeKey } = accountIn(records, account)
    const key = activeKey === null ? undefined : records.keys.get(activeKey)
    const orgTerms = records.cache.orgTerms(terms.org)
    const keyPrefix = key && works(key, at) ? key.keyPrefix : null
    return { kind, account, keyPrefix, terms, ...(orgTerms && { orgTerms }) }
  }

  async find(account: string): Promise<AccountRecord | undefined> {
    return findAccount(this.#state().records, account)
  }

  async findByLabel(label: string): Promise<readonly AccountRecord[]> {
    const { records } = this.#state()
    const opened = records.labels.get(label)
    const ids = [...(opened === undefined ? [] : [opened]), ...signedInUnder(records, label)]
    return ids.flatMap(id => findAccount(records, id) ?? [])
  }

  async *readAll(): AsyncGenerator<AccountRecord, void, undefined> {
    const { accounts } = this.#state().records
    for await (const page of pagesOf(accounts)) for (const { key, value } of page) yield recordOf(key, accountOf(value))
  }

  async *scan({
    order,
    after,
    spend,
    calendar,
  }: Scan = {}): AsyncGenerator<readonly ScannedAccount[], void, undefined> {
    const { records, counters, now } = this.#state()
    const window = keyOfWindow(windowOf(now(), calendar))
    const used = (account: string) => counters.of(account).spend[window]?.used ?? NO_SPEND.used
    const scan = order === 'label' ? scanByLabel : scanById
    for await (const page of scan(records, after))
      yield page.map(([id, account]) => {
        const record = recordOf(id, account)
        return spend ? { ...record, used: used(id) } : record
      })
  }

  async changeTerms({ account, change, by, opens }: TermsChange): Promise<AccountRecord | undefined> {
    const { records, now } = this.#state()
    const at = now()
    return records.transact(() => {
      const before = readAccount(records, account)
      if (!before && !opens) return undefined
      const known = before ?? newAccount('developer', account, at)
      if (!before) relabel(records, account, undefined, known)
      const { terms, ...entry } = changed(known.terms, change)
      if (entry.before === entry.after) return recordOf(account, known)
      writeAccount(records, account, { ...known, terms })
      noteChange(records, { at, by, account, ...entry })
      return findAccount(records, account)
    })
  }

  async changeSignIns(asked: SignInsChange): Promise<SignInsChanged> {
    const { records, now } = this.#state()
    const at = now()
    const { account, change, by } = asked
    return records.transact(() => {
      const known = readAccount(records, account)
      if (!known) return { outcome: 'unknown' } as const
      const other = 'join' in change ? joinedBy(records, change.join) : undefined
      if (other !== undefined && other !== account) return { outcome: 'joined-other' } as const
      const next = changedSignIns(known, asked, at)
      if ('action' in next) {
        const { signIns, contacts, ...entry } = next
        writeAccount(records, account, { ...withSignIns(known, signIns), ...(contacts && { contacts }) })
        index(records, asked)
        noteChange(records, { at, by, account, ...entry })
      } else if (next.outcome !== 'unchanged') return next
      return { outcome: 'changed', record: recordOf(account, accountIn(records, account)) } as const
    })
  }

  async changeContacts(asked: ContactsChange): Promise<ContactsChanged> {
    const { records, now } = this.#state()
    const at = now()
    const { account, by } = asked
    return records.transact(() => {
      const known = readAccount(records, account)
      if (!known) return { outcome: 'unknown' } as const
      const next = changedContacts(known.contacts ?? {}, asked, at)
      if ('action' in next) {
        const { contacts, ...entry } = next
        writeAccount(records, account, { ...known, contacts })
        noteChange(records, { at, by, account, ...entry })
      } else if (next.outcome !== 'unchanged') return next
      return { outcome: 'changed', record: recordOf(account, accountIn(records, account)) } as const
    })
  }

  async noteChange(change: GatewayChange): Promise<void> {
    const { records, now } = this.#state()
    const at = now()
    await records.transact(() => noteChange(records, { ...change, at, account: '' }))
  }

  async *readAudit({ account, since = 0 }: AuditQuery = {}): AsyncGenerator<AuditRow, void, undefined> {
    for await (const page of pagesOf(this.#state().records.audit)) {
      for (const { value } of page) {
        if (value.at >= since && (account === undefined || value.account === account)) yield value
      }
    }
  }

  async *readAuditBack({ account }: Pick<AuditQuery, 'account'> = {}): AsyncGenerator<AuditRow, void, undefined> {
    for await (const page of pagesOf(this.#state().records.audit, { reverse: true }))
      for (const { value } of page) if (account === undefined || value.account === account) yield value
  }

  async readSpend(account: string, calendar?: Calendar): Promise<SpendReading> {
    const { records, counters, now } = this.#state()
    if (!records.accounts.doesExist(account)) throw new Error(`there is no account ${account}`)
    const window = windowOf(now(), calendar)
    const { used, held } = counters.of(account).spend[keyOfWindow(window)] ?? NO_SPEND
    return { used, held, window }
  }

  async readUsage(account: string, calendar?: Calendar): Promise<AccountUsage | undefined> {
    const { records, counters, now } = this.#state()
    const record = findAccount(records, account)
    if (!record) return undefined
    const at = now()
    const window = windowOf(at, calendar)
    const counted = counters.of(account)
    return { record, window, ...readingsOf(counted, keyOfWindow(window), at), newest: newestSecond(counted, at), at }
  }

  async countEvent(counts: readonly EventCount[], window: Millis): Promise<Millis> {
    return this.#events.count(counts, window, this.#state().now())
  }
}

/** Writes an audit row in the transaction of the change itself, so that there is never one without the other. */
export function noteChange({ audit, meta }: Records, row: AuditRow): void {
  const number = (meta.get('audited') ?? 0) + 1
  meta.put('audited', number)
  audit.put(number, row)
}

function findAccount(records: Records, account: string): AccountRecord | undefined {
  const found = readAccount(records, account)
  return found && recordOf(account, found)
}

const recordOf = (
  account: string,
  { activeKey: _active, keys: _keys, believedAt: _believed, ...record }: Account,
): AccountRecord => ({ account, ...record })

/** The account that a sign-in joined. */
const joinedBy = ({ joined }: Pick<Records, 'joined'>, signIn: string): string | undefined => joined.get(signIn)

function index({ joined }: Records, { account, change }: SignInsChange): void {
  if ('join' in change) joined.put(change.join, account)
  if ('remove' in change) joined.remove(change.remove)
}

function withSignIns(
  { invitation: _invitation, signIns: _signIns, ...account }: Account,
  signIns: Pick<Account, 'invitation' | 'signIns'>,
): Account {
  return { ...account, ...signIns }
}

export const newAccount = (kind: Account['kind'], label: string, createdAt: EpochMs): Account => ({
  kind,
  label,
  terms: {},
  activeKey: null,
  keys: [],
  createdAt,
})

/** An account that another record names. Throws an Error when there is none. */
export function accountIn(records: Records, account: string): Account {
  const found = readAccount(records, account)
  if (!found) throw new Error(`there is no account ${account}`)
  return found
}

/** The account with the claims of its token; the same object when they change nothing. A token without a label leaves the label. */
function signedIn(records: Records, known: Account, { account, claimed, org, label, issuedAt = 0 }: SignedIn): Account {
  // A token older than the last one that changed something changes nothing.
  if (issuedAt < (known.believedAt ?? 0)) return known
  // A label that an operator gave stays.
  const isGiven = records.labels.get(known.label) === account
  const shown = isGiven ? known.label : labelAfter(records, account, known.label, label)
  const terms = withClaims(known.terms, { claimed, org })
  if (shown === known.label && sameTerms(terms, known.terms)) return known
  return { ...known, label: shown, terms, believedAt: issuedAt }
}

/** A claim never makes an account look like another one: the label then stays, which begins as the id. */
function labelAfter(records: Records, account: string, before: string, claimed = before): string {
  return claimed === before || lookAlikeOf(records, claimed, account) ? before : claimed
}

function relabel(records: Records, id: string, before: Account | undefined, after: Account): void {
  const { signInLabels } = records
  writeAccount(records, id, after)
  if (before?.label === after.label) return
  if (before) {
    signInLabels.remove([before.label, id])
    forgetShapes(records, before.label, id)
  }
  signInLabels.put([after.label, id], true)
  noteShapes(records, after.label, id)
}

function signedInUnder({ signInLabels }: Records, label: string): string[] {
  const ids: string[] = []
  for (const [name, account] of signInLabels.getKeys({ start: [label] })) {
    if (name !== label) break
    ids.push(account)
  }
  return ids
}

/** Counts events by name in a running window, in memory. An event counts until a whole window has passed. */
export class EventWindows {
  /** When it is full or a window old it becomes the older generation; a name that is counted again moves to the newer. */
  #times = new Map<string, Times>()
  #timesBefore = new Map<string, Times>()
  #counted = 0
  #since: EpochMs = Number.POSITIVE_INFINITY
  #longest: Millis = 0

  /** Names in memory. */
  get size(): number {
    return this.#times.size + this.#timesBefore.size
  }

  /** Counts one event under each name and returns 0; or counts none and returns the wait until there is room. */
  count(counts: readonly EventCount[], window: Millis, now: EpochMs): Millis {
    this.#turn(window, now)
    const present = counts.map(({ name, limit }) => ({ name, limit, times: this.#present(name, window, now) }))
    const wait = Math.max(0, ...present.map(({ limit, times }) => waitOf(times, limit, window, now)))
    if (wait > 0) return wait
    for (const { name, times } of present) this.#times.set(name, [...times, now])
    this.#counted += present.length
    return 0
  }

  #turn(window: Millis, now: EpochMs): void {
    this.#longest = Math.max(this.#longest, window)
    this.#since = Math.min(this.#since, now)
    if (this.#counted < EVENTS_KEPT && now - this.#since < this.#longest) return
    this.#timesBefore = this.#times
    this.#times = new Map()
    this.#counted = 0
    this.#since = now
  }

  /** Oldest first. When the clock stepped back, what lies ahead of it counts as of now, and leaves a window later. */
  #present(name: string, window: Millis, now: EpochMs): Times {
    const times = this.#times.get(name) ?? this.#timesBefore.get(name) ?? []
    const present = times.filter(time => time > now - window)
    if ((present.at(-1) ?? 0) <= now) return present
    const moved = present.map(time => Math.min(time, now))
    this.#times.set(name, moved)
    return moved
  }
}

function waitOf(times: Times, limit: number, window: Millis, now: EpochMs): Millis {
  if (times.length < limit) return 0
  const leaving = times[times.length - limit]
  return leaving === undefined ? window : leaving + window - now
}

/** The most events of a generation. Under a flood of names the oldest are forgotten before their window is over. */
const EVENTS_KEPT = 50_000

type Times = readonly EpochMs[]
