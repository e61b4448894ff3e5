import { randomUUID } from 'node:crypto'
import { changedContacts } from '../../gateway/accounts/contacts.ts'
import { changedSignIns } from '../../gateway/accounts/invitations.ts'
import type { Labelled } from '../../gateway/accounts/look-alikes.ts'
import { changed, withClaims } from '../../gateway/admission/terms.ts'
import { stepOfAccount } from '../../gateway/restrictions.ts'
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
import type { Calendar } from '../../policy/calendar.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { keyOfWindow, windowOf } from '../../policy/decision.ts'
import { type Caller, storedTerms, type Terms } from '../../policy/facts.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import type { Contacts } from '../../records/account.ts'
import type { AuditRow } from '../../records/audit.ts'
import type { Access } from './access.ts'
import { ACCOUNT_FIELDS, contactsText, readAccount, recordOf, type StoredAccount, signInTexts } from './account-hash.ts'
import { readAuditRow } from './audit-text.ts'
import { termsText } from './codec.ts'
import { readCounts } from './counter-texts.ts'
import { chunksOf, GATEWAYS, GUESTS } from './layout.ts'
import { LookAlikes } from './look-alikes.ts'
import type { RedisOrgs } from './orgs.ts'
import { textsBy } from './places.ts'

/** Accounts, their audit and their counters. A change compares the terms it read: of two at once the second reads again. */
export class RedisAccounts implements AccountStore {
  readonly #access: Access
  readonly #orgs: RedisOrgs
  readonly #lookAlikes: LookAlikes
  readonly scanOrders = []

  constructor(access: Access, orgs: RedisOrgs) {
    this.#access = access
    this.#orgs = orgs
    this.#lookAlikes = new LookAlikes(access, account => this.findStored(account))
  }

  async find(account: string): Promise<AccountRecord | undefined> {
    const found = await this.findStored(account)
    return found && recordOf(found)
  }

