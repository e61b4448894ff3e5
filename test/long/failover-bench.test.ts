import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { load } from '../../src/config/load.ts'
import { mintKey } from '../../src/gateway/accounts/accounts.ts'
import type { RunningGateway } from '../../src/server/compose/gateway.ts'
import { startSingle } from '../../src/server/compose/single.ts'
import { world } from '../../src/server/world.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { type Call, callChat, TEXT, WORDS } from './bench/call.ts'
import { SCENARIOS, type Scenario, type Seen, type Verdict, verdictOf } from './bench/scenarios.ts'
import { startWall, type Wall } from './bench/wall.ts'

/** The settings that docs/operations/timeouts.md gives for clients that cannot have half an answer. */
const TUNED = ', headers_timeout: 10s, first_content_timeout: 10s, idle_timeout: 10s, answer_timeout: 60s'
const SETTINGS = [
  { name: 'defaults', plan: 'plain', fields: '' },
  { name: 'tuned', plan: 'held', fields: TUNED },
] as const

interface Run {
  readonly scenario: Scenario
  readonly setting: (typeof SETTINGS)[number]
  readonly model: string
  readonly primary: Wall
  readonly fallback: Wall
}

let directory = ''
let gateway: RunningGateway
let keys: Readonly<Record<string, string>>
let healthy: Wall
let runs: readonly Run[]

beforeAll(async () => {
  healthy = await startWall('healthy')
  const wanted = SCENARIOS.flatMap(scenario => SETTINGS.map(setting => ({ scenario, setting })))
  runs = await Promise.all(
    wanted.map(async ({ scenario, setting }, n) => ({
      ...{ scenario, setting, model: `svc-m${n}` },
      primary: await startWall(scenario.fault),
      fallback: await startWall('healthy'),
    })),
  )
  directory = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const file = join(directory, 'config.yaml')
  writeFileSync(file, yamlOf())
  const loaded = load(file, {}, directory)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const hooks = { adminToken: 'bench', log: () => {}, alarm: () => {}, main: file }
  gateway = await startSingle(loaded.loaded, world, hooks)
  const mint = async (plan: string) =>
    (await mintKey(gateway.store.keys, randomBytes, { brand: 'svc', label: plan, plan, most: 1, by: 'bench' })).value ??
    ''
  keys = { plain: await mint('plain'), held: await mint('held') }
})

afterAll(async () => {
  await gateway.close(0)
  await Promise.all(
    [healthy, ...runs.flatMap(({ primary, fallback }) => [primary, fallback])].map(wall => wall.close()),
  )
  await removeFolder(directory)
})

function yamlOf(): string {
  const model = (name: string, pools: readonly string[]) =>
    `  ${name}: { kind: chat, tier: guest, serve: [${pools.join(', ')}], context: 128k, usd_per_1m: { input: 1, output: 1 } }`
  const pool = (name: string, { url }: Wall, context: string, more: string) =>
    `  ${name}: { site: x, model: ${name}, replicas: ["${url}"], context: ${context}${more} }`
  return `
version: 1
server: { listen: "127.0.0.1:0", admin: "127.0.0.1:0", public_url: http://localhost, state_dir: ${directory} }
store: embedded:${directory}/store
plans:
  plain: { models: all, rpm: 100k, tpm: 100M, monthly_usd: 1000 }
  held: { models: all, rpm: 100k, tpm: 100M, monthly_usd: 1000, commit: complete }
models:
${model('svc-ok', ['ok'])}
${runs.map(({ model: name }) => model(name, [`${name}-a`, `${name}-b`])).join('\n')}
default_model: svc-ok
pools:
${pool('ok', healthy, '128k', '')}
${runs
  .flatMap(({ model: name, primary, fallback, setting: { fields } }) => [
    pool(`${name}-a`, primary, '8k', fields),
    pool(`${name}-b`, fallback, '128k', fields),
  ])
  .join('\n')}
`
}

const ask = ({ setting: { plan } }: Run, model: string, seconds: number, stream = true): Promise<Call> =>
  callChat({ port: gateway.listen.port, key: keys[plan] ?? '', model, seconds, stream })

/** One scenario, as its client and the provider saw it. */
async function seenIn(run: Run): Promise<Seen> {
  const { scenario, model, primary, fallback } = run
  primary.begin()
  const calls: (Call & { readonly at: number })[] = []
  const begun = performance.now()
  for (let n = 0; n < (scenario.requests ?? 1); n++) {
    await sleep(Math.max(0, begun + n * 4000 - performance.now()))
    const at = (performance.now() - begun) / 1000
    calls.push({ ...(await ask(run, model, scenario.requests ? 30 : scenario.seconds)), at })
  }
  const attempts = [...primary.attempts]
  const alive = await ask(run, 'svc-ok', 10, false)
  return {
    ...{ calls, attempts, fallbacks: fallback.attempts.length, isAlive: alive.text === TEXT },
    fallbackModel: `${model}-b`,
    recoveredAt: primary.answeredAt,
  }
}

it('at defaults twelve of sixteen faults pass and none fails; tuned all pass', async () => {
  expect(WORDS).toHaveLength(60)
  const found = await Promise.all(runs.map(async run => ({ ...run, ...verdictOf(run.scenario, await seenIn(run)) })))

  const of = (id: string, name: string) => {
    const one = found.find(({ scenario, setting }) => scenario.id === id && setting.name === name)
    return one && `${one.verdict}${one.why === '' ? '' : ` (${one.why})`}, ${one.seconds.toFixed(1)} s`
  }
  const rows = SCENARIOS.map(({ id, title }) => [id, { title, defaults: of(id, 'defaults'), tuned: of(id, 'tuned') }])
  console.table(Object.fromEntries(rows))
  const count = (name: string, verdict: Verdict) =>
    found.filter(each => each.setting.name === name && each.verdict === verdict).length
  for (const { name } of SETTINGS) {
    const [pass, partial, safe, fail] = (['pass', 'partial', 'safe', 'FAIL'] as const).map(each => count(name, each))
    console.log(`${name}: ${pass} pass, ${partial} partial, ${safe} safe, ${fail} fail`)
  }
  expect([count('defaults', 'FAIL'), count('tuned', 'pass')]).toEqual([0, 16])
  expect(count('defaults', 'pass')).toBeGreaterThanOrEqual(12)
})
