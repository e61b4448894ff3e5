import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ShownExplained } from '../../../src/wire/admin/explained.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { send } from '../calls.ts'

let backend: Backend
let test: TestGateway

beforeAll(async () => {
  backend = await startBackend()
})
afterAll(() => backend.close())
beforeEach(async () => {
  test = await startTestGateway({
    onprem: [backend],
    cloud: [backend],
    fields: { free: 'tools: [clock]', pro: 'tools: [clock, files]' },
    yaml: 'hosted_tools: { clock: { builtin: current_time }, files: { builtin: calculator } }',
  })
})
afterEach(() => test.close())

const ask = (body: object) => send({ url: test.admin }, 'POST /admin/explain', { token: ADMIN_TOKEN, body })
const admin = (path: string, body: object) =>
  send({ url: test.admin }, `POST /admin/${path}`, { token: ADMIN_TOKEN, body })
const explained = async (body: object): Promise<ShownExplained> => {
  const { status, body: answer } = await ask(body)
  expect(status, JSON.stringify(answer)).toBe(200)
  return answer as ShownExplained
}
const idOf = async (named: string): Promise<string> => {
  const { body } = await admin('keys/list', { account: named })
  return (body as { data: readonly { id: string }[] }).data[0]?.id ?? ''
}

it('says who would serve a request, what it would reserve at which price, and what is left of each limit', async () => {
  await test.chat(await test.key('free', 'ada'), { max_tokens: 10 })

  const answer = await explained({ account: 'ada', model: 'svc-core', max_tokens: 100, prompt_tokens: 40 })

  expect(answer).toMatchObject({
    verdict: 'allow',
    account: { label: 'ada', plan: 'free', frozen: false },
    key: null,
    path: '/v1/chat/completions',
    asked: 'svc-core',
    model: 'svc-core',
    pools: [
      { pool: 'onprem', state: 'healthy' },
      { pool: 'cloud', state: 'healthy' },
    ],
    max_tokens: 100,
    held: { output_tokens: 100, input_usd_per_1m: '1', output_usd_per_1m: '10' },
    tools: [
      { tool: 'clock', allowed: true },
      { tool: 'files', allowed: false },
    ],
    answer: null,
    allowed_if: [],
    notes: [],
  })
  expect(answer.limits.find(({ measure, per }) => measure === 'requests' && per === 'minute')).toMatchObject({
    used: '1',
    remaining: '19',
  })
  expect(answer.stages.map(({ stage }) => stage)).toEqual([
    'who',
    'body',
    'model',
    'route',
    'gate',
    'rate',
    'quota',
    'send',
  ])
})

it('takes nothing, whatever is asked and however often', async () => {
  await test.key('tight', 'ada')
  const { store } = test.gateway
  const [record] = await store.accounts.findByLabel('ada')
  const before = await store.accounts.readUsage(record?.account ?? '')
  const sent = backend.requests.length

  for (let n = 0; n < 5; n++)
    expect(await explained({ account: 'ada', max_tokens: 50 })).toMatchObject({ verdict: 'allow' })

  expect(await store.accounts.readUsage(record?.account ?? '')).toEqual(before)
  expect(await test.ledger()).toEqual([])
  expect(backend.requests.length).toBe(sent)
})

it('a refusal is the answer that the client would get, with the moment from which it would be served', async () => {
  const key = await test.key('tight', 'ada')
  for (let n = 0; n < 2; n++) expect((await test.chat(key, { max_tokens: 5 })).status).toBe(200)

  const told = await explained({ key: await idOf('ada'), body: { messages: HI, max_tokens: 5 } })
  const real = await test.chat(key, { messages: HI, max_tokens: 5 })

  expect(told).toMatchObject({ verdict: 'deny', answer: { status: 429 }, held: null })
  expect(real.status).toBe(429)
  expect(told.answer?.body).toEqual(await real.json())
  for (const name of ['retry-after', 'x-ratelimit-remaining-requests'])
    expect(told.answer?.headers[name], name).toBe(real.headers.get(name))
  const [again] = told.allowed_if
  test.clock.advance(Date.parse(again?.change === 'time' ? again.at : '') - test.clock.now())
  expect((await test.chat(key, { messages: HI, max_tokens: 5 })).status).toBe(200)
})

const HI = [{ role: 'user', content: 'Hello' }]