  /** The account as it lies in Redis, with the text of its terms and its active key. */
  findStored(account: string): Promise<StoredAccount | undefined> {
    const name = this.#access.layout.of(account).account(account)
    return this.#access.find(name, async ({ client }) =>
      readAccount(account, textsBy(ACCOUNT_FIELDS, await client.hmGet(name, [...ACCOUNT_FIELDS]))),
    )
  }

  async findByLabel(label: string): Promise<readonly AccountRecord[]> {
    const { ask, layout } = this.#access
    const [byOperator, bySignIn] = [layout.opened(label), layout.labelled(label)]
    const [opened, labelled] = await Promise.all([
      ask(byOperator, client => client.get(byOperator)),
      ask(bySignIn, client => client.sMembers(bySignIn)),
    ])
    const ids = new Set([...(opened === null ? [] : [opened]), ...labelled])
    const found = await Promise.all([...ids].map(id => this.findStored(id)))
    return found.flatMap(account => (account?.label === label ? [recordOf(account)] : []))
  }

  /** Accounts that signed in and have no key are in no list: they are found by their names in Redis. */
  async *readAll(): AsyncGenerator<AccountRecord, void, undefined> {
    const { layout } = this.#access
    const seen = new Set<string>()
    for await (const names of this.#access.namesLike(layout.everyAccount)) {
      const fresh = names.flatMap(name => layout.accountIn(name) ?? []).filter(account => !seen.has(account))
      for (const account of fresh) seen.add(account)
      const found = await Promise.all(fresh.map(account => this.findStored(account)))
      for (const account of found) if (account) yield recordOf(account)
    }
  }

  async *scan({ wants, spend, calendar }: Scan = {}): AsyncGenerator<readonly ScannedAccount[], void, undefined> {
    const { layout, now } = this.#access
    const window = spend ? keyOfWindow(windowOf(await now(), calendar)) : undefined
    const isWanted = wants ?? (() => true)
    for await (const names of this.#access.namesLike(layout.everyAccount)) {
      const accounts = names.flatMap(name => layout.accountIn(name) ?? [])
      for (const some of chunksOf(accounts, SCANNED_AT_ONCE)) {
        const wanted = some.filter(isWanted)
        if (wanted.length > 0) yield await this.#scanned(wanted, window)
      }
    }
  }

  async #scanned(accounts: readonly string[], window: EpochMs | undefined): Promise<readonly ScannedAccount[]> {
    const { ask, layout } = this.#access
    const read = accounts.map(account => {
      const bucket = layout.bucketOf(account)
      return ask(bucket.epoch, async client => {
        const [found, used] = await Promise.all([
          client.hmGet(bucket.account(account), [...ACCOUNT_FIELDS]),
          window === undefined ? undefined : client.hGet(bucket.spend(account, window), 'used'),
        ])
        const record = readAccount(account, textsBy(ACCOUNT_FIELDS, found))
        if (!record) return []
        return window === undefined ? recordOf(record) : { ...recordOf(record), used: nanoUsd(Number(used ?? 0)) }
      })
    })
    return (await Promise.all(read)).flat()
  }

  /** The account that an operator opened under a label, which may be this new one; or another account whose label looks like it. */
  async openUnder(label: string, newAccount: string): Promise<string | Labelled> {
    const { ask, layout } = this.#access
    await this.#lookAlikes.ready()
    const key = layout.opened(label)
    await this.#access.set('SET', key, newAccount, 'NX')
    const account = (await ask(key, client => client.get(key))) ?? newAccount
    if (await this.findStored(account)) return account
    const other = await this.#lookAlikes.claim({ label, account })
    if (!other) return account
    if (account === newAccount) await this.#access.set('DEL', key)
    return other
  }

  async signIn(token: SignedIn): Promise<Caller> {
    const { account } = token
    for (;;) {
      const [known, joined] = await Promise.all([this.findStored(account), this.#joinedBy(account)])
      if (joined) return this.#callerOf(joined)
      const { terms, label, believed } = await this.#signedIn(known, token)
      if (known && believed === '') return this.#callerOf(known)
      await this.#access.set('SADD', this.#access.layout.labelled(label), account)
      if (label !== known?.label && label !== account) await this.#lookAlikes.claim({ label, account })
      await this.#change(account, known, terms, [label, '', '', '', '', believed])
    }
  }

  /** Terms and label after a token. `believed` is when it was issued where it changes an account, or a blank one; else empty. */
  async #signedIn(known: StoredAccount | undefined, { account, claimed, org, label, issuedAt = 0 }: SignedIn) {
    const before = known ?? { terms: {}, text: termsText({}), label: account, believedAt: 0 }
    // A token older than the last one that changed something changes nothing.
    if (issuedAt < before.believedAt) return { terms: before.terms, label: before.label, believed: '' }
    const terms = withClaims(before.terms, { claimed, org })
    const shown = await this.#labelOf(account, known, label)
    const isChanged = termsText(terms) !== before.text || shown !== before.label
    return { terms, label: shown, believed: isChanged ? String(issuedAt) : '' }
  }

  async changeTerms({ account, change, by, opens }: TermsChange): Promise<AccountRecord | undefined> {
    for (;;) {
      const known = await this.findStored(account)
      if (!known) {
        if (!opens) return undefined
        await this.#openSignIn(account)
        continue
      }
      const { terms, action, before, after } = changed(known.terms, change)
      if (before === after) return recordOf(known)
      const done = await this.#change(account, known, terms, ['', by, action, before, after, ''])
      if (done) return recordOf({ ...known, terms })
    }
  }

  /** Opens the account of a sign-in that has not come yet, under its id. */
  async #openSignIn(account: string): Promise<void> {
    await this.#access.set('SADD', this.#access.layout.labelled(account), account)
    await this.#change(account, undefined, {}, [account, '', '', '', '', ''])
  }

  async changeSignIns(asked: SignInsChange): Promise<SignInsChanged> {
    const { account, change, by } = asked
    const { layout, now } = this.#access
    if ('join' in change && ((await this.#joinedBy(change.join))?.account ?? account) !== account)
      return { outcome: 'joined-other' }
    for (;;) {
      const known = await this.findStored(account)
      if (!known) return { outcome: 'unknown' }
      const next = changedSignIns(known, asked, await now(layout.of(account).epoch))
      if ('action' in next) {
        const { signIns, contacts, action, before, after } = next
        const entry = ['', by, action, before, after, '']
        const done = await this.#change(account, known, known.terms, entry, signIns, contacts)
        if (!done) continue
      } else if (next.outcome !== 'unchanged') return next
      await this.#index(asked)
      return { outcome: 'changed', record: recordOf((await this.findStored(account)) ?? known) }
    }
  }

  async changeContacts(asked: ContactsChange): Promise<ContactsChanged> {
    const { account, by } = asked
    const { layout, now } = this.#access
    for (;;) {
      const known = await this.findStored(account)
      if (!known) return { outcome: 'unknown' }
      const next = changedContacts(known.contacts ?? {}, asked, await now(layout.of(account).epoch))
      if ('action' in next) {
        const { contacts, action, before, after } = next
        const done = await this.#change(
          account,
          known,
          known.terms,
          ['', by, action, before, after, ''],
          known,
          contacts,
        )
        if (!done) continue
      } else if (next.outcome !== 'unchanged') return next
      return { outcome: 'changed', record: recordOf((await this.findStored(account)) ?? known) }
    }
  }

  /** After the account, which decides: a name left over from an interruption here leads nowhere. */
  async #index({ account, change }: SignInsChange): Promise<void> {
    const { layout } = this.#access
    if ('join' in change) await this.#access.set('SET', layout.joined(change.join), account)
    if ('remove' in change) await this.#access.set('DEL', layout.joined(change.remove))
  }

  /** The account that a sign-in joined. */
  async #joinedBy(signIn: string): Promise<StoredAccount | undefined> {
    const name = this.#access.layout.joined(signIn)
    const account = await this.#access.ask(name, client => client.get(name))
    const joined = account === null ? undefined : await this.findStored(account)
    return joined?.signIns?.includes(signIn) ? joined : undefined
  }

  async noteChange({ by, action, before, after }: GatewayChange): Promise<void> {
    const { audit } = this.#access.layout.of(GATEWAYS)
    await this.#access.script(GATEWAYS, 'note', [audit], [by, action, before, after])
  }

  async *readAudit({ account, since = 0 }: AuditQuery = {}): AsyncGenerator<AuditRow, void, undefined> {
    const { layout } = this.#access
    const rows: AuditRow[] = []
    for (const { audit } of account === undefined ? layout.buckets() : [layout.of(account)])
      for await (const row of this.#rowsOf(audit))
        if (row.at >= since && (account === undefined || row.account === account)) rows.push(row)
    yield* rows.sort((a, b) => a.at - b.at)
  }

  /** A page of each bucket at a time. */
  async *readAuditBack({ account }: Pick<AuditQuery, 'account'> = {}): AsyncGenerator<AuditRow, void, undefined> {
    const { layout } = this.#access
    const readers: AsyncGenerator<AuditRow>[] = []
    for (const { audit } of account === undefined ? layout.buckets() : [layout.of(account)])
      readers.push(this.#rowsBack(audit))
    for await (const row of newestOf(readers)) if (account === undefined || row.account === account) yield row
  }

  async readSpend(account: string, calendar?: Calendar): Promise<SpendReading> {
    const { layout, now, ask } = this.#access
    const bucket = layout.of(account)
    const window = windowOf(await now(bucket.epoch), calendar)
    const [found, [used, held]] = await Promise.all([
      this.findStored(account),
      ask(bucket.epoch, client => client.hmGet(bucket.spend(account, keyOfWindow(window)), ['used', 'held'])),
    ])
    if (!found) throw new Error(`there is no account ${account}`)
    return { used: nanoUsd(Number(used ?? 0)), held: nanoUsd(Number(held ?? 0)), window }
  }

  async readUsage(account: string, calendar?: Calendar): Promise<AccountUsage | undefined> {
    const { layout, now, ask } = this.#access
    const bucket = layout.of(account)
    const at = await now(bucket.epoch)
    const window = windowOf(at, calendar)
    // The ring after the newest second, which may be put into it in between.
    const [found, [head, counts, days], ring, [used, held]] = await Promise.all([
      this.findStored(account),
      ask(bucket.epoch, client => client.hmGet(bucket.counters(account), ['head', 'counts', 'calendar'])),
      ask(bucket.epoch, client => client.get(bucket.minute(account))),
      ask(bucket.epoch, client => client.hmGet(bucket.spend(account, keyOfWindow(window)), ['used', 'held'])),
    ])
    if (!found) return undefined
    const spend = { used: nanoUsd(Number(used ?? 0)), held: nanoUsd(Number(held ?? 0)), window }
    return { record: recordOf(found), ...readCounts({ head, counts, calendar: days, ring }, at), ...spend, at }
  }

  async countEvent(counts: readonly EventCount[], window: Millis): Promise<Millis> {
    const { layout } = this.#access
    const names = counts.map(({ name }) => layout.guests.events(name))
    const limits = counts.map(({ limit }) => limit)
    const [outcome, wait] = await this.#access.script(GUESTS, 'count', names, [window, randomUUID(), ...limits])
    return outcome === 'counted' ? 0 : Number(wait)
  }

  async *#rowsOf(key: string): AsyncGenerator<AuditRow> {
    for (let from = '-'; ; ) {
      const page = await this.#access.ask(key, client => client.xRange(key, from, '+', { COUNT: PAGE }))
      for (const { message } of page) yield readAuditRow(message)
      const last = page.at(-1)
      if (!last || page.length < PAGE) return
      from = `(${last.id}`
    }
  }

  async *#rowsBack(key: string): AsyncGenerator<AuditRow> {
    for (let from = '+'; ; ) {
      const page = await this.#access.ask(key, client => client.xRevRange(key, from, '-', { COUNT: SMALL_PAGE }))
      for (const { message } of page) yield readAuditRow(message)
      const last = page.at(-1)
      if (!last || page.length < SMALL_PAGE) return
      from = `(${last.id}`
    }
  }

  /**
   * The label after a sign-in. A token without a label leaves it, and so does one that looks like that of another account; a label that
   * an operator gave stays. Most tokens bring the same one.
   */
  async #labelOf(account: string, known: StoredAccount | undefined, label: string | undefined): Promise<string> {
    const { ask, layout } = this.#access
    const before = known?.label ?? account
    if (label === undefined || label === before) return before
    const key = layout.opened(before)
    const opened = known && (await ask(key, client => client.get(key)))
    if (opened === account || (await this.#lookAlikes.find({ label, account }))) return before
    return label
  }

  async #callerOf({ account, kind, terms, key }: StoredAccount): Promise<Caller> {
    const [keyPrefix, orgTerms] = await Promise.all([
      key === '' ? null : this.#maskOf(account, key),
      this.#orgs.termsFor(terms),
    ])
    return { kind, account, keyPrefix, terms, ...(orgTerms && { orgTerms }) }
  }

  /** Null once the key no longer works. */
  async #maskOf(account: string, key: string): Promise<string | null> {
    const { ask, layout, now } = this.#access
    const name = layout.of(account).key(key)
    const [mask, expires] = await ask(name, client => client.hmGet(name, ['mask', 'expires']))
    return expires && (await now(name)) >= Number(expires) ? null : (mask ?? null)
  }

  /** False when another change came first. A sign-in, which is by no name, waits for no replica: the next one repeats it. */
  async #change(
    account: string,
    known: StoredAccount | undefined,
    after: Terms,
    rest: readonly string[],
    signIns?: Pick<AccountRecord, 'invitation' | 'signIns'>,
    contacts?: Contacts,
  ): Promise<boolean> {
    const bucket = this.#access.layout.of(account)
    const keys = [bucket.account(account), bucket.audit]
    const values = [account, known?.text ?? '', termsText(after), ...rest, '', known?.change ?? '', randomUUID()]
    if (signIns) values.push(...Object.values(signInTexts(signIns)))
    if (contacts) values.push(contactsText(contacts))
    const [, by] = rest
    const { change, control } = this.#access
    const [outcome] = await (by === '' ? change : control)(
      account,
      'change',
      keys,
      values,
      stepOfAccount({ ...known, ...signIns, terms: storedTerms(after) }),
    )
    return outcome === 'done'
  }
}

/** Accounts of a scan that are read at once. */
const SCANNED_AT_ONCE = 200
/** Audit rows that are read at once. */
const PAGE = 256
/** Accounts of each bucket in a page, where all buckets are read side by side. */
const SMALL_PAGE = 32

/** Merges rows of several readers that each have their newest first. */
async function* newestOf(readers: readonly AsyncGenerator<AuditRow>[]): AsyncGenerator<AuditRow, void, undefined> {
  const open = await Promise.all(readers.map(async reader => ({ reader, head: await reader.next() })))
  for (;;) {
    let newest: (typeof open)[number] | undefined
    for (const each of open)
      if (!each.head.done && (!newest || newest.head.done || each.head.value.at > newest.head.value.at)) newest = each
    if (!newest || newest.head.done) return
    yield newest.head.value
    newest.head = await newest.reader.next()
  }
}
