import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { LimitWindow } from '../../src/policy/limits/limit-rule.ts'
import { cellAt, slides } from '../../src/policy/limits/rule-counter.ts'
import type { LedgerRecord } from '../../src/wire/admin/usage-report.ts'
import { compileProgram, type Program } from '../cli/program.ts'
import { describeRedis, startRedis } from '../support/redis/redis.ts'
import { faultsIn, NO_FAULTS, readBooks, readHeld } from './harness/books.ts'
import type { Account } from './harness/client.ts'
import { Fleet } from './harness/fleet.ts'
import { Load, tallyOf } from './harness/load.ts'
import { Site, type Visit } from './harness/site.ts'
import { between, scaled } from './harness/size.ts'
import { mostIn, percent } from './harness/spans.ts'
import { until } from './harness/until.ts'

const FLOOD_MS = Math.max(75_000, scaled(125_000))
const SWEPT_MS = 45_000

/** A limit of one model, which a flood of that model reaches. */
interface Tight {
  readonly rule: string
  readonly most: number
  readonly per?: LimitWindow
  readonly of: 'account' | 'all'
  readonly weightOf: (visit: Visit) => number
}

const one = () => 1
const tight: readonly Tight[] = [
  { rule: 'requests: 150, per: minute, of: org', most: 150, per: 'minute', of: 'all', weightOf: one },
  { rule: 'tokens: 5k, per: minute', most: 5000, per: 'minute', of: 'account', weightOf: ({ tokens }) => tokens },
  { rule: 'output_tokens: 3k, per: day, of: plan', most: 3000, per: 'day', of: 'all', weightOf: outputOf },
  { rule: 'usd: 0.03, per: month, of: everybody', most: 3e7, per: 'month', of: 'all', weightOf: ({ cost }) => cost },
  { rule: 'input_tokens: 3k, per: 30d', most: 3000, per: '30d', of: 'account', weightOf: v => v.promptTokens },
  { rule: 'requests: 60, per: week, of: key', most: 60, per: 'week', of: 'account', weightOf: one },
  { rule: 'requests: 3, per: second, of: everybody', most: 3, per: 'second', of: 'all', weightOf: one },
  { rule: 'usd: 0.01, per: hour', most: 1e7, per: 'hour', of: 'account', weightOf: ({ cost }) => cost },
  { rule: 'tokens: 8k, per: 7d, of: org', most: 8000, per: '7d', of: 'all', weightOf: ({ tokens }) => tokens },
  { rule: 'concurrent: 3, of: org', most: 3, of: 'all', weightOf: one },
]

/** Limits that every request is counted in, and none reaches. */
const wide: readonly string[] = ['account', 'key', 'user', 'plan', 'org', 'everybody'].flatMap((of, place) =>
  [
    ['requests', 'hour'],
    ['tokens', 'hour'],
    ['usd', 'day'],
    ['images', 'week'],
    ['output_tokens', `${place + 2}d`],
  ].map(([measure, per]) => `${measure}: ${measure === 'usd' ? 900 : '900M'}, per: ${per}, of: ${of}`),
)
const rows = [...tight.map(({ rule }, n) => `${rule}, model: m${n}`), ...wide]
const models = tight
  .map(
    (_, n) => `  m${n}: { kind: chat, tier: guest, serve: [site], context: 32k, usd_per_1m: { input: 1, output: 10 } }`,
  )
  .join('\n')
const limits = `limits: [${rows.map(row => `{ ${row} }`).join(', ')}]`
const plans = { flooded: `rpm: 1M, tpm: 900M, monthly_usd: 500, ${limits}` }

let program: Program
let site: Site

beforeAll(async () => {
  program = compileProgram()
  site = await Site.open()
})

afterAll(async () => {
  await program.end()
  await site.close()
})

describeRedis('four gateways on one Redis, of which one after the other is killed', () => {
  it(`pass none of ${rows.length} limits, and use nearly all of each that is reached`, async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.stop())
    const fleet = new Fleet({ program, site, plans, models, redis: redis.url, clocks: [0, 0, 0, 0] })
    onTestFinished(() => fleet.close())
    await fleet.start()
    const accounts = await Promise.all(['ada', 'bob', 'cyd'].map(label => member(fleet, label)))
    const floods = tight.map((_, n) => flood(fleet, accounts, `m${n}`))

    for (const load of floods) load.start()
    const end = performance.now() + FLOOD_MS
    let kills = 0
    while (performance.now() < end) {
      await sleep(between(8000, 14_000))
      const victim = fleet.gateways[1 + (kills++ % 3)]
      await victim?.kill()
      await sleep(between(200, 1500))
      await victim?.start()
    }
    await Promise.all(floods.map(load => load.stop()))
    await until(SWEPT_MS, async () => (await readHeld(fleet.first, accounts)) === 0)

    const books = await readBooks(fleet.first, accounts)
    const charged = chargedOf(books.rows)
    const outcomes = floods.flatMap(load => load.outcomes)
    const used = tight.map((limit, n) => usedOf(limit, `m${n}`, charged))
    const shares = used.map((most, n) => `${tight[n]?.rule}: ${percent(most / (tight[n]?.most ?? 1))}`)
    console.log(
      `four gateways, ${rows.length} limits, ${kills} kills in ${FLOOD_MS / 1000} s: ${JSON.stringify(tallyOf(outcomes)).replaceAll('"', '')}; ${shares.join('; ')}${fleet.downs() && `; ${fleet.downs()}`}`,
    )
    for (const [n, { most, rule }] of tight.entries()) {
      expect(used[n], rule).toBeLessThanOrEqual(most)
      expect(used[n], rule).toBeGreaterThanOrEqual(0.97 * most)
    }
    expect(faultsIn(books, outcomes, site.log)).toEqual(NO_FAULTS)
    expect(fleet.faults()).toEqual([])
  })
})

