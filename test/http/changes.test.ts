import { request } from 'node:http'
import { json as jsonOf } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hashOf } from '../../src/gateway/accounts/keys.ts'
import type { TermsChange } from '../../src/gateway/store/account-store.ts'
import { windowOf } from '../../src/policy/decision.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import { type Backend, startBackend } from '../support/backend.ts'
import { eventually } from '../support/eventually.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { send } from './calls.ts'

let backend: Backend
let test: TestGateway
let key: string
let account: string

beforeEach(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend] })
  key = await test.key('free')
  account = (await test.gateway.store.keys.findCaller(hashOf(key)))?.account ?? ''
})

afterEach(async () => {
  vi.restoreAllMocks()
  await test.close()
  await backend.close()
})

const change = (what: TermsChange['change']) =>
  test.gateway.store.accounts.changeTerms({ account, change: what, by: 'operator' })
const window = () => windowOf(test.clock.now()).start

describe('what an operator decides holds for the next request:', () => {
  it.each<[string, () => TermsChange['change'], object]>([
    ['a plan', () => ({ override: 'pro' }), { planSlug: 'pro', limit: 20 }],
    [
      'a grant',
      () => ({ grant: nanoUsd(500_000_000), window: window() }),
      { planSlug: 'free', limit: 1.5, remaining: 1.5 },
    ],
  ])('%s', async (_name, what, expected) => {
    await change(what())

    const quota = await send(test, 'GET /billing/quota', { token: key })
    const answer = await test.chat(key)

    expect(quota.body).toMatchObject(expected)
    expect(answer.headers.get('x-svc-quota-limit')).toBe(String((quota.body as { limit: number }).limit))
    expect(await test.ledger()).toMatchObject([{ plan: (quota.body as { planSlug: string }).planSlug }])
  })

  it('overage', async () => {
    await change({ override: 'tight' })
    const body = { max_tokens: 3000 }
    expect((await test.chat(key, body)).status).toBe(402)

    await change({ overage: true })

    expect((await test.chat(key, body)).status).toBe(200)
  })
})

describe('what changes while a request is being read:', () => {
  it('a key that is revoked buys nothing more', async () => {
    const answer = await whileRead(() => test.gateway.store.keys.revoke({ hash: hashOf(key), by: 'operator' }))

    expect(answer).toMatchObject({ status: 401, body: { code: 'INVALID_KEY' } })
    expect(backend.requests).toEqual([])
  })

  it('the plan is the one that the account has when the request is admitted', async () => {
    const answer = await whileRead(() => change({ override: 'pro' }))

    expect(answer).toMatchObject({ status: 200, plan: 'pro' })
    expect(await test.ledger()).toMatchObject([{ plan: 'pro' }])
  })

  it('a model that the new plan lacks is refused', async () => {
    await change({ override: 'pro' })

    const answer = await whileRead(() => change({ override: 'free' }), { model: 'svc-ultra-pro', max_tokens: 2000 })

    expect(answer).toMatchObject({ status: 429, body: { error: { type: 'plan_limit' } } })
  })
})

/** Sends a chat whose body comes only after its key was found and something has happened. */
async function whileRead(happen: () => Promise<unknown>, more: object = {}) {
  const find = vi.spyOn(test.gateway.store.keys, 'findCaller')
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...more })
  const call = request(`${test.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
  })
  const answered = new Promise<{ status: number | undefined; plan: unknown; body: unknown }>((resolve, reject) => {
    call.once('error', reject)
    call.once('response', response =>
      jsonOf(response).then(
        value => resolve({ status: response.statusCode, plan: response.headers['x-svc-quota-plan'], body: value }),
        reject,
      ),
    )
  })
  call.flushHeaders()
  await eventually(() => expect(find).toHaveBeenCalled())
  await find.mock.results[0]?.value
  await happen()
  call.end(body)
  return answered
}
