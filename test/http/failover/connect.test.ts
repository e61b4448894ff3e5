import { afterEach, expect, it } from 'vitest'
import { type Backend, hang, staleIfReused, startBackend } from '../../support/backend.ts'
import { selfSigned } from '../../support/certificate.ts'
import { startDeaf, UNKNOWN_HOST } from '../../support/faults/deaf.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { fine } from './fixture.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

const kept = <T extends { close(): Promise<void> }>(thing: T): T => {
  open.push(thing)
  return thing
}

/** A gateway whose first pool has one address, and whose second answers. */
async function before(url: string, more: { url: string }[] = []): Promise<{ test: TestGateway; cloud: Backend }> {
  const cloud = kept(await startBackend())
  cloud.always(fine)
  const test = kept(await startTestGateway({ onprem: [{ url }, ...more], cloud: [cloud] }))
  return { test, cloud }
}

const failuresOf = (test: TestGateway, url: string) => test.gateway.app.pools.of('onprem').replica(url).breaker.failures

it('a refused connection goes on at once, and counts', async () => {
  const dead = await startBackend()
  await dead.close()
  const { test } = await before(dead.url)

  const response = await test.chat(await test.key('pro'))

  expect(response.headers.get('x-svc-upstream')).toBe('cloud')
  expect(failuresOf(test, dead.url)).toBe(1)
  expect(await test.logged(1)).toMatchObject([{ failures: [{ pool: 'onprem', cause: 'ECONNREFUSED' }] }])
})

it('a connection that is neither made nor refused is given up after connect_timeout, by our own clock', async () => {
  const deaf = kept(await startDeaf())
  const { test, cloud } = await before(deaf.url)
  const asked = test.chat(await test.key('pro'))
  // Nothing says that a SYN went unanswered: the gateway's own timer is what is waited for, beside those of the key's use and of the fleet.
  await test.clock.waits(1000, 3)

  test.clock.advance(999)
  await new Promise(setImmediate)
  expect(cloud.requests).toHaveLength(0)
  test.clock.advance(1)

  expect((await asked).headers.get('x-svc-upstream')).toBe('cloud')
  expect(failuresOf(test, deaf.url)).toBe(1)
  expect(await test.logged(1)).toMatchObject([{ failures: [{ cause: 'connect timeout' }] }])
})

it('a name that does not resolve is a fault of the whole pool: its other replicas are not asked, and the operator is told', async () => {
  const other = 'http://other.invalid/v1'
  const { test } = await before(UNKNOWN_HOST, [{ url: other }])

  const response = await test.chat(await test.key('pro'))

  expect(response.headers.get('x-svc-upstream')).toBe('cloud')
  expect([failuresOf(test, UNKNOWN_HOST), failuresOf(test, other)]).toEqual([1, 1])
  expect(test.alarms).toEqual([expect.stringMatching(/"pool":"onprem","cause":"(ENOTFOUND|EAI_AGAIN)"/)])
})

it('a certificate that nobody vouches for is a fault of the whole pool, and nothing is sent there', async () => {
  const secret = kept(await startBackend(selfSigned()))
  const { test } = await before(secret.url)

  const response = await test.chat(await test.key('pro'))

  expect(response.headers.get('x-svc-upstream')).toBe('cloud')
  expect(secret.requests).toHaveLength(0)
  expect(test.alarms).toEqual([expect.stringMatching(/"cause":"DEPTH_ZERO_SELF_SIGNED_CERT"/)])
})

it('plain HTTP where TLS is spoken is a fault of the whole pool', async () => {
  const plain = kept(await startBackend())
  const { test } = await before(plain.url.replace('http:', 'https:'))

  expect((await test.chat(await test.key('pro'))).headers.get('x-svc-upstream')).toBe('cloud')
  expect(test.alarms).toEqual([expect.stringMatching(/"cause":"(ERR_SSL|EPROTO)/)])
})

it.each([false, true])(
  'a kept connection that ends as a request goes over it is tried on a fresh one, and counts for nothing (stream: %s)',
  async streamed => {
    const backend = kept(await startBackend())
    const { test, cloud } = await before(backend.url)
    const key = await test.key('pro')
    backend.always(staleIfReused(fine))
    await (await test.chat(key)).text()

    const response = await test.chat(key, { stream: streamed })

    expect(response.headers.get('x-svc-upstream')).toBe('onprem')
    expect(await response.text()).toContain('ne.')
    expect([backend.requests.length, backend.accepted, cloud.requests.length]).toEqual([3, 2, 0])
    expect(failuresOf(test, backend.url)).toBe(0)
    expect((await test.ledger()).map(({ kind }) => kind)).toEqual(['settle', 'settle'])
  },
)

it('a fresh connection that ends without a byte counts: only a kept one may have been stale', async () => {
  const backend = kept(await startBackend())
  const { test } = await before(backend.url)
  const key = await test.key('pro')
  backend.always(staleIfReused(exchange => void exchange.takeOver().end()))

  expect((await test.clock.during(test.chat(key))).headers.get('x-svc-upstream')).toBe('cloud')
  expect(failuresOf(test, backend.url)).toBe(2)
})

it('a client that leaves while a connection is made leaves nothing behind', async () => {
  const deaf = kept(await startDeaf())
  const { test } = await before(deaf.url)
  const leave = new AbortController()
  const asked = test.chat(await test.key('pro'), {}, { signal: leave.signal })
  await test.clock.waits(1000, 3)

  leave.abort()
  await expect(asked).rejects.toThrow()

  expect(await test.logged(1)).toMatchObject([{ status: 499 }])
  expect(await test.ledger()).toEqual([])
  expect(failuresOf(test, deaf.url)).toBe(0)
})

it('a client that leaves a whole answer may still hear its usage told for 30 s, and no longer', async () => {
  const backend = kept(await startBackend())
  const { test } = await before(backend.url)
  backend.always(hang)
  const leave = new AbortController()
  const asked = test.chat(await test.key('pro'), {}, { signal: leave.signal })
  await backend.received(1)
  leave.abort()
  await expect(asked).rejects.toThrow()
  await test.closed(1)

  test.clock.advance(30_000)

  await backend.clientGone(1)
  expect(await test.logged(1)).toMatchObject([{ status: 499, estimated: true }])
  expect(failuresOf(test, backend.url)).toBe(0)
})
