import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compileProgram, type Program } from '../cli/program.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { describeRedis, type RedisServer, startRedis } from '../support/redis/redis.ts'
import { Gateway } from './harness/fleet.ts'
import { until } from './harness/until.ts'

const GATEWAYS = 4
/** A change whose leader died is dropped after 45 s, and a gateway that died counts for 10 s. */
const SETTLED_WITHIN_MS = 90_000

interface Member {
  readonly gateway: Gateway
  readonly config: string
  /** It has promised to take a change. */
  readonly debt: string
}

/** The moments of a change at which a gateway is killed. Each sees the files of all, and which gateway is to die. */
const STEPS: Readonly<Record<string, (all: readonly Member[], victim: Member, before: string) => boolean>> = {
  'as soon as it is asked': () => true,
  'once it has promised': (_all, victim) => existsSync(victim.debt),
  'once all have promised': all => all.every(({ debt }) => existsSync(debt)),
  'once another one has taken it': (all, victim, before) =>
    all.some(each => each !== victim && readFileSync(each.config, 'utf8') !== before),
  'once it has written its files': (_all, victim, before) => readFileSync(victim.config, 'utf8') !== before,
}

let program: Program
let redis: RedisServer
let dir: string
let all: readonly Member[]

const at = (index: number): Member => {
  const member = all[index]
  if (!member) throw new Error(`there is no gateway ${index}`)
  return member
}
const ask = async ({ gateway }: Member, method: 'GET' | 'POST', path: string, body?: object) => {
  const answer = await gateway.ask(method, path, body)
  return { status: answer.status, body: JSON.parse(answer.body) as Record<string, unknown> }
}
const revisionOf = async (member: Member) => String((await ask(member, 'GET', '/admin/config')).body.revision)
const revisions = async () => new Set(await Promise.all(all.map(revisionOf)))
type Listed = readonly { readonly gateway: string; readonly revision: string }[]
const listed = async () => (await ask(at(1), 'GET', '/admin/fleet')).body.data as Listed

/** All are there, and none owes a change. */
const isSettled = async () =>
  (await listed()).length === GATEWAYS && !all.some(({ debt }) => existsSync(debt)) && (await revisions()).size === 1

describeRedis('a change of four gateways', () => {
  beforeAll(async () => {
    program = compileProgram()
    redis = await startRedis()
    dir = mkdtempSync(join(tmpdir(), 'svc-long-'))
    all = Array.from({ length: GATEWAYS }, (_, number) => {
      const own = join(dir, `gateway-${number}`)
      mkdirSync(own)
      const config = join(own, 'config.yaml')
      writeFileSync(config, yamlOf(redis.url))
      const gateway = new Gateway([program.main, 'serve', '-c', config], own)
      return { gateway, config, debt: join(own, 'state/fleet-change') }
    })
    await Promise.all(all.map(({ gateway }) => gateway.start()))
  })
  afterAll(async () => {
    for (const { gateway } of all) await gateway.kill()
    await program.end()
    await redis.stop()
    await removeFolder(dir)
  })

  let round = 0
  const cases = ['apply', 'rollback'].flatMap(how =>
    [0, 2].flatMap(victim => Object.keys(STEPS).map(step => [how, victim === 0 ? 'leads' : 'follows', step] as const)),
  )
  it.each(cases)('by %s is served by all or none where one that %s is killed %s', async (how, part, step) => {
    await until(SETTLED_WITHIN_MS, isSettled)
    const leader = at(0)
    const victim = part === 'leads' ? leader : at(2)
    const before = readFileSync(leader.config, 'utf8')
    const [previous = ''] = await revisions()
    const next = before.replace(/rpm: \d+/, `rpm: ${1000 + ++round}`)
    const fleet = (await listed()).map(({ gateway, revision }) => ({ gateway, revision }))
    const change = { previous, files: [{ file: 'config.yaml', text: next }], move_plans: {}, how, fleet }

    let isOver = false
    const told = ask(leader, 'POST', '/admin/apply', change)
      .catch(() => undefined)
      .finally(() => {
        isOver = true
      })
    const isDue = STEPS[step]
    while (!isOver && !isDue?.(all, victim, before)) await turn()
    await victim.gateway.kill()
    const answer = await told
    await victim.gateway.start()
    // A returning gateway serves the decided files from its first request on, the others soon.
    await until(SETTLED_WITHIN_MS, isSettled)

    const files = new Set(all.map(({ config }) => readFileSync(config, 'utf8')))
    expect(files.size).toBe(1)
    const [served] = files
    expect([before, next]).toContain(served)
    const [revision] = await revisions()
    expect(revision === previous).toBe(served === before)
    if (answer) expect(served).toBe(answer.status === 200 ? next : before)
    if (step === 'once another one has taken it' || step === 'once it has written its files') expect(served).toBe(next)
    expect(all.flatMap(({ gateway }) => gateway.alarms.filter(line => line.includes('unexpected error')))).toEqual([])
  })
})

/** Identical text for all: `state_dir` is beside each file. */
const yamlOf = (store: string): string => `version: 1
server: { listen: "127.0.0.1:0", admin: "127.0.0.1:0", public_url: http://localhost, state_dir: ./state }
store: ${store}
plans:
  pro: { models: all, rpm: 1000, tpm: 1M, monthly_usd: 20 }
models:
  svc-core: { kind: chat, tier: guest, serve: [site], context: 32k, usd_per_1m: { input: 1, output: 10 } }
default_model: svc-core
pools:
  site: { site: on-premises, model: test-model, replicas: ["http://127.0.0.1:9/v1"], probe: false }
`
