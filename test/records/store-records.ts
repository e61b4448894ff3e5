import type { RecordKind, RowState, StoreRecord, StoreRecords } from '../../src/gateway/store/record.ts'
import type { Charge, Hold } from '../../src/policy/counters/account-counters.ts'
import type { Pieces } from '../../src/policy/decision.ts'
import type { StoredTerms } from '../../src/policy/facts.ts'
import type { HeldRules } from '../../src/policy/limits/rule-claim.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import { shownInvoice } from '../../src/wire/invoice/shown-invoice.ts'
import { FULL_BILL, PLAIN_BILL, ROWS } from './rows.ts'

export const AT = Date.UTC(2025, 5, 16, 12)
const MONTH = Date.UTC(2025, 5, 1)
const DAY = Math.floor(AT / 86_400_000)

const FULL_PIECES: Required<Pieces> = { images: 1, seconds: 2 }
const FULL_SPENT: Required<Charge> = { tokens: 5, cost: nanoUsd(6), input: 4, pieces: FULL_PIECES }
const FULL_RULES: Required<HeldRules> = {
  weight: { input: 1, output: 2, images: 3, seconds: 4, cost: 5 },
  taken: [
    { group: 'account', field: 'tokens/hour//', cell: 7 },
    { group: 'plan:pro', field: 'usd/day//', cell: DAY },
  ],
}

const PLAIN_HOLD: Hold = {
  requestId: 'req_0197774bb400bbbbbbbbbbbb',
  account: 'acct_shop',
  second: AT / 1000,
  window: MONTH,
  at: AT,
  round: 0,
  output: 20,
  tokens: 30,
  cost: nanoUsd(50),
  spent: { tokens: 0, cost: nanoUsd(0) },
}

/** A hold with every field. A new one does not compile until it is here. */
export const FULL_HOLD: Required<Hold> = {
  ...PLAIN_HOLD,
  requestId: FULL_BILL.requestId,
  round: 1,
  spent: FULL_SPENT,
  rules: FULL_RULES,
  apart: true,
}

const FULL_TERMS: Required<StoredTerms> = {
  override: 'pro',
  claimed: 'free',
  overage: { capUsd: nanoUsd(9) },
  grants: { [MONTH]: nanoUsd(5) },
  frozen: true,
  limits: [{ measure: 'tokens', most: 5, per: 'hour', of: 'key', model: 'svc-core' }],
  org: 'lab',
  orgClaimed: true,
  deactivated: true,
}

/** No total says how long the cache keeps what was written. */
type Full<Kind extends RecordKind> = Omit<Required<StoreRecords[Kind]>, 'cacheWrite1hTokens'>

