import { expect, it, onTestFinished } from 'vitest'
import { EventWatch } from '../../../src/gateway/notices/event-watch.ts'
import type { SeenIncident, SeenIncidents } from '../../../src/gateway/notices/incident-changes.ts'
import { incidentChanges } from '../../../src/gateway/notices/incident-changes.ts'
import type { NoticeEventName, NoticeRule } from '../../../src/policy/limits/notice-rule.ts'
import { noticeText } from '../../../src/wire/admin/notice.ts'
import { newDirectory, openHere } from '../../adapters/store/directory.ts'
import { mintOf, NOON } from '../../adapters/store/fixtures.ts'
import { VirtualClock } from '../../support/clock.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const ejected = (replica: string, openedAt: number, endedAt?: number): SeenIncident => ({
  incident: 'replica-ejected',
  state: endedAt === undefined ? 'open' : 'over',
  severity: 'ticket',
  title: 'A replica is ejected',
  subject: { pool: 'onprem', replica },
  opened_at: new Date(openedAt).toISOString(),
  ended_at: endedAt === undefined ? null : new Date(endedAt).toISOString(),
  action: 'Repair it.',
  runbook: 'docs/incidents.md#replica-ejected',
})

const on = (...names: NoticeEventName[]): NoticeRule => ({ at: [], of: [], on: names, to: ['ops'] })

async function start(rules: readonly NoticeRule[]) {
  const clock = new VirtualClock(NOON)
  const store = await openHere(await newDirectory(), clock.now)
  onTestFinished(() => store.close())
  const seen: { now: SeenIncidents } = { now: { incidents: [], isWhole: true } }
  const alarms: string[] = []
  const watchOf = () =>
    new EventWatch({
      ...{ notices: store.notices, accounts: store.accounts, keys: store.keys, rules: () => rules, clock },
      incidents: async () => seen.now,
      alarm: (text, { error } = {}) => void alarms.push(`${text} ${error}`),
    })
  const watch = watchOf()
  /** A look at everything, after so long. */
  const look = async (after: number, by = watch) => {
    clock.advance(after)
    by.begin(() => true)
    await by.done
    expect(alarms).toEqual([])
  }
  const texts = async () => (await store.notices.readNewest(50)).map(({ event }) => noticeText(event)).reverse()
  return { clock, store, seen, watchOf, look, texts }
}

it('a key is announced a week and a day before it stops working, once, whichever gateway looks', async () => {
  const { store, look, watchOf, texts } = await start([on('expiring_keys')])
  const mint = (label: string, days: number) =>
    store.keys.mint({ ...mintOf(label, label), life: days * DAY_MS + 2 * HOUR_MS })
  await mint('long', 30)
  await mint('short', 3)
  await look(0)
  expect(await texts()).toEqual([])
  for (let turn = 0; turn < 31 * 4; turn++) await look(6 * HOUR_MS, turn % 2 === 0 ? watchOf() : undefined)
  const at = (days: number) => `${new Date(NOON + days * DAY_MS + 2 * HOUR_MS).toISOString().slice(0, 10)} 14:00 UTC`
  const announced = (await texts()).map(text => text.replace(/^Key .* of account \S+/, 'A key of'))
  expect(announced).toEqual([
    `A key of (short) stops working at ${at(3)}. Mint a replacement before then.`,
    `A key of (long) stops working at ${at(30)}. Mint a replacement before then.`,
    `A key of (long) stops working at ${at(30)}. Mint a replacement before then.`,
  ])
})

it('a key that was revoked, or whose warnings were missed, is announced at most once more', async () => {
  const { clock, store, look, texts } = await start([on('expiring_keys')])
  await store.keys.mint({ ...mintOf('revoked', 'one'), life: 10 * DAY_MS })
  await store.keys.mint({ ...mintOf('missed', 'two'), life: 10 * DAY_MS })
  await look(0)
  const [revoked] = (await store.keys.list()).filter(({ label }) => label === 'revoked')
  await store.keys.revoke({ hash: revoked?.hash ?? '', by: 'ops' })
  clock.advance(9 * DAY_MS + HOUR_MS)
  await look(0)
  await look(HOUR_MS)
  expect(await texts()).toHaveLength(1)
  expect((await texts())[0]).toContain('(missed)')
})

