import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { LimitWindow } from '../../src/policy/limits/rule.ts'
import { cellAt, slides } from '../../src/policy/limits/rule-counter.ts'
import type { LedgerRecord } from '../../src/wire/admin/ledger-record.ts'
import { compileProgram, type Program } from '../cli/program.ts'
import { hasRedis, startRedis } from '../support/redis/redis.ts'
import { faultsIn, NO_FAULTS, readBooks, readHeld } from './harness/books.ts'
import type { Account, Ask } from './harness/client.ts'
import { Fleet } from './harness/fleet.ts'
import { Load, tallyOf } from './harness/load.ts'
import { IMAGE_NANO_USD, type Kind, MILLISECOND_NANO_USD, Site, type Visit } from './harness/site.ts'
import { between, scaled } from './harness/size.ts'
import { mostIn, percent } from './harness/spans.ts'
import { until } from './harness/until.ts'

/** An answer to a chat reserves more than it takes, so that the last of a limit may be too little for any. */
const REACHED = { chat: 0.97, images: 0.98, sound: 0.98 }
const FLOOD_MS = Math.max(75_000, scaled(125_000))
const SWEPT_MS = 45_000

/** A limit of one model, which a flood of that model reaches. */
interface Tight {
  readonly rule: string
  readonly most: number
  readonly per?: LimitWindow
  readonly of: 'account' | 'all'
  readonly weightOf: (visit: Visit) => number
  /** The kind of its flood; chats by default. */
  readonly kind?: Kind
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
  { kind: 'images', rule: 'images: 200, per: day, of: org', most: 200, per: 'day', of: 'all', weightOf: imagesOf },
  { kind: 'images', rule: 'images: 50, per: minute', most: 50, per: 'minute', of: 'account', weightOf: imagesOf },
  { kind: 'sound', rule: 'seconds: 150, per: week, of: plan', most: 150, per: 'week', of: 'all', weightOf: secondsOf },
  { kind: 'sound', rule: 'seconds: 60, per: minute', most: 60, per: 'minute', of: 'account', weightOf: secondsOf },
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
const CHAT = 'kind: chat, context: 32k, usd_per_1m: { input: 1, output: 10 }'
const METER = '{ usd_per_second: 0.001, max_seconds: 2 }'
const modelOf = { chat: CHAT, images: 'kind: image, usd_per_image: 0.001', sound: 'kind: passthrough' }
const models = tight
  .map(({ kind = 'chat' }, n) => `  m${n}: { ${modelOf[kind]}, tier: guest, serve: [site] }`)
  .join('\n')
const sounds = tight.flatMap(({ kind }, n) => (kind === 'sound' ? [`m${n}`] : []))
const yaml = `passthrough:
${sounds.map(model => `  - { path: /v1/audio/${model}, methods: [POST], model: ${model}, meter: ${METER} }`).join('\n')}`
const limits = `limits: [${rows.map(row => `{ ${row} }`).join(', ')}]`
const plans = { flooded: `rpm: 1M, tpm: 900M, monthly_usd: 500, ${limits}` }

let program: Program

beforeAll(() => {
  program = compileProgram()
})

afterAll(() => program.end())

describe.each([
  { store: 'Redis', of: 'four gateways on one Redis, of which one after the other is killed', clocks: [0, 0, 0, 0] },
  { store: 'embedded', of: 'a gateway on its own store that is killed again and again', clocks: [0] },
])('$of', ({ store, clocks }) => {
  it.skipIf(store === 'Redis' && !hasRedis)(
    `passes none of ${rows.length} limits, and uses nearly all of each that is reached`,
    async () => {
      const redis = store === 'Redis' ? await startRedis() : undefined
      onTestFinished(() => redis?.stop())
      const site = await Site.open()
      onTestFinished(() => site.close())
      const fleet = new Fleet({ program, site, plans, models, yaml, ...(redis && { redis: redis.url }), clocks })
      onTestFinished(() => fleet.close())
      await fleet.start()
      const accounts = await Promise.all(['ada', 'bob', 'cyd'].map(label => member(fleet, label)))
      const floods = tight.map((limit, n) => flood(fleet, accounts, limit, `m${n}`))

      for (const load of floods) load.start()
      const end = performance.now() + FLOOD_MS
      let kills = 0
      while (performance.now() < end) {
        await sleep(between(8000, 14_000))
        const victim = fleet.gateways.at(-1 - (kills++ % 3)) ?? fleet.first
        await victim.kill()
        await sleep(between(200, 1500))
        await victim.start()
      }
      await Promise.all(floods.map(load => load.stop()))
      await until(SWEPT_MS, async () => (await readHeld(fleet.first, accounts)) === 0)

      const books = await readBooks(fleet.first, accounts)
      const charged = chargedOf(books.rows, site.log)
      // An embedded store forgets what was admitted within 250 ms before a kill: that has no row.
      const log = store === 'embedded' ? site.log.filter(({ requestId }) => charged.has(requestId)) : site.log
      const outcomes = floods.flatMap(load => load.outcomes)
      const used = tight.map((limit, n) => usedOf(limit, `m${n}`, log, charged))
      const shares = used.map((most, n) => `${tight[n]?.rule}: ${percent(most / (tight[n]?.most ?? 1))}`)
      console.log(
        `${clocks.length} gateways on ${store}, ${rows.length} limits, ${kills} kills in ${FLOOD_MS / 1000} s: ${JSON.stringify(tallyOf(outcomes)).replaceAll('"', '')}; ${shares.join('; ')}${fleet.downs() && `; ${fleet.downs()}`}`,
      )
      for (const [n, { most, rule, kind = 'chat' }] of tight.entries()) {
        expect(used[n], rule).toBeLessThanOrEqual(most)
        expect(used[n], rule).toBeGreaterThanOrEqual(REACHED[kind] * most)
      }
      expect(faultsIn(books, outcomes, site.log)).toEqual(NO_FAULTS)
      expect(fleet.faults()).toEqual([])
    },
  )
})

/** An account of the org. */
async function member(fleet: Fleet, label: string): Promise<Account> {
  const account = await fleet.mint(label, 'flooded')
  const { status, body } = await fleet.first.ask('POST', '/admin/accounts/org', { account: label, org: 'org:acme' })
  if (status !== 200) throw new Error(`${label} has no org: ${body}`)
  return account
}

const flood = ({ gateways }: Fleet, accounts: readonly Account[], limit: Tight, model: string): Load =>
  new Load({
    gateways,
    accounts,
    workers: 5,
    asks: (account, n) => ({
      account: { ...account, label: `${account.label} ${model}` },
      model,
      ...askedOf(limit, n),
    }),
    restMs: { served: 10, refused: 400 },
  })

function askedOf({ kind = 'chat' }: Tight, n: number): Partial<Ask> {
  if (kind === 'images') return { kind, images: 1 + (n % 3), script: { pauseMs: n % 40 } }
  if (kind === 'sound') return { kind, script: { pauseMs: (n % 17) * 100 } }
  return {
    maxTokens: 4 + (n % 30),
    stream: n % 3 === 0,
    script: n % 3 === 0 ? { chunks: 4, gapMs: n % 2 === 0 ? 5 : 120 } : { prompt: 20, pauseMs: n % 40 },
  }
}

/**
 * The charges of requests by id. They equal the usage that the backend reported, but of those whose gateway was killed: they were
 * charged what had been written down of them, or nothing.
 */
function chargedOf(rows: readonly LedgerRecord[], log: readonly Visit[]): ReadonlyMap<string, Visit> {
  const visits = new Map(log.map(visit => [visit.requestId, visit]))
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
function usedOf(limit: Tight, model: string, log: readonly Visit[], charged: ReadonlyMap<string, Visit>): number {
  const visits = log.filter(({ label }) => label.endsWith(` ${model}`))
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

function imagesOf({ cost }: Visit): number {
  return cost / IMAGE_NANO_USD
}

/** A second that began is counted whole. */
function secondsOf({ cost }: Visit): number {
  return Math.ceil(cost / MILLISECOND_NANO_USD / 1000)
}

function outputOf({ tokens, promptTokens }: Visit): number {
  return tokens - promptTokens
}
