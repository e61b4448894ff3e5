import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AuditRow } from '../../../src/records/audit.ts'
import { fieldOf, outcomeOf, send } from '../../http/calls.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ENV, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { type Operator, operatorOf, treeOf } from './fixture.ts'

inNpmTest.describe('plans that go away, on the embedded store', () => movesContract())
describeRedis('plans that go away, on Redis', () => movesContract(startRedis))

function movesContract(startStore?: () => Promise<RedisServer>): void {
  let redis: RedisServer | undefined
  let backend: Backend
  let test: TestGateway
  let operator: Operator
  /** A variable whose value changes with every read. */
  let reads = 0

  beforeEach(async () => {
    backend = await startBackend()
    redis = await startStore?.()
    test = await startTestGateway({
      onprem: [backend],
      guests: 'usd_per_day_total: 50',
      ...(redis && { redis }),
      env: Object.defineProperty({ ...ENV }, 'RPM', { get: () => String(++reads) }),
    })
    operator = operatorOf(test)
    for (const name of ['ada', 'bob', 'eve']) await test.key('tight', name)
    await test.key('pro', 'joe')
    // Signed in, and never made a key: what the token claims, and what an operator said over it.
    await test.gateway.store.accounts.signIn({ account: 'acct_claims', claimed: 'tight' })
    await test.gateway.store.accounts.signIn({ account: 'acct_said' })
    await test.gateway.store.accounts.changeTerms({ account: 'acct_said', change: { override: 'tight' }, by: 'test' })
    await test.gateway.store.keys.mintGuest({ account: 'dev_1', key: { hash: 'guest', prefix: 'svc_g…' } })
  })

  afterEach(async () => {
    await test.close()
    await backend.close()
    await redis?.stop()
  })

  const withoutTight = (yaml: string) => yaml.replace(/ {2}tight: .*\n/, '')
  const renamed = (yaml: string) => yaml.replace('  tight:', '  narrow:')
  const plans = async () =>
    Object.fromEntries(
      ((await operator.ask('GET /admin/plans')).body as { plans: { plan: string; accounts: number }[] }).plans.map(
        ({ plan, accounts }) => [plan, accounts],
      ),
    )
  const moves = async (): Promise<AuditRow[]> => {
    const rows: AuditRow[] = []
    for await (const row of test.gateway.store.accounts.readAudit())
      if (row.action === 'set-plan' && row.by !== 'test') rows.push(row)
    return rows
  }

  it('are refused while accounts are on them, and nothing changes', async () => {
    const before = treeOf(test.dir)
    const told = await operator.apply(withoutTight)

    expect(outcomeOf(told)).toBe('409 APPLY_REFUSED')
    expect(told.body).toMatchObject({ plans_in_use: [{ plan: 'tight', accounts: 5 }], problems: [] })
    expect(fieldOf(told, 'error')).toContain('tight (5)')
    expect(fieldOf(told, 'error')).toContain('--move-plan old=new')
    expect(treeOf(test.dir)).toEqual(before)
    expect(await moves()).toEqual([])
  })

  it('go once their accounts go to another one, each with its row of the audit, and devices stay', async () => {
    expect(await plans()).toEqual({ 'guest-device': 1, free: 0, tight: 5, pro: 1 })
    const told = await operator.apply(withoutTight, { move_plans: { tight: 'free' } })

    expect(told.body).toMatchObject({ changed: true, moved: [{ from: 'tight', to: 'free', accounts: 5 }] })
    expect(await plans()).toEqual({ 'guest-device': 1, free: 5, pro: 1 })
    expect((await moves()).map(({ by, before, after }) => `${by} ${before}>${after}`).sort()).toEqual([
      'operator >free',
      ...Array(4).fill('operator tight>free'),
    ])
  })

  it('may go to one that only the candidate has: nobody is refused for want of a plan afterwards', async () => {
    const [key] = await test.gateway.store.keys.list()
    const told = await operator.apply(renamed, { move_plans: { tight: 'narrow' } })

    expect(told.body).toMatchObject({ moved: [{ from: 'tight', to: 'narrow', accounts: 5 }] })
    expect(await plans()).toEqual({ 'guest-device': 1, free: 0, narrow: 5, pro: 1 })
    expect(key).toBeDefined()
    expect(await moves()).toHaveLength(5)
  })

  it('may not go to one that the candidate has not', async () => {
    const told = await operator.apply(withoutTight, { move_plans: { tight: 'nowhere' } })

    expect(outcomeOf(told)).toBe('409 APPLY_REFUSED')
    expect(fieldOf(told, 'error')).toContain('nowhere')
    expect(await moves()).toEqual([])
  })

  it('have names: nobody whom the files alone put on a plan is moved, and no device', async () => {
    const told = await operator.apply(yaml => yaml, { move_plans: { '': 'pro' } })

    expect(outcomeOf(told)).toBe('400 VALIDATION_ERROR')
    expect(await plans()).toEqual({ 'guest-device': 1, free: 0, tight: 5, pro: 1 })
    expect(await moves()).toEqual([])
  })

  it('whose accounts a killed gateway had not moved are moved by the same files again', async () => {
    await test.reload({}, renamed)
    expect(await plans()).toMatchObject({ narrow: 0, tight: 4 })
    const told = await operator.apply(yaml => yaml, { move_plans: { tight: 'narrow' } })

    expect(told.body).toMatchObject({ changed: false, moved: [{ from: 'tight', to: 'narrow', accounts: 5 }] })
    expect(await plans()).toEqual({ 'guest-device': 1, free: 0, narrow: 5, pro: 1 })
  })

  it('are told of where accounts left them and the candidate did not serve after all', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of YAML.
    const restless = (yaml: string) => yaml.replace('rpm: 20,', 'rpm: "${RPM}",')
    await test.reload({}, restless)
    const before = treeOf(test.dir)
    const told = await operator.apply(withoutTight, { move_plans: { tight: 'free' } })

    expect(fieldOf(told, 'error')).toBe(
      'the files were changed by hand at the same time; 5 accounts went to the next plan already',
    )
    expect(treeOf(test.dir)).toEqual(before)
    expect(await plans()).toEqual({ 'guest-device': 1, free: 5, tight: 0, pro: 1 })
  })

  it('that nobody is on go without a word, and plans in use stay as they are', async () => {
    expect(outcomeOf(await operator.apply(yaml => yaml.replace(/ {2}free: .*\n/, '')))).toBe('200')
    expect(await plans()).toEqual({ 'guest-device': 1, tight: 5, pro: 1 })
    expect(await moves()).toEqual([])
  })

  it('are told undeclared where only accounts know them', async () => {
    await test.reload({}, withoutTight)
    const { plans: rows } = (await operator.ask('GET /admin/plans')).body as { plans: unknown[] }

    expect(rows).toContainEqual({ plan: 'tight', accounts: 4, declared: false })
    expect((await send({ url: test.admin }, 'GET /admin/plans')).status).toBe(401)
  })
}