it('a key that ended, or that is narrower than its account, refuses by its own name', async () => {
  await test.key('pro', 'ada')
  const mint = async (name: string, wish: object) => {
    const { body } = await admin('keys', { account: 'ada', name, ...wish })
    return String((body as { id: string }).id)
  }
  const [narrow, brief, office] = [
    await mint('narrow', { models: ['svc-core'] }),
    await mint('brief', { expires_in: '1h' }),
    await mint('office', { addresses: ['10.0.0.0/8'] }),
  ]
  const whyOf = ({ answer, stages }: ShownExplained) => [answer?.status, stages.at(-1)?.text]

  expect(whyOf(await explained({ key: narrow, model: 'svc-ultra-pro' }))).toEqual([
    429,
    `key ${narrow} does not include svc-ultra-pro`,
  ])
  test.clock.advance(3_600_001)
  expect(whyOf(await explained({ key: brief }))).toEqual([401, `key ${brief} does not work: it has expired`])
  await admin('keys/revoke', { key: narrow })
  expect(whyOf(await explained({ key: narrow }))).toEqual([401, `key ${narrow} does not work: it was revoked`])
  expect(whyOf(await explained({ key: office, address: '192.0.2.7' }))).toEqual([
    403,
    `key ${office} works only from 10.0.0.0/8, not from 192.0.2.7`,
  ])
  expect(await explained({ key: office, address: '10.1.2.3' })).toMatchObject({ verdict: 'allow', notes: [] })
  expect((await explained({ key: office })).notes).toEqual([
    'The key works only from 10.0.0.0/8. The question names no address, so this was not checked.',
  ])
})

it('a frozen account is told how it is thawed, and one of a frozen org how that is', async () => {
  await test.key('free', 'ada')
  await admin('accounts/org', { account: 'ada', org: 'org:acme' })
  await admin('accounts/freeze', { account: 'org:acme' })
  const ofOrg = await explained({ account: 'ada' })
  await admin('accounts/freeze', { account: 'ada' })
  const own = await explained({ account: 'ada' })

  expect(ofOrg).toMatchObject({ answer: { status: 403 }, notes: ['`svcctl accounts thaw org:acme` thaws it.'] })
  expect(own.notes).toEqual([`\`svcctl accounts thaw ${own.account.account}\` thaws it.`])
})

it('a tool outside the plan refuses, and one of the plan is weighed and paid for', async () => {
  await test.key('free', 'ada')

  expect(await explained({ account: 'ada', tools: ['files'] })).toMatchObject({
    answer: { status: 429, body: { error: { type: 'plan_limit' } } },
  })
  expect(await explained({ account: 'ada', tools: ['clock'], stream: true })).toMatchObject({ verdict: 'allow' })
})

describe('where pools cannot be used', () => {
  it('those that are drained come last, and a request that has no other is refused as it would be', async () => {
    const key = await test.key('pro', 'ada')
    await admin('pools/drain', { pool: 'onprem' })
    const last = await explained({ account: 'ada' })
    await admin('pools/drain', { pool: 'cloud' })
    const none = await explained({ account: 'ada' })
    const real = await test.chat(key)

    expect(last.pools).toEqual([
      { pool: 'cloud', state: 'healthy' },
      { pool: 'onprem', state: 'drained' },
    ])
    expect(none).toMatchObject({
      verdict: 'deny',
      answer: { status: 503 },
      allowed_if: [{ change: 'pool', names: ['onprem', 'cloud'] }],
    })
    expect(real.status).toBe(503)
    expect(none.answer?.body).toEqual(await real.json())
  })
})

it.each<[string, object, number, string]>([
  ['nobody', { model: 'svc-core' }, 400, 'account: or key must say who sends the request'],
  ['an account that is not there', { account: 'nobody' }, 400, 'there is no account `nobody`'],
  ['another account’s key', { account: 'bob', key: 'KEY' }, 400, 'is a key of another account'],
  [
    'a body and a model',
    { account: 'ada', body: { messages: [] }, model: 'svc-core' },
    400,
    'cannot be combined with body',
  ],
  ['a path that no model answers', { account: 'ada', path: '/v1/files' }, 400, 'must be one of /v1/chat/completions'],
  ['a dialect without a body', { account: 'ada', path: '/v1/messages' }, 400, 'of this dialect needs a body'],
])('a question about %s is refused, and says why', async (_name, body, status, message) => {
  await test.key('free', 'ada')
  await test.key('free', 'bob')
  const asked = 'key' in body ? { ...body, key: await idOf('ada') } : body

  const told = await ask(asked)

  expect(told.status).toBe(status)
  expect(told.text).toContain(message)
})

it('a body that the gateway would not read is refused in the words of its endpoint', async () => {
  const key = await test.key('free', 'ada')
  const told = await explained({ account: 'ada', body: '{"messages": ' })
  const real = await send(test, 'POST /v1/chat/completions', { token: key, body: '{"messages": ' })

  expect([told.answer?.status, told.answer?.body]).toEqual([real.status, real.body])
})
