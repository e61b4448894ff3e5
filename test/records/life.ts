import type { HoldStore } from '../../src/gateway/store/hold-store.ts'
import type { Store } from '../../src/gateway/store/store.ts'
import type { Claims } from '../../src/policy/decision.ts'
import type { LimitWindow, Measure } from '../../src/policy/limits/rule.ts'
import type { RuleClaim } from '../../src/policy/limits/rule-claim.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import type { Bill } from '../../src/records/ledger-row.ts'
import {
  admission,
  admit,
  type Clock,
  claimsOf,
  extension,
  LAPSED,
  mintOf,
  openGuest,
  openShop,
  type Shop,
  settlement,
  waste,
} from '../adapters/store/fixtures.ts'
import { FULL_BILL } from './rows.ts'

/** Has a store write each kind of record by the calls that gateways make, so that what it wrote can be compared byte for byte. */
export async function live(store: Store, clock: Clock): Promise<void> {
  const shop = await openShop(store)
  await changeKeysAndAccounts(store)
  clock.at += 1000
  await settleRequests(store, shop, clock)
  await holdRules(store, shop)
  await serveGuests(store)
  clock.at += 1000
  await keepTheRest(store, shop)
  await joinByInvitation(store)
}

/** Behind all others, so that the numbers of their keys and of their rows in the audit stay. */
async function joinByInvitation({ keys, accounts }: Store): Promise<void> {
  await keys.mint(mintOf('team', 'team'))
  const change = (change: Parameters<typeof accounts.changeSignIns>[0]['change'], by = 'ops') =>
    accounts.changeSignIns({ account: 'acct_team', change, by })
  await change({ invite: 'hash-of-secret', forMs: 60_000 })
  await change({ join: 'acct_person', secret: 'hash-of-secret' }, 'acct_person')
  await change({ invite: 'hash-of-next', forMs: 60_000 })
}

async function changeKeysAndAccounts({ keys, accounts, orgs }: Store): Promise<void> {
  const narrowed = {
    models: ['svc-core'],
    addresses: ['10.0.0.0/8'],
    limits: [{ measure: 'tokens', most: 9, per: 'day' }] as const,
    apart: 'key_ci',
  }
  const own = { account: 'acct_shop' }
  const ci = { ...mintOf('shop', 'ci'), key: { hash: 'hash-ci', prefix: 'svc_ci…', id: 'key_ci' }, owner: own }
  await keys.mint({ ...ci, name: 'ci “é”', life: 60_000, ...narrowed })
  const next = { hash: 'hash-next', prefix: 'svc_next…', id: 'key_next' }
  const overlap = { grace: 5000, most: 50 }
  await keys.rotate({ account: 'acct_shop', current: 'hash-ci', next, overlap, limits: [], by: 'ops' })
  await keys.mint({ ...ci, key: { hash: 'hash-old', prefix: 'svc_old…', id: 'key_old' }, name: 'old' })
  const after = { hash: 'hash-new', prefix: 'svc_new…', id: 'key_new' }
  await keys.rotate({ account: 'acct_shop', current: 'hash-old', next: after, by: 'ops' })
  await keys.revoke({ hash: 'hash-new', by: 'ops' })
  await keys.noteUses([{ hash: 'hash-next', account: 'acct_shop', ago: 500 }])
  await accounts.signIn({ account: 'acct_sign', claimed: 'free', label: 'Sign “é” in', issuedAt: 1000 })
  await orgs.open('lab')
  await orgs.changeTerms({ org: 'lab', change: { limit: { measure: 'requests', most: 5, per: 'day' } }, by: 'ops' })
  const change = (change: Parameters<typeof accounts.changeTerms>[0]['change']) =>
    accounts.changeTerms({ account: 'acct_sign', change, by: 'ops' })
  await change({ override: 'pro' })
  await change({ overage: { capNanoUsd: nanoUsd(9) } })
  await change({ grant: nanoUsd(5), window: claimsOf().spend.window.start })
  await change({ limit: { measure: 'tokens', most: 5, per: 'hour' } })
  await change({ org: 'lab' })
  await change({ frozen: true })
  await accounts.noteChange({ by: 'ops', action: 'apply', before: 'r1', after: 'r2' })
}

