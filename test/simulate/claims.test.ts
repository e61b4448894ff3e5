import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { load } from '../../src/config/load.ts'
import { answerOf, seenOf } from '../../src/simulate/result.ts'
import { SOME_DAY, scenarioOf } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulation.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const CI = 'https://ci.example.com'

/** Files with accounts for whom `identity` says. */
function filesWith(identity: string) {
  const text = `version: 1
server: { public_url: https://llm.example.com }
identity: ${identity}
plans:
  free: { models: [tier:guest], rpm: 20, tpm: 40k, monthly_usd: 1 }
  pro: { models: all, rpm: 120, tpm: 400k, monthly_usd: 20 }
models:
  svc-core: { kind: chat, tier: guest, serve: [main], context: 32k, usd_per_1m: { input: 0.1, output: 0.4 } }
  svc-pro: { kind: chat, tier: premium, serve: [main], context: 32k, usd_per_1m: { input: 1, output: 4 } }
default_model: svc-core
pools: { main: { site: here, model: m, replicas: ["http://127.0.0.1:1/v1"] } }
`
  const folder = temporaryFolder('svc-claims')
  writeFileSync(join(folder, 'config.yaml'), text)
  const result = load('config.yaml', {}, folder)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.loaded
}

const SERVICES = `
  default_plan: free
  issuers:
    - issuer: ${CI}
      accounts:
        - { name: release, claims: { repository: acme/app }, account_claim: repository, plan: pro }
        - name: builds
          claims: { repository: "acme/*" }
          account_claim: repository
          plan: pro
          limits: [{ requests: 3, per: minute }]
`

async function ask(claims: object, model = 'svc-pro', identity = SERVICES, usage = {}) {
  const loaded = filesWith(identity)
  const scenario = scenarioOf(loaded.config, {
    now: SOME_DAY,
    claims: claims as Record<string, unknown>,
    model,
    chat: 'Hi',
    usage,
  })
  if (!scenario) throw new Error('somebody sends it')
  const simulation = await simulate(loaded, scenario)
  const { status } = answerOf(loaded, simulation)
  return { status, denial: simulation.denial, steps: simulation.steps }
}

it('a token of a service is served by the plan of the first entry that its claims fit', async () => {
  const { status, steps } = await ask({ iss: CI, repository: 'acme/app' })

  expect(status).toBe(200)
  expect(steps[0]).toMatchObject({
    stage: 'who',
    outcome: 'pass',
    text: expect.stringMatching(/^acct_\w{40} on plan pro$/),
  })
})

it('a token that fits no entry is refused as the gateway refuses it', async () => {
  expect(await ask({ iss: CI, repository: 'other/app' })).toMatchObject({
    status: 401,
    denial: { code: 'INVALID_TOKEN', problem: expect.stringContaining('no entry of its issuer') },
  })
})

it('limits of an entry count for its tokens, and not for those of another', async () => {
  const used = { minute: { requests: 3 } }

  expect(await ask({ iss: CI, repository: 'acme/lib' }, 'svc-core', SERVICES, used)).toMatchObject({ status: 429 })
  expect(await ask({ iss: CI, repository: 'acme/app' }, 'svc-core', SERVICES, used)).toMatchObject({ status: 200 })
})

it('a token of people has the plan that it claims, and without a claim the default', async () => {
  const people = '{ issuer: https://auth.example.com, default_plan: free, plan_claim: plan }'

  expect(await ask({ plan: 'pro' }, 'svc-pro', people)).toMatchObject({ status: 200 })
  expect(await ask({ sub: 'ada' }, 'svc-pro', people)).toMatchObject({ status: 429, denial: { type: 'plan_limit' } })
})

it.each([
  [
    'of an issuer without accounts',
    { iss: 'https://other.example.com' },
    'The issuer of this token has no accounts here.',
  ],
  [
    'for another audience',
    { iss: CI, aud: 'https://else.example.com', repository: 'acme/app' },
    `Ask ${CI} for an access token whose audience is https://llm.example.com: this one is for another.`,
  ],
  [
    'that has ended',
    { iss: CI, exp: SOME_DAY / 1000 - 30, repository: 'acme/app' },
    'Sign in again: this token is too old.',
  ],
])('a token %s is refused by the words of the gateway', async (_, claims, problem) => {
  expect(await ask(claims)).toMatchObject({ status: 401, denial: { problem } })
})

it('a token that ended less than 30 s ago is served, as the clocks of two machines may differ', async () => {
  const claims = { iss: CI, exp: SOME_DAY / 1000 - 29, repository: 'acme/app' }

  expect(await ask(claims)).toMatchObject({ status: 200 })
})

it('a token of an issuer that nobody signs in at is sent to that of people, where there is one', async () => {
  const people = '{ issuer: https://auth.example.com, default_plan: free }'

  expect(await ask({ iss: CI }, 'svc-core', people)).toMatchObject({
    status: 401,
    denial: { problem: 'Sign in at https://auth.example.com: this token is of another issuer.' },
  })
})

const GROUPS = `
  issuer: https://auth.example.com
  default_plan: free
  plan_claim: plan
  groups:
    - { claim: groups, is: leads, role: support }
    - { claim: groups, is: "ml-*", plan: pro, org: ml }
`

it('explain says which groups give plan, org and role, and tests may expect them', async () => {
  const loaded = filesWith(GROUPS)
  const scenario = scenarioOf(loaded.config, { claims: { groups: ['leads', 'ml-x'], plan: 'free' }, chat: 'Hi' })
  if (!scenario) throw new Error('somebody sends it')
  const simulation = await simulate(loaded, scenario)

  expect(simulation.steps[0]?.text).toMatch(
    /^acct_\w{40} on plan pro \(plan pro by ml-\*, org:ml by ml-\*, role support by leads\)$/,
  )
  expect(seenOf(loaded, simulation)).toMatchObject({ plan: 'pro', org: 'ml', role: 'support' })
})

it('explain refuses a token whose groups are not listed, by the words of the gateway', async () => {
  expect(await ask({ _claim_names: { groups: 'src1' }, plan: 'pro' }, 'svc-core', GROUPS)).toMatchObject({
    status: 403,
    denial: { code: 'GROUPS_UNREADABLE', problem: expect.stringContaining('`groups`') },
  })
})