/** A record of each kind with every field, and others without what may be absent. A new field does not compile until it is here. */
const RECORDS: { readonly [Kind in RecordKind]: readonly [Full<Kind>, ...StoreRecords[Kind][]] } = {
  store: [{ minted: 7, epoch: 'epoch' }],
  hold: [
    {
      hold: FULL_HOLD,
      readings: { requests: 1, tokens: 2, day: 3, open: 4, used: nanoUsd(5), held: nanoUsd(6) },
      leaseUntil: AT + 30_000,
      soFar: { tokens: 30, bill: FULL_BILL, pieces: FULL_PIECES },
      shared: true,
    },
    {
      hold: PLAIN_HOLD,
      readings: { requests: 0, tokens: 0, day: 0, open: 0, used: nanoUsd(0), held: nanoUsd(0) },
      leaseUntil: AT + 30_000,
    },
  ],
  account: [
    {
      account: 'acct_shop',
      kind: 'developer',
      label: 'Shop “é” 1',
      terms: FULL_TERMS,
      createdAt: AT,
      activeKey: 'hash-full',
      keys: ['hash-full', 'hash-plain'],
      believedAt: AT - 1000,
      invitation: { hash: 'hash-of-invitation', expiresAt: AT + 86_400_000 },
      signIns: ['acct_person'],
      contacts: {
        at: [80],
        mail: 'ada@example.com',
        asked: { mail: 'new@example.com', hash: 'hash-of-token', expiresAt: AT + 86_400_000 },
        webhook: { url: 'https://hooks.example.com/', secret: 'whsec_AAAA' },
      },
    },
    { account: 'acct_b', kind: 'developer', label: 'b', terms: {}, createdAt: AT, activeKey: null, keys: [] },
    { account: 'dev_a', kind: 'guest', label: 'dev_a', terms: {}, createdAt: AT, activeKey: null, keys: ['hash-dev'] },
  ],
  key: [
    {
      hash: 'hash-full',
      account: 'acct_shop',
      keyPrefix: 'svc_7Hq2…',
      createdAt: AT,
      number: 1,
      id: 'key_full',
      name: 'ci “é”',
      status: 'active',
      lastUsedAt: AT + 60_000,
      replacedBy: 'key_next',
      origin: 'key_first',
      expiresAt: AT + 86_400_000,
      models: ['svc-core', 'tier:basic'],
      addresses: ['10.0.0.0/8'],
      limits: [{ measure: 'usd', most: 3, per: 'day' }],
      apart: 'key_full',
      labels: { project: 'web' },
    },
    { hash: 'hash-plain', account: 'acct_shop', keyPrefix: 'svc_p…', createdAt: AT, number: 2, status: 'rotated' },
    { hash: 'hash-dev', account: 'dev_a', keyPrefix: 'svc_d…', createdAt: AT, number: 3, status: 'revoked' },
  ],
  org: [
    { org: 'lab', terms: { frozen: true, limits: [{ measure: 'requests', most: 5, per: 'day' }] }, createdAt: AT },
    { org: 'other', terms: {}, createdAt: AT },
  ],
  opened: [{ label: 'Shop “é” 1', account: 'acct_shop' }],
  labelled: [{ label: 'b', account: 'acct_b' }],
  value: [{ account: 'acct_shop', label: 'project', value: 'web' }],
  counters: [
    {
      account: 'acct_shop',
      minute: [
        { second: AT / 1000 - 1, requests: 1, tokens: 30 },
        { second: AT / 1000, requests: 2, tokens: 60 },
      ],
      calendar: [{ number: DAY, requests: 3 }],
      used: { [MONTH]: nanoUsd(70) },
    },
    { account: 'acct_b', minute: [], calendar: [], used: { [MONTH - 86_400_000]: nanoUsd(8) } },
  ],
  rules: [
    {
      account: 'acct_shop',
      group: 'account',
      counters: [
        [
          'tokens/hour//',
          [
            [6, 40],
            [7, 50],
          ],
        ],
      ],
    },
    { account: '', group: 'plan:pro', counters: [['usd/day//', [[DAY, 80]]]] },
  ],
  pool: [{ pool: 'cloud', hour: [{ minute: Math.floor(AT / 60_000), cost: nanoUsd(9) }] }],
  fleet: [{ drained: [{ pool: 'cloud', replica: 'http://a' }] }],
  guests: [{ day: DAY, used: nanoUsd(12) }],
  total: [
    {
      ...{ day: DAY, account: 'acct_shop', plan: 'pro', model: 'svc-core', key: 'key_full' },
      ...{ requests: 1, inputTokens: 2, outputTokens: 3, cost: nanoUsd(4), cachedTokens: 5, cacheWriteTokens: 6 },
      saved: nanoUsd(7),
    },
    {
      ...{ day: DAY, account: 'acct_shop', plan: 'pro', model: 'svc-core' },
      ...{ requests: 1, inputTokens: 2, outputTokens: 3, cost: nanoUsd(4) },
    },
    {
      ...{ day: DAY, account: 'acct_shop', plan: 'pro', model: 'svc-fast' },
      ...{ requests: 1, inputTokens: 2, outputTokens: 3, cost: nanoUsd(4), cachedTokens: 5 },
    },
  ],
  tools: [
    {
      ...{ day: DAY, account: 'acct_shop', plan: 'pro', model: 'svc-core', key: 'key_full' },
      ...{ tool: 'search', calls: 2, cost: nanoUsd(3) },
    },
    {
      ...{ day: DAY, account: 'acct_shop', plan: 'pro', model: 'svc-core' },
      ...{ tool: 'input@500', calls: 4, cost: nanoUsd(0) },
    },
  ],
  waste: [
    {
      ...{ day: DAY, pool: 'cloud', attempts: 1, inputTokens: 2, outputTokens: 3, cost: nanoUsd(4) },
      ...{ cachedTokens: 5, cacheWriteTokens: 6, saved: nanoUsd(7) },
    },
    { day: DAY, pool: 'onprem', attempts: 1, inputTokens: 2, outputTokens: 3, cost: nanoUsd(4) },
    { day: DAY, pool: 'spare', attempts: 1, inputTokens: 2, outputTokens: 3, cost: nanoUsd(4), cacheWriteTokens: 6 },
  ],
  row: [
    {
      ...(ROWS.orphan as Required<RowState>),
      ...{ requestId: 'req_0197774bb400cccccccccccc', settledAt: AT },
    },
    ...Object.entries(ROWS).map(([name, row]) => ({ ...row, requestId: `${PLAIN_BILL.requestId}_${name}` })),
  ],
  audit: [
    { at: AT, by: 'ops', action: 'mint', account: 'acct_shop', before: '', after: 'svc_7Hq2… ci' },
    { at: AT + 1, by: 'ops', action: 'apply', account: '', before: 'r1', after: 'r2' },
  ],
  response: [
    {
      account: 'acct_shop',
      id: 'resp_1',
      items: ['item_1', 'item_2'],
      expiresAt: AT + 60_000,
      sealed: Buffer.from('sealed').toString('base64'),
    },
    {
      account: 'acct_shop',
      id: 'resp_2',
      items: [],
      expiresAt: AT + 90_000,
      sealed: Buffer.from('other').toString('base64'),
    },
  ],
  invoice: [
    {
      account: 'acct_shop',
      month: '2025-05',
      issuedAt: AT,
      used: nanoUsd(50),
      late: { '2025-04': nanoUsd(7) },
      invoice: shownInvoice(
        {
          ...{ number: 'INV-2025-05-shop', state: 'issued', issued_at: new Date(AT).toISOString() },
          ...{ account: 'acct_shop', label: 'shop', gateway: 'https://llm.example.com' },
          ...{
            seller: { name: 'Seller', address: 'A\nB', tax_id: null, contact: null },
            round: 'cent',
            month: '2025-05',
          },
        },
        {
          lines: [{ model: 'svc-core', kind: 'input', quantity: 100, price: nanoUsd(500), cost: nanoUsd(50) }],
          ...{ models: [], tools: [], days: [], plans: ['pro'] },
          total: { requests: 1, inputTokens: 100, outputTokens: 0, cost: nanoUsd(50) },
          late: [{ month: '2025-04', number: 'INV-2025-04-shop', cost: nanoUsd(7) }],
        },
      ),
    },
  ],
}

/** All of them, in the order in which a backup has them. */
export const ALL_RECORDS = Object.entries(RECORDS).flatMap(([kind, records]) =>
  (records as readonly unknown[]).map(record => [kind, record] as unknown as StoreRecord),
)