/** Settles requests with every possible ending, and leaves one running. */
async function settleRequests(store: Store, shop: Shop, clock: Clock): Promise<void> {
  const { holds, ledger } = store
  const full = settlement(await admit(store, shop, 'req_1'))
  await holds.settle({ ...full, bill: { ...FULL_BILL, ...own(full.bill) } })
  await holds.refund(await admit(store, shop, 'req_2'))
  const [orphan, resumed] = [await admit(store, shop, 'req_3'), await admit(store, shop, 'req_4')]
  const charge = { tokens: 12, cost: nanoUsd(14) }
  const pieces = { images: 1, seconds: 2 }
  const soFar = (hold: typeof orphan) => ({ ...settlement(hold, charge), pieces })
  await holds.heartbeat([orphan, resumed].map(hold => ({ hold, soFar: soFar(hold) })))
  clock.at += LAPSED
  await holds.sweep()
  await holds.heartbeat([{ hold: resumed, soFar: soFar(resumed) }])
  await holds.settle(settlement(orphan))
  await holds.settle(settlement(await admit(store, shop, 'req_5')))
  await ledger.recordWaste([waste(orphan)])
  await holds.extend(extension(await admit(store, shop, 'req_6'), charge))
}

const own = ({ requestId, account, admittedAt, cost }: Bill) => ({ requestId, account, admittedAt, cost })

const rule = (measure: Measure, group: string, per: LimitWindow): RuleClaim => ({
  group,
  field: `${measure}/${per}//`,
  rule: { measure, most: 1_000_000, per },
})

/** Requests that rules count: one of the account, and one that accounts share. */
async function holdRules(store: Store, shop: Shop): Promise<void> {
  const rules = [rule('tokens', 'account', 'hour'), rule('images', 'plan:pro', 'minute')]
  const claims: Claims = { ...claimsOf(), rules, pieces: { images: 1 } }
  const { holds } = store
  const [one, two, three] = [
    await ruled(holds, shop, 'req_7', claims),
    await ruled(holds, shop, 'req_8', claims),
    await ruled(holds, shop, 'req_9', claims),
  ]
  await holds.settle({ ...settlement(one), pieces: { images: 1 } })
  await holds.extend({ ...extension(two, { tokens: 12, cost: nanoUsd(14) }), claims })
  await holds.heartbeat([{ hold: three, soFar: settlement(three) }])
}

async function ruled(holds: HoldStore, shop: Shop, requestId: string, claims: Claims) {
  for (;;) {
    const answer = await holds.admit(admission(shop, requestId, claims))
    if ('hold' in answer) return answer.hold
    if ('denial' in answer || answer.outcome !== 'counters-missing')
      throw new Error(`${requestId} was not admitted: ${JSON.stringify(answer)}`)
    const begun = answer.counters.map(name => ({ name, counter: [] }))
    await holds.beginCounters(shop.account, begun)
  }
}

async function serveGuests(store: Store): Promise<void> {
  const guest = await openGuest(store)
  for (const requestId of ['req_10', 'req_11'])
    await store.holds.admit({ ...admission(guest, requestId), shared: { limit: nanoUsd(1000) } })
}

async function keepTheRest({ responses, budgets, fleet }: Store, { account }: Shop): Promise<void> {
  const bounds = { bytes: 10_000, responses: 2, total: 100_000 }
  for (const id of ['resp_1', 'resp_2', 'resp_3']) {
    const items = [`item_${id}`, 'item_all']
    await responses.keep({ account, id, items, sealed: Buffer.from(`sealed ${id}`), keep: 60_000 }, bounds)
  }
  await budgets.take({ pool: 'cloud', amount: nanoUsd(10), limit: nanoUsd(100) })
  await fleet.setDrained({ pool: 'cloud', replica: 'http://a' }, true)
}
