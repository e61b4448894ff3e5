import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { directoryOf } from '../../config/files.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { childEnv } from '../../support/child-env.ts'
import { compileProgram, type Program } from '../program.ts'
import { filesOf, type Site, startSite } from '../site.ts'

let program: Program
let backend: Backend

beforeAll(async () => {
  program = compileProgram()
  backend = await startBackend()
}, 60_000)
afterAll(async () => {
  await program.end()
  await backend.close()
})

const MODELS = 'policies/models.yaml'
const PLANS = 'policies/plans.yaml'
const TESTS = 'policies/tests/plans.test.yaml'

/** A main file, plans and models beside it, and a test of them. */
const deployment = (url: string): Readonly<Record<string, string>> => ({
  'config.yaml': `version: 1
server: { listen: "127.0.0.1:0", admin: "127.0.0.1:0", public_url: http://localhost, state_dir: ./state }
store: embedded:./state/store
limits: { shed_load: false }
include: [policies/*.yaml]
`,
  [PLANS]: `plans:
  free: { models: [tier:guest], rpm: 10k, tpm: 100M, monthly_usd: 1 } # for everybody
  pro: { models: all, rpm: 10k, tpm: 100M, monthly_usd: 20 }
`,
  [MODELS]: `models:
  svc-core: { kind: chat, tier: guest, serve: [onprem], context: 32k, usd_per_1m: { input: 1, output: 10 } }
  svc-pro: { kind: chat, tier: standard, serve: [onprem], context: 32k, usd_per_1m: { input: 2, output: 20 } }
default_model: svc-core
pools: { onprem: { site: on-premises, model: test-model, replicas: ["${url}"] } }
`,
  [TESTS]: `cases:
  - { name: pro has the larger model, plan: pro, chat: Hello, model: svc-pro, expect: { status: 200 } }
`,
})

/** Revisions by the order in which they are told, and addresses and moments by what they are. */
function naming(): (text: string) => string {
  const names = new Map<string, string>()
  const nameOf = (revision: string) => {
    if (!names.has(revision)) names.set(revision, `REVISION-${'ABCDEFG'[names.size]}..`)
    return names.get(revision) ?? ''
  }
  return text =>
    text
      .replace(/\b[0-9a-f]{12}\b/g, nameOf)
      .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'GATEWAY')
      .replace(/\d{4}-\d{2}-\d{2}T[\d:]+(\.\d+)?Z/g, 'TIME')
}

/** Chats one after the other until it is stopped: how they were answered. */
function keepAsking(site: Site, key: string) {
  const asking = { on: true, statuses: new Map<number | 'lost', number>() }
  const ended = (async () => {
    while (asking.on) {
      const status = await site.chat(key).then(
        async answer => {
          await answer.arrayBuffer()
          return answer.status
        },
        () => 'lost' as const,
      )
      asking.statuses.set(status, (asking.statuses.get(status) ?? 0) + 1)
      // Many requests around each swap, and a core for the rest.
      await setTimeout(10)
    }
  })()
  return async () => {
    asking.on = false
    await ended
    return asking.statuses
  }
}

it('edit, a test fails, correct, plan, apply, restart, rollback: no request is lost, and what was applied serves', async () => {
  let site = await startSite(program, filesOf(deployment(backend.url)), 'config.yaml')
  const dir = directoryOf(deployment(backend.url))
  const named = naming()
  const svcctl = async (words: string) => {
    const { code, stdout, stderr } = await program.shell(
      `node "${program.main}" ${words} | cat; exit \${PIPESTATUS[0]}`,
      {
        cwd: dir,
        env: childEnv(site.env),
      },
    )
    return { code, stdout: named(stdout), stderr: named(stderr) }
  }
  const edit = (file: string, from: string, to: string) => {
    const text = readFileSync(join(dir, file), 'utf8')
    expect(text).toContain(from)
    writeFileSync(join(dir, file), text.replace(from, to))
  }
  const [pro, free] = [await site.key(), await site.key('fred', 'free')]
  const status = async () => (await site.chat(free, { model: 'svc-pro' })).status
  const stop = keepAsking(site, pro)
  expect(await status()).toBe(429)

  edit(MODELS, 'tier: standard', 'tier: guest')
  edit(PLANS, 'models: all', 'models: [svc-core]')
  const failed = await svcctl('apply --yes')
  expect(failed).toMatchObject({ code: 1, stderr: '✗ nothing was applied: a test fails\n' })
  expect(failed.stdout).toContain('✗ pro has the larger model')

  edit(PLANS, 'models: [svc-core]', 'models: all')
  const counted = (text: string) => text.replace(/of [\d,]+ requests?/, 'of N requests')
  const planned = await svcctl('plan --exit-code')
  expect(planned).toMatchObject({ code: 10, stderr: '' })
  expect(`\n${counted(planned.stdout)}`).toMatchInlineSnapshot(`
    "
    GATEWAY serves revision REVISION-A.., number 1: loaded at TIME

      + plan free gains svc-pro, now of tier guest  policies/models.yaml:3
      · svc-pro: tier standard → guest              policies/models.yaml:3

    Whom it touches
      1 account on plan free
      of N requests since TIME: 1 newly allowed (free 1)
      for 1 of those allowed it is unknown whether the limits have room

    2 changes against revision REVISION-A..: 1 more, 1 invisible to clients
    Nothing was changed. Next: svcctl apply
    "
  `)
  expect(await status()).toBe(429)

  const applied = await svcctl('apply --yes')
  expect(applied).toMatchObject({ code: 0, stderr: '' })
  expect(applied.stdout).toMatch(/^1 passed, 0 failed\n\n/)
  expect(applied.stdout).toMatch(/\n\napplied: revision REVISION-A\.\. → REVISION-B\.\. \(number 2\)\n$/)
  expect(await status()).toBe(200)
  const statuses = await stop()
  expect([...statuses.keys()]).toEqual([200])

  expect(await site.gateway.end()).toBe(0)
  site = await startSite(program, site.dir, 'config.yaml')
  expect(await status()).toBe(200)
  expect((await svcctl('plan --exit-code')).stdout).toBe('no change in meaning against revision REVISION-B..\n')

  const stopAgain = keepAsking(site, pro)
  const back = await svcctl('rollback --yes')
  expect(back).toMatchObject({ code: 0, stderr: '' })
  expect(back.stdout).toMatch(/\nrolled back: revision REVISION-B\.\. → REVISION-A\.\. \(number 3\)\n$/)
  expect(await status()).toBe(429)
  expect([...(await stopAgain()).keys()]).toEqual([200])
  for (const file of [MODELS, PLANS])
    expect(readFileSync(join(site.dir, file), 'utf8')).toBe(deployment(backend.url)[file])
}, 120_000)