it('an account that is frozen and thawed is two notices, also where another gateway goes on', async () => {
  const { store, look, watchOf, texts } = await start([on('freezes')])
  await store.keys.mint(mintOf('ada', 'one'))
  const [{ account } = { account: '' }] = await store.keys.list()
  await look(0)
  await store.accounts.changeTerms({ account, change: { frozen: true }, by: 'ops' })
  await look(20_000)
  await store.accounts.changeTerms({ account, change: { frozen: false }, by: 'ops' })
  await look(20_000, watchOf())
  await look(20_000)
  expect(await texts()).toEqual([
    `Account ${account} was frozen, by ops.`,
    `Account ${account} is served again, by ops.`,
  ])
})

it('freezes of more than three days ago are no news where a rule asks for them again', async () => {
  const rules: NoticeRule[] = [on('freezes')]
  const { store, look, texts } = await start(rules)
  await store.keys.mint(mintOf('ada', 'one'))
  const [{ account } = { account: '' }] = await store.keys.list()
  const change = (frozen: boolean) => store.accounts.changeTerms({ account, change: { frozen }, by: 'ops' })
  await look(0)
  rules.pop()
  await look(20_000)
  await change(true)
  await look(2 * DAY_MS)
  await change(false)
  await look(2 * DAY_MS)
  rules.push(on('freezes'))
  await look(20_000)
  expect(await texts()).toEqual([`Account ${account} is served again, by ops.`])
})

it('an incident of several gateways is one notice, and another one when it is over in all of them', async () => {
  const { seen, look, watchOf, texts } = await start([on('ejected_pools')])
  seen.now = { incidents: [ejected('a', NOON - 60_000), ejected('a', NOON - 30_000)], isWhole: true }
  await look(0)
  await look(20_000, watchOf())
  seen.now = { incidents: [ejected('a', NOON - 30_000), ejected('a', NOON - 60_000, NOON + 21_000)], isWhole: true }
  await look(90_000)
  seen.now = { incidents: [], isWhole: false }
  await look(90_000)
  await look(90_000)
  expect(await texts()).toHaveLength(1)
  seen.now = { incidents: [], isWhole: true }
  await look(20_000)
  await look(90_000)
  await look(90_000, watchOf())
  expect(await texts()).toEqual([
    'Incident (ticket): A replica is ejected · onprem · a, since 2025-06-16 11:59 UTC. Repair it. docs/incidents.md#replica-ejected',
    'Resolved: A replica is ejected · onprem · a, open since 2025-06-16 11:59 UTC.',
  ])
})

it('an incident that comes and goes within a minute is announced once, and one between two looks too', () => {
  const whole = (...incidents: SeenIncident[]) => ({ incidents, isWhole: true })
  const first = incidentChanges(undefined, whole(ejected('old', NOON - 9000, NOON - 5000)), NOON)
  expect(first.changes).toEqual([])
  let { after } = first
  const told: string[] = []
  for (const [second, seen] of [
    [15, whole(ejected('a', NOON + 10_000, NOON + 11_000))],
    [30, whole(ejected('a', NOON + 20_000))],
    [45, whole(ejected('a', NOON + 20_000, NOON + 40_000))],
    [60, whole(ejected('a', NOON + 50_000))],
    [75, whole(ejected('a', NOON + 50_000, NOON + 70_000))],
    [150, whole(ejected('a', NOON + 50_000, NOON + 70_000))],
    [165, whole(ejected('a', NOON + 50_000, NOON + 70_000))],
  ] as const) {
    const { changes, ...next } = incidentChanges(after, seen, NOON + second * 1000)
    after = next.after
    told.push(...changes.map(({ state }) => `${second} ${state}`))
  }
  expect(told).toEqual(['15 opened', '150 resolved'])
})

it('a rule about limits alone hears of no event, and other kinds of incident are no ejected pool', async () => {
  const { seen, look, store } = await start([
    { at: [80], of: ['account'], to: ['ops'] },
    { at: [], of: [], on: ['ejected_pools'], to: ['pager'] },
  ])
  seen.now = { incidents: [{ ...ejected('a', NOON), incident: 'store-down' }, ejected('b', NOON)], isWhole: true }
  await look(0)
  const notices = await store.notices.readNewest(9)
  expect(notices.map(({ event, deliveries }) => [event, deliveries.map(({ target }) => target)])).toMatchObject([
    [{ kind: 'incident', subject: { replica: 'b' } }, ['pager']],
  ])
})