/** An account of the org. */
async function member(fleet: Fleet, label: string): Promise<Account> {
  const account = await fleet.mint(label, 'flooded')
  const { status, body } = await fleet.first.ask('POST', '/admin/accounts/org', { account: label, org: 'org:acme' })
  if (status !== 200) throw new Error(`${label} has no org: ${body}`)
  return account
}

const flood = ({ gateways }: Fleet, accounts: readonly Account[], model: string): Load =>
  new Load({
    gateways,
    accounts,
    workers: 5,
    asks: (account, n) => ({
      account: { ...account, label: `${account.label} ${model}` },
      model,
      maxTokens: 4 + (n % 30),
      stream: n % 3 === 0,
      script: n % 3 === 0 ? { chunks: 4, gapMs: n % 2 === 0 ? 5 : 120 } : { prompt: 20, pauseMs: n % 40 },
    }),
    restMs: { served: 10, refused: 400 },
  })

/**
 * What requests were charged, by their ids. It is what the backend said of each, but of those whose gateway was killed:
 * they were charged what had been written down of them, or nothing.
 */
function chargedOf(rows: readonly LedgerRecord[]): ReadonlyMap<string, Visit> {
  const visits = new Map(site.log.map(visit => [visit.requestId, visit]))
  const charged = new Map<string, Visit>()
  for (const { request_id: id, admitted_at, input_tokens, output_tokens, cost_nano_usd } of rows) {
    const visit = visits.get(id)
    if (!visit) throw new Error(`no backend saw ${id}`)
    const before = charged.get(id) ?? { ...visit, tokens: 0, promptTokens: 0, cost: 0 }
    charged.set(id, {
      ...before,
      at: Date.parse(admitted_at),
      tokens: before.tokens + input_tokens + output_tokens,
      promptTokens: before.promptTokens + input_tokens,
      cost: before.cost + cost_nano_usd,
    })
  }
  return charged
}

/** The most that a window had, of any account that has the limit to itself. */
function usedOf(limit: Tight, model: string, charged: ReadonlyMap<string, Visit>): number {
  const visits = site.log.filter(({ label }) => label.endsWith(` ${model}`))
  if (limit.per === undefined) return mostAtOnce(visits)
  // A request counts when it is admitted, whatever became of it.
  const counted =
    limit.weightOf === one
      ? visits.map(visit => charged.get(visit.requestId) ?? visit)
      : visits.flatMap(visit => charged.get(visit.requestId) ?? [])
  const labels = limit.of === 'all' ? [model] : [...new Set(counted.map(({ label }) => label))]
  return Math.max(
    ...labels.map(label =>
      mostInWindow(
        limit,
        counted.filter(visit => visit.label.endsWith(label)),
      ),
    ),
  )
}

function mostInWindow({ per, weightOf }: Tight, visits: readonly Visit[]): number {
  const weights = visits.map(visit => ({ at: visit.at, weight: weightOf(visit) }))
  if (per === 'minute') return mostIn(60_000, weights)
  const sums = new Map<number, number>()
  for (const { at, weight } of weights) {
    // All of the flood lies in a window of days.
    const cell = slides(per) ? 0 : cellAt(per, at)
    sums.set(cell, (sums.get(cell) ?? 0) + weight)
  }
  return Math.max(...sums.values())
}

function mostAtOnce(visits: readonly Visit[]): number {
  const changes = visits.flatMap(({ at, until = at }) => [
    { at, by: 1 },
    { at: until, by: -1 },
  ])
  let running = 0
  let most = 0
  for (const { by } of changes.sort((a, b) => a.at - b.at || a.by - b.by)) {
    running += by
    most = Math.max(most, running)
  }
  return most
}

function outputOf({ tokens, promptTokens }: Visit): number {
  return tokens - promptTokens
}
