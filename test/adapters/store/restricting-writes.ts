import type { Store } from '../../../src/gateway/store/store.ts'
import type { LimitRule } from '../../../src/policy/limits/rule.ts'
import { mintOf } from './fixtures.ts'

type Write = (store: Store) => Promise<unknown>

const LIMIT: LimitRule = { measure: 'requests', most: 2, per: 'day' }
const BY = 'operator'

const mint =
  (name: string, narrowed: object): Write =>
  store =>
    store.keys.mint({ ...mintOf(name, name), name, ...narrowed })

const changed =
  (name: string, change: Parameters<Store['accounts']['changeTerms']>[0]['change']): Write =>
  async store => {
    await store.keys.mint(mintOf(name, name))
    await store.orgs.open('lab')
    await store.accounts.changeTerms({ account: `acct_${name}`, change, by: BY })
  }

const orgChanged =
  (change: Parameters<Store['orgs']['changeTerms']>[0]['change']): Write =>
  async store => {
    await store.orgs.open('lab')
    await store.orgs.changeTerms({ org: 'lab', change, by: BY })
  }

/** A write of each member that restricts, by the table of `restrictions.ts` that has its step. */
export const RESTRICTING_WRITES: Readonly<Record<'key' | 'account' | 'terms', Readonly<Record<string, Write>>>> = {
  key: {
    expiresAt: mint('ending', { life: 60_000 }),
    models: mint('narrow', { models: ['svc-core'] }),
    addresses: mint('bound', { addresses: ['10.9.9.9'] }),
    limits: mint('limited', { limits: [LIMIT] }),
    apart: mint('apart', { apart: 'key_apart' }),
    labels: mint('labelled', { labels: { project: 'web' } }),
  },
  account: {
    signIns: async store => {
      await store.keys.mint(mintOf('joined', 'joined'))
      const own = { account: 'acct_joined', by: BY }
      await store.accounts.changeSignIns({ ...own, change: { invite: 'hash-of-secret', forMs: 60_000 } })
      await store.accounts.changeSignIns({ ...own, change: { join: 'acct_person', secret: 'hash-of-secret' } })
    },
  },
  terms: {
    frozen: changed('frozen', { frozen: true }),
    limits: changed('capped', { limit: LIMIT }),
    org: changed('member', { org: 'lab' }),
    deactivated: changed('leaver', { deactivated: true }),
  },
}

/** Other ways to the same members. */
export const FURTHER_WRITES: Readonly<Record<string, Write>> = {
  'a rotation with a grace': async store => {
    await store.keys.mint(mintOf('graced', 'graced'))
    await store.keys.rotate({ ...rotationOf('graced'), overlap: { grace: 60_000, most: 5 } })
  },
  'a rotation to a key that ends': async store => {
    await store.keys.mint(mintOf('turned', 'turned'))
    await store.keys.rotate({ ...rotationOf('turned'), life: 60_000 })
  },
  'a rotation to a key with limits': async store => {
    await store.keys.mint(mintOf('held', 'held'))
    await store.keys.rotate({ ...rotationOf('held'), limits: [LIMIT] })
  },
  'a rotation to a key that keeps responses apart': async store => {
    await store.keys.mint(mintOf('seen', 'seen'))
    await store.keys.rotate({ ...rotationOf('seen'), apart: 'key_seen' })
  },
  'a value of a label, with which the first row that has it is written': async store => {
    await store.labels.take({ account: 'acct_ada', label: 'project', value: 'web', most: 3 })
  },
  'a frozen org': orgChanged({ frozen: true }),
  'an org with a limit': orgChanged({ limit: LIMIT }),
}

/** Writes that every build enforces, or may ignore. */
export async function writeUnrestricted(store: Store): Promise<void> {
  await store.keys.mint(mintOf('ada', 'ada'))
  await store.keys.mint({ ...mintOf('ada', 'second'), name: 'second' })
  await store.keys.rotate(rotationOf('ada'))
  await store.keys.mint(mintOf('eve', 'eve'))
  await store.keys.revoke({ hash: 'hash-eve', by: BY })
  await store.keys.mintGuest({ account: 'dev_phone', key: { hash: 'hash-of-phone', prefix: 'svc_9xYz…' } })
  await store.accounts.signIn({ account: 'acct_signed', claimed: 'pro', label: 'signed', issuedAt: 1 })
  for (const change of [{ override: 'team' }, { overage: true }, { grant: 5 as never, window: 0 }])
    await store.accounts.changeTerms({ account: 'acct_ada', change, by: BY })
  await store.orgs.open('plain')
  await store.accounts.changeSignIns({ account: 'acct_ada', change: { invite: 'hash-of-open', forMs: 60_000 }, by: BY })
  await store.keys.noteUses([{ hash: 'hash-second', account: 'acct_ada', ago: 0 }])
}

const rotationOf = (name: string) => ({
  account: `acct_${name}`,
  current: `hash-${name}`,
  next: { hash: `hash-${name}-next`, prefix: 'svc_next…' },
  by: BY,
})
