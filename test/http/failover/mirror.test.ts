import { describe, expect } from 'vitest'
import type { LedgerRecord } from '../../../src/wire/admin/ledger-record.ts'
import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import type { ShownCopies } from '../../../src/wire/admin/pool-copies.ts'
import { answer, type Backend, hang, refusal, startBackend, stream } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { fine } from './fixture.ts'

/** A model that is mirrored to a pool `new`, at prices of its own. */
const it = gatewayTest
  .extend('fresh', async ({ onTestFinished }): Promise<Backend> => {
    const fresh = await startBackend()
    fresh.always(fine)
    onTestFinished(() => fresh.close())
    return fresh
  })
  .extend('mirror', (): string => '{ to: new, sample: 100%, max_usd_per_day: 1 }')
  .extend('ofNew', (): string => '')
  .extend('config', ({ fresh, mirror, ofNew }) => ({
    fields: { core: `mirror: ${mirror}` },
    yaml: `  new: { site: on-premises, model: new-model, replicas: ["${fresh.url}"], cost_usd_per_1m: { input: 5, output: 5 }${ofNew} }`,
  }))

async function ask({ url }: TestGateway, key: string, body: object = {}): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], ...body }),
  })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return text
}

async function admin(gateway: TestGateway, path: string): Promise<string> {
  const response = await fetch(`${gateway.admin}/${path}`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
  expect(response.status).toBe(200)
  return response.text()
}

const rowsOf = async (gateway: TestGateway): Promise<readonly LedgerRecord[]> =>
  (await admin(gateway, 'admin/ledger?since=1d'))
    .trim()
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as LedgerRecord)

/** The copies that a pool gets, as operators see them. */
async function copiesAt(gateway: TestGateway, pool = 'new'): Promise<readonly ShownCopies[] | undefined> {
  const { data } = JSON.parse(await admin(gateway, 'admin/pools')) as { readonly data: readonly ShownPool[] }
  return data.find(each => each.pool === pool)?.copies
}

const copiesIn = async (gateway: TestGateway) => (await rowsOf(gateway)).filter(({ kind }) => kind === 'mirror')

