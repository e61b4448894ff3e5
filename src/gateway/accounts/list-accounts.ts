import type { Config } from '../../policy/config.ts'
import { planName } from '../../policy/plan.ts'
import type { LIST_ORDERS } from '../../wire/admin/account.ts'
import type { AccountRecord, AccountStore, Scan, ScannedAccount, ScanOrder, ScanPlace } from '../store/account-store.ts'
import { BoundedHeap } from './bounded-heap.ts'

export type ListOrder = (typeof LIST_ORDERS)[number]

export interface ListQuery {
  /** Only accounts on this plan; without it all but devices, of which there may be very many. */
  readonly plan?: string
  /** Only accounts of this org. */
  readonly org?: string
  /** Only accounts with this in their id or label, in whatever case. */
  readonly search?: string
  readonly order: ListOrder
  /** The maximum. */
  readonly limit: number
  /** Only accounts after it in the order. */
  readonly after?: ScanPlace
}

export interface AccountsPage {
  readonly records: readonly AccountRecord[]
  /** The place after which the next page begins; absent where there is none. */
  readonly next?: ScanPlace
}

/**
 * One page of the accounts that a query asks for. Where the store has its order, only accounts up to the end of the page are
 * looked at; else all are, a few at a time, and no more are kept than the page has.
 */
export function listAccounts(accounts: Scans, config: Config, query: ListQuery): Promise<AccountsPage> {
  const order = accounts.scanOrders.find(each => each === query.order)
  const isFast = order === 'id' || (order === 'label' && isFastByLabel(config, query))
  return isFast ? firstOf(accounts, config, query, order) : leastOf(accounts, config, query)
}

/** The label index has no devices. Scanning most of it for a few matches takes longer than scanning all accounts in storage order. */
const isFastByLabel = ({ guestPlan }: Config, { plan, org, search }: ListQuery): boolean =>
  org === undefined && search === undefined && (plan === undefined || plan !== guestPlan?.name)

type Scans = Pick<AccountStore, 'scan' | 'scanOrders'>

async function firstOf(accounts: Scans, config: Config, query: ListQuery, order: ScanOrder): Promise<AccountsPage> {
  const { limit, after } = query
  const isListed = filterOf(config, query)
  const records: AccountRecord[] = []
  for await (const page of accounts.scan({ order, ...(after && { after }) })) {
    for (const record of page) {
      const last = records.at(-1)
      if (!isListed(record)) continue
      if (last && records.length === limit)
        return { records, next: { rank: RANKS[order](last), account: last.account } }
      records.push(record)
    }
  }
  return { records }
}

async function leastOf(accounts: Scans, config: Config, query: ListQuery): Promise<AccountsPage> {
  const { limit } = query
  const first = new BoundedHeap<Placed>(limit + 1, inOrder)
  const take = takerOf(config, query, first)
  for await (const page of accounts.scan(scanOf(config, query, first))) page.forEach(take)
  const found = first.inOrder()
  const shown = found.slice(0, limit)
  const records = shown.map(({ record }) => record)
  const last = shown.at(-1)
  if (!last || found.length <= limit) return { records }
  return { records, next: { rank: last.rank, account: last.account } }
}

/** Takes an account that belongs on the page, as far as is known, once. */
function takerOf(config: Config, query: ListQuery, first: BoundedHeap<Placed>): (record: ScannedAccount) => void {
  const { order, after } = query
  const isListed = filterOf(config, query)
  const kept = new Set<string>()
  return record => {
    const { account } = record
    if (!isListed(record)) return
    const placed = { record, rank: RANKS[order](record), account }
    const isBefore = after !== undefined && inOrder(placed, after) <= 0
    if (isBefore || !first.takes(placed) || kept.has(account)) return
    kept.add(account)
    first.offer(placed)
  }
}

interface Placed extends ScanPlace {
  readonly record: AccountRecord
}

const RANKS: Readonly<Record<ListOrder, (account: ScannedAccount) => string | number>> = {
  label: ({ label }) => label,
  created: ({ createdAt }) => -createdAt,
  spend: ({ used = 0 }) => -used,
  id: ({ account }) => account,
}

const inOrder = (a: ScanPlace, b: ScanPlace): number =>
  a.rank === b.rank ? compared(a.account, b.account) : compared(a.rank, b.rank)

function compared<T extends string | number>(a: T, b: T): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** In the order of ids it is known of many accounts that they are not on the page before anything else of them is. */
function scanOf({ calendar }: Config, { order, after }: ListQuery, first: BoundedHeap<Placed>): Scan {
  if (order === 'spend') return { spend: true, ...(calendar && { calendar }) }
  if (order !== 'id') return {}
  const isBehind = (account: string) => !after || account > after.account
  return { wants: account => isBehind(account) && first.takes({ rank: account, account } as Placed) }
}

function filterOf(config: Config, { plan, org, search }: ListQuery): (record: AccountRecord) => boolean {
  const part = search?.toLowerCase()
  return record =>
    (plan === undefined ? record.kind !== 'guest' : planName(config, record) === plan) &&
    (org === undefined || record.terms.org === org) &&
    (part === undefined || record.label.toLowerCase().includes(part) || record.account.toLowerCase().includes(part))
}
