import { describe, expect } from 'vitest'
import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import { type Backend, type Behaviour, contextTooLong, refusal, startBackend, status } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { fine } from './fixture.ts'

const AFTER = 20
const SHARED = `serve: [{ pool: new, share: 50%, canary: { stop_when: { errors_over: 10%, against: onprem, after: ${AFTER} } } }, onprem`

/** A pool `new` that is compared with `onprem`. */
const it = gatewayTest
  .extend('fresh', async ({ onTestFinished }): Promise<Backend> => {
    const fresh = await startBackend()
    onTestFinished(() => fresh.close())
    return fresh
  })
  .extend('config', ({ fresh }) => ({
    yaml: `  new: { site: on-premises, model: new-model, replicas: ["${fresh.url}"] }`,
  }))
  .extend('canary', async ({ gateway, backend, fresh }) => {
    for (const each of [backend, fresh]) each.always(fine)
    expect(await gateway.reload({}, yaml => yaml.replace('serve: [onprem', SHARED))).toMatchObject({ changed: true })
  })

let sessions = 0

/** Asks in new conversations, each of which has to be served. */
async function ask({ url }: TestGateway, key: string, count: number, isOver = () => false): Promise<void> {
  await expectStatuses({ url }, key, 200, count, isOver)
}

/** Asks in new conversations, each of which has to get this status. */
async function expectStatuses(
  { url }: Pick<TestGateway, 'url'>,
  key: string,
  expected: number,
  count: number,
  isOver = () => false,
): Promise<void> {
  for (let asked = 0; asked < count && !isOver(); asked++) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-session-affinity': `s-${sessions++}`,
      },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] }),
    })
    await response.text()
    expect(response.status).toBe(expected)
  }
}

async function admin<T>({ admin: url }: TestGateway, path: string, body?: object): Promise<T> {
  const response = await fetch(`${url}/admin/${path}`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(response.status).toBe(200)
  return response.json() as Promise<T>
}

async function shown(gateway: TestGateway): Promise<ShownPool | undefined> {
  const { data } = await admin<{ readonly data: readonly ShownPool[] }>(gateway, 'pools')
  return data.find(({ pool }) => pool === 'new')
}

const isDrained = ({ gateway }: TestGateway) => gateway.app.pools.of('new').drained

/** Answers that say the request is at fault, and what its client gets where every backend gives them. */
const REFUSALS: readonly (readonly [what: string, Behaviour, status: number])[] = [
  ['400 with a reason', refusal(400, { message: 'messages must alternate' }), 400],
  ['400 for its length', contextTooLong, 400],
  ['422', refusal(422, { message: 'temperature must be at most 2' }), 400],
  ['400 without a reason', status(400), 400],
  ['403', refusal(403, { message: 'flagged' }), 403],
  ['404 with a reason', refusal(404, { message: 'no such image' }), 404],
  ['501', status(501, { error: { message: 'failed' } }), 503],
]

describe('a canary is judged by faults of its backend alone', () => {
  it('a request that every backend refuses counts for no side; one that the canary alone refuses is served, and counts', async ({
    canary: _,
    gateway,
    key,
    backend,
    fresh,
  }) => {
    const patient = SHARED.replace('errors_over: 10%', 'errors_over: 99%')
    await gateway.reload({}, yaml => yaml.replace('serve: [onprem', patient))
    for (const each of [backend, fresh]) each.answersChecks(fine)
    const counts = async () => (await shown(gateway))?.shares?.[0]?.canary
    for (const [what, refusing, expected] of REFUSALS) {
      const before = await counts()
      for (const each of [backend, fresh]) each.always(refusing)
      await expectStatuses(gateway, key, expected, 8)
      expect(await counts(), what).toEqual(before)

      backend.always(fine)
      const asked = fresh.requests.length
      await ask(gateway, key, 40, () => fresh.requests.length > asked)
      expect((await counts())?.canary.errors, what).toBe((before?.canary.errors ?? 0) + 1)
      expect((await counts())?.control.errors, what).toBe(0)
    }
  })
})

describe('a canary that worsens', () => {
  it('is out within `after` requests, at no cost to any client, and stays out until it is undrained', async ({
    canary: _,
    gateway,
    key,
    fresh,
    restart,
  }) => {
    await ask(gateway, key, 4 * AFTER)
    expect(isDrained(gateway)).toBe(false)
    expect(fresh.requests.length).toBeGreaterThan(AFTER)

    fresh.always(status(401))
    const before = fresh.requests.length
    await ask(gateway, key, 10 * AFTER, () => isDrained(gateway))
    expect(isDrained(gateway)).toBe(true)
    expect(fresh.requests.length - before).toBeLessThanOrEqual(AFTER)

    const stopped = { state: 'stopped', why: 'errors_over', against: 'onprem', control: { errors: 0 } }
    await eventually(async () =>
      expect(await shown(gateway)).toMatchObject({
        drained: true,
        shares: [{ model: 'svc-core', share: '50%', canary: stopped }],
      }),
    )
    expect(gateway.alarms.filter(each => each.startsWith('a canary is stopped'))).toHaveLength(1)

    const again = await restart()
    expect(await shown(again)).toMatchObject({ drained: true })
    const asked = fresh.requests.length
    await ask(again, key, 10)
    expect(fresh.requests).toHaveLength(asked)

    fresh.always(fine)
    await admin(again, 'pools/undrain', { pool: 'new' })
    await ask(again, key, 2 * AFTER)
    expect(fresh.requests.length).toBeGreaterThan(asked)
    expect(await shown(again)).toMatchObject({
      drained: false,
      shares: [{ canary: { state: 'running', canary: { errors: 0 } } }],
    })
  })

  it('has its stop in the audit, once', async ({ canary: _, gateway, key, fresh }) => {
    fresh.always(status(401))
    await ask(gateway, key, 10 * AFTER, () => isDrained(gateway))
    await eventually(async () => {
      const { data } = await admin<{ readonly data: readonly { readonly by: string; readonly after: string }[] }>(
        gateway,
        'audit?order=desc',
      )
      expect(data.filter(({ by }) => by === 'canary').map(({ after }) => after)).toEqual([
        'new (canary of svc-core: errors_over)',
      ])
    })
  })
})