describe('a mirror', () => {
  it('has copies of whole answers and streams, which count for no account, and are compared with them', async ({
    gateway,
    backend,
    fresh,
    key,
  }) => {
    backend.always(fine)
    await ask(gateway, key)
    backend.next(stream({ chunks: ['Hel', 'lo'] }))
    fresh.next(refusal(400, { message: 'no such sampler' }))
    expect(await ask(gateway, key, { stream: true })).toContain('[DONE]')
    await eventually(async () => expect(await copiesIn(gateway)).toHaveLength(2))

    expect(fresh.requests.map(({ headers }) => String(headers['x-request-id']))).toEqual([
      expect.stringMatching(/^req_.*-mirror$/),
      expect.stringMatching(/^req_.*-mirror$/),
    ])
    const usage = JSON.parse(await admin(gateway, 'admin/usage?since=1d&by=day'))
    const charged = (await rowsOf(gateway)).filter(({ kind }) => kind === 'settle')
    expect(charged).toHaveLength(2)
    expect(usage.total ?? usage.data[0]).toMatchObject({ requests: 2 })
    expect(usage.waste).toMatchObject([{ pool: 'new/mirror' }])
    const found = JSON.parse(await admin(gateway, 'admin/requests?since=1d&kind=mirror'))
    expect(found.data).toHaveLength(2)
    expect(found.data.flatMap(({ failures }: { readonly failures: readonly object[] }) => failures)).toEqual([])
    const compared = JSON.parse(await admin(gateway, 'admin/pools/compare?pool=onprem&to=new'))
    expect(compared).toMatchObject({
      requests: 2,
      original: { pool: 'onprem', errors: 0, finish_reasons: { stop: 2 } },
      copy: { pool: 'new', errors: 1, finish_reasons: { stop: 1 } },
    })
    expect(await admin(gateway, 'metrics')).toMatch(/svc_mirror_copies_total\{[^}]*outcome="failed"\} 1/)
  })

  it('is compared by usage, also where both backends answer whole what they were asked to stream', async ({
    gateway,
    backend,
    fresh,
    key,
  }) => {
    const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }
    backend.always(answer({ content: 'Hi', usage }))
    fresh.always(answer({ content: 'Hello', usage: { ...usage, completion_tokens: 3, total_tokens: 12 } }))
    await ask(gateway, key)
    await eventually(async () => expect(await copiesIn(gateway)).toHaveLength(1))
    expect([backend, fresh].map(each => each.requests[0]?.body.stream)).toEqual([true, true])
    expect(JSON.parse(await admin(gateway, 'admin/pools/compare?pool=onprem&to=new'))).toMatchObject({
      original: { input_tokens: 9, output_tokens: 2, finish_reasons: { stop: 1 } },
      copy: { input_tokens: 9, output_tokens: 3, finish_reasons: { stop: 1 } },
    })
  })

  it('that hangs costs its requests nothing, and holds no more than 32 copies', async ({
    gateway,
    backend,
    fresh,
    key,
  }) => {
    backend.always(fine)
    fresh.always(hang)
    for (let asked = 0; asked < 40; asked++) await ask(gateway, key)
    await eventually(async () =>
      expect(await admin(gateway, 'metrics')).toMatch(/svc_mirror_copies_total\{[^}]*outcome="copies"\} 8/),
    )
    expect(fresh.requests).toHaveLength(32)
    expect((await rowsOf(gateway)).map(({ kind }) => kind)).toEqual(Array(40).fill('settle'))
  })

  describe('at a pool with one slot', () => {
    const oneSlot = it.extend('ofNew', (): string => ', max_concurrent: 1, queue_timeout: 100ms')

    oneSlot('gives its slot to a request', async ({ gateway, backend, fresh, key }) => {
      const edit = (yaml: string) => yaml.replace('vision: true\n    serve: [onprem', 'vision: true\n    serve: [new')
      expect(await gateway.reload({}, edit)).toMatchObject({ changed: true })
      backend.always(fine)
      fresh.next(hang)
      await ask(gateway, key)
      await fresh.received(1)
      expect(await ask(gateway, key, { model: 'svc-ultra-pro' })).toContain('"choices"')
      await fresh.clientGone(1)
      expect(gateway.gateway.app.pools.of('new').slots.taken).toBe(0)
    })
  })

  describe('of responses that go on with kept ones', () => {
    const kept = it.extend('config', ({ fresh, mirror }) => ({
      env: { RESPONSES_KEY: Buffer.alloc(32, 7).toString('base64') },
      fields: { core: `mirror: ${mirror}` },
      yaml: [
        `  new: { site: on-premises, model: new-model, replicas: ["${fresh.url}"], cost_usd_per_1m: { input: 5, output: 5 } }`,
        `responses: { keep: 1h, key: "\${RESPONSES_KEY}" }`,
      ].join('\n'),
    }))

    kept('counts the kept conversation among the bytes of its copies', async ({ gateway, backend, fresh, key }) => {
      backend.always(fine)
      fresh.always(hang)
      const respond = async (body: object): Promise<string> => {
        const response = await fetch(`${gateway.url}/v1/responses`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        expect(response.status).toBe(200)
        return ((await response.json()) as { readonly id: string }).id
      }
      const id = await respond({ input: 'long '.repeat(20_000) })
      await fresh.received(1)
      const bytes = () => gateway.gateway.app.mirrors?.load.running.bytes ?? 0
      const before = bytes()
      await respond({ input: 'Go on', previous_response_id: id })
      await fresh.received(2)
      expect(bytes() - before).toBeGreaterThan(100_000)
    })
  })

  describe('at an engine that orders requests', () => {
    const ordered = it.extend('ofNew', (): string => ', provider: { is: vllm, priority: low_first }')

    ordered('comes after the requests of every plan', async ({ gateway, backend, fresh, key }) => {
      backend.always(fine)
      await ask(gateway, key)
      await fresh.received(1)
      // The lowest priority of a plan is 0.
      expect(fresh.requests.map(({ body }) => body.priority)).toEqual([1])
    })
  })

  describe('with a budget for two copies', () => {
    const bounded = it.extend('mirror', (): string => '{ to: new, sample: 100%, max_usd_per_day: 0.045 }')

    bounded(
      'sends no third one while both may still cost what was reserved',
      async ({ gateway, backend, fresh, key }) => {
        backend.always(fine)
        fresh.always(hang)
        for (let asked = 0; asked < 3; asked++) await ask(gateway, key)
        await eventually(async () =>
          expect(await admin(gateway, 'metrics')).toMatch(/svc_mirror_copies_total\{[^}]*outcome="budget"\} 1/),
        )
        expect(fresh.requests).toHaveLength(2)
      },
    )

    bounded(
      'tells operators what it copies, what the copies of a day cost, and that the newest was left out',
      async ({ gateway, backend, fresh, key }) => {
        const where = { model: 'svc-core', sample: '100%', from: ['onprem'], across_sites: false }
        const told = { ...where, max_usd_per_day: '0.045' }
        expect(await copiesAt(gateway)).toEqual([{ ...told, day_usd: '0' }])
        expect(await copiesAt(gateway, 'onprem')).toBeUndefined()

        backend.always(fine)
        fresh.next(fine)
        await ask(gateway, key)
        await eventually(async () => expect((await copiesAt(gateway))?.[0]?.newest?.outcome).toBe('well'))
        await eventually(async () => expect(await copiesIn(gateway)).toHaveLength(1))
        const [cost] = (await copiesIn(gateway)).map(({ cost_nano_usd }) => cost_nano_usd)
        await eventually(async () => {
          const [copies] = (await copiesAt(gateway)) ?? []
          expect(Math.round(Number(copies?.day_usd) * 1e9)).toBe(cost)
        })

        fresh.always(hang)
        for (let asked = 0; asked < 3; asked++) await ask(gateway, key)
        await eventually(async () =>
          expect((await copiesAt(gateway))?.[0]?.newest).toMatchObject({
            outcome: 'budget',
            text: 'was left out: the budget had no room',
          }),
        )
        const spent = Number((await copiesAt(gateway))?.[0]?.day_usd)
        expect(spent).toBeGreaterThan(0.02)
        expect(spent).toBeLessThanOrEqual(0.045)
      },
    )
  })
})
