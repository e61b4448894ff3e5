import { expect } from 'vitest'
import { hashOf } from '../../../src/gateway/accounts/keys.ts'
import { adminOps } from '../../../src/http/admin/admin.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'
import { gatewayTest as it } from '../../support/gateway-test.ts'
import { fieldOf, outcomeOf, send } from '../calls.ts'

const REPEAT = '2f1c9a54-8d1e-4c57-9b0e-0d5a7e6f1b23'
const OTHER = '9d0b7c11-52aa-4e0e-8f0c-6a1d2b3c4d5e'

const asking =
  ({ admin }: TestGateway) =>
  (path: string, body: object, repeat?: string, as = 'ada') =>
    send({ url: admin }, `POST ${path}`, {
      token: ADMIN_TOKEN,
      body,
      headers: { 'x-svcctl-user': as, ...(repeat !== undefined && { 'idempotency-key': repeat }) },
    })

it('a mint that is repeated is answered with the key of the first one, which is made once', async ({ gateway }) => {
  const ask = asking(gateway)
  const body = { account: 'carl', plan: 'pro' }

  const first = await ask('/admin/keys', body, REPEAT)
  const again = await ask('/admin/keys', { plan: 'pro', account: 'carl' }, REPEAT)

  expect(fieldOf(first, 'value')).toMatch(/^svc_/)
  expect(again.body).toEqual(first.body)
  expect(await gateway.gateway.store.keys.list()).toHaveLength(1)
  expect(await gateway.gateway.store.keys.findCaller(hashOf(fieldOf(again, 'value')))).toMatchObject({
    kind: 'developer',
  })
})

it('eight concurrent repetitions all get the same key', async ({ gateway }) => {
  const ask = asking(gateway)

  const told = await Promise.all(
    Array.from({ length: 8 }, () => ask('/admin/keys', { account: 'carl', plan: 'pro' }, REPEAT)),
  )

  expect(new Set(told.map(each => fieldOf(each, 'value'))).size).toBe(1)
  expect(await gateway.gateway.store.keys.list()).toHaveLength(1)
})

it('a rotation that is repeated gives the next key again, and rotates nothing further', async ({ gateway }) => {
  const ask = asking(gateway)
  await ask('/admin/keys', { account: 'carl', plan: 'pro' })

  const first = await ask('/admin/keys/rotate', { key: 'carl' }, REPEAT)
  const [again, atOnce] = await Promise.all([
    ask('/admin/keys/rotate', { key: 'carl' }, REPEAT),
    ask('/admin/keys/rotate', { key: 'carl' }, REPEAT),
  ])

  expect(again.body).toEqual(first.body)
  expect(atOnce.body).toEqual(first.body)
  expect((await gateway.gateway.store.keys.list()).map(({ status }) => status).sort()).toEqual(['active', 'rotated'])
})

it.for([
  ['another key of repetitions', { account: 'carl', plan: 'pro', name: 'ci' }, OTHER, 'ada'],
  ['another body', { account: 'carl', plan: 'pro', name: 'laptop' }, REPEAT, 'ada'],
  ['another operator', { account: 'carl', plan: 'pro', name: 'ci' }, REPEAT, 'eve'],
] as const)('%s gets no key of another request', async ([_, body, repeat, as], { gateway }) => {
  const ask = asking(gateway)
  const value = fieldOf(await ask('/admin/keys', { account: 'carl', plan: 'pro', name: 'ci' }, REPEAT), 'value')

  const told = await ask('/admin/keys', body, repeat, as)

  expect(outcomeOf(told)).toBe('200')
  expect(told.text).not.toContain(value)
})

it('a key that ended since does not come back by a repetition', async ({ gateway }) => {
  const ask = asking(gateway)
  const minted = await ask('/admin/keys', { account: 'carl', plan: 'pro' }, REPEAT)
  await ask('/admin/keys/revoke', { key: fieldOf(minted, 'value') })

  const told = await ask('/admin/keys', { account: 'carl', plan: 'pro' }, REPEAT)

  expect(outcomeOf(told)).toBe('400 VALIDATION_ERROR')
  expect(told.text).toContain('which was revoked: send another value for another key')
  expect((await gateway.gateway.store.keys.list()).map(({ status }) => status)).toEqual(['revoked'])
})

it.for(['', 'short', 'x'.repeat(256), 'with blanks in the middle of it'])(
  'a key of repetitions %j is refused',
  async (repeat, { gateway }) => {
    const ask = asking(gateway)

    expect(outcomeOf(await ask('/admin/keys', { account: 'carl', plan: 'pro' }, repeat))).toBe('400 VALIDATION_ERROR')
  },
)

it('neither the value nor what it is derived from is in a backup of the store', async ({ gateway }) => {
  const ask = asking(gateway)
  const value = fieldOf(await ask('/admin/keys', { account: 'carl', plan: 'pro' }, REPEAT), 'value')
  const records: unknown[] = []
  for await (const record of gateway.gateway.store.dump()) records.push(record)

  const text = JSON.stringify(records)
  expect(text).toContain('carl')
  for (const secret of [value, value.slice(4, 40), REPEAT]) expect(text).not.toContain(secret)
})

it('every operation that shows the value of a random key may be repeated', () => {
  const showing = adminOps
    .map(({ declared }) => declared)
    .filter(({ path }) => path === '/admin/keys' || path.endsWith('/rotate'))

  expect(showing.filter(({ method }) => method === 'POST').every(({ repeats }) => repeats)).toBe(true)
})
