import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { ENV } from '../../support/gateway.ts'
import { Dialects } from './fixture.ts'

const BODY = 4_000_000
const MEMORY = 12_000_000
/** Compresses to little, so that only the text says how large it is. */
const PICTURE = `data:image/png;base64,${'A'.repeat(2_000_000)}`

let site: Dialects
beforeEach(async () => {
  site = await Dialects.start(
    `responses: { keep: 1h, key: "\${RESPONSES_KEY}" }\nlimits: { body: 4MB, body_memory: 12MB }\n`,
    { env: { ...ENV, RESPONSES_KEY: '0'.repeat(64) }, fields: { core: 'vision: true', pro: 'max_concurrent: 1000' } },
  )
})
afterEach(() => site.close())

const input = [
  {
    role: 'user',
    content: [
      { type: 'input_image', image_url: PICTURE },
      { type: 'input_text', text: 'Hi' },
    ],
  },
]
async function kept(): Promise<string> {
  const response = await site.ask('responses', { model: 'svc-core', input })
  const { id, store } = (await response.json()) as { id: string; store: boolean }
  expect([response.status, store]).toEqual([200, true])
  return id
}

const get = (path: string, signal?: AbortSignal) =>
  fetch(`${site.test.url}/v1/responses/${path}`, {
    headers: { authorization: `Bearer ${site.key}` },
    ...(signal && { signal }),
  })

/** The most that bodies and kept responses took together while something was done. */
async function peakOf(work: () => Promise<unknown>): Promise<number> {
  const { bodies } = site.test.gateway.app
  const add = vi.spyOn(bodies, 'add')
  let most = 0
  add.mockImplementation(function (this: typeof bodies, body, bytes) {
    add.getMockImplementation()
    Object.getPrototypeOf(bodies).add.call(bodies, body, bytes)
    most = Math.max(most, bodies.total)
  })
  await work()
  add.mockRestore()
  return most
}

describe('a large kept response', () => {
  it.each(['get', 'post'])(
    'that is asked for 40 times at once, by %s, takes no more than the memory of bodies',
    async how => {
      const id = await kept()
      const ask = () =>
        how === 'get'
          ? get(`${id}/input_items?limit=1`)
          : site.ask('responses', { model: 'svc-core', previous_response_id: id, input: 'Hi', store: false })
      const statuses: number[] = []
      const peak = await peakOf(async () => {
        const all = await Promise.all(Array.from({ length: 40 }, ask))
        for (const each of all) {
          statuses.push(each.status)
          await each.text()
        }
      })

      expect(peak).toBeGreaterThan(2_000_000)
      expect(peak).toBeLessThanOrEqual(MEMORY)
      expect(statuses.filter(status => status === 200).length).toBeGreaterThan(0)
      expect(new Set(statuses)).toEqual(new Set(statuses.includes(503) ? [200, 503] : [200]))
      await eventually(() => expect(site.test.gateway.app.bodies.total).toBe(0))
    },
  )

  it('is not read for a client that has left', async () => {
    const id = await kept()
    const { responses } = site.test.gateway.app.store
    const sizeOf = vi.spyOn(responses, 'sizeOf')
    const read = vi.spyOn(responses, 'read')
    const left = new AbortController()
    sizeOf.mockImplementationOnce(async () => {
      left.abort()
      await site.test.closed(2)
      return 2_000_000
    })

    await expect(get(id, left.signal)).rejects.toThrow()
    await site.test.logged(2)
    expect(read).not.toHaveBeenCalled()
    expect(site.test.gateway.app.bodies.total).toBe(0)
  })

  it('is not looked up for an account whose minute is full', async () => {
    const key = await site.test.key('tight', 'bob')
    const authorization = { authorization: `Bearer ${key}` }
    const first = await site.ask('responses', { model: 'svc-core', input: 'Hi', max_output_tokens: 16 }, authorization)
    const { id } = (await first.json()) as { id: string }
    const next = { model: 'svc-core', previous_response_id: id, input: 'Hi', max_output_tokens: 16 }
    expect((await site.ask('responses', next, authorization)).status).toBe(200)
    const sizeOf = vi.spyOn(site.test.gateway.app.store.responses, 'sizeOf')

    const refused = await site.ask('responses', next, authorization)

    expect([refused.status, refused.headers.get('x-svc-error-code')]).toEqual([429, 'rate_limit_exceeded'])
    expect(sizeOf).not.toHaveBeenCalled()
  })

  it('costs its account the time that it takes to parse', async () => {
    const id = await kept()
    const { turns } = site.test.gateway.app
    const run = vi.spyOn(turns, 'run')

    expect((await get(id)).status).toBe(200)
    expect(run.mock.calls.map(([, kind]) => kind)).toEqual(['costly', 'costly'])
  })
})

it('the bounds of these tests are those of the files', () => {
  const { limits } = site.test.gateway.app.settings
  expect([limits.bodyBytes, limits.bodyMemoryBytes]).toEqual([BODY, MEMORY])
})

describe('room for the responses of all accounts', () => {
  const start = (fields: string, guests?: string) =>
    Dialects.start(`responses: { keep: 1h, key: "\${RESPONSES_KEY}", ${fields} }\n`, {
      env: { ...ENV, RESPONSES_KEY: '0'.repeat(64) },
      ...(guests !== undefined && { guests }),
    })
  const asked = async (key: string, body: object) => {
    const authorization = { authorization: `Bearer ${key}` }
    const response = await site.ask('responses', { model: 'svc-core', input: 'Hi', ...body }, authorization)
    const { id, store, error } = (await response.json()) as { id: string; store: boolean; error?: { code: string } }
    return { status: response.status, id, store, code: error?.code, ignored: response.headers.get('x-svc-store') }
  }

  it('ends: what comes then is answered and not kept, and what is kept stays', async () => {
    await site.close()
    site = await start('max_bytes_total: 64KB')
    const noise = () => Buffer.from(crypto.getRandomValues(new Uint8Array(21_000))).toString('base64')
    const first = await asked(site.key, { input: noise() })
    const other = await site.test.key('pro', 'bob')
    const second = await asked(other, { input: noise() })

    const third = await asked(other, { input: noise(), store: true })

    expect([first, second, third].map(({ status, store }) => [status, store])).toEqual([
      [200, true],
      [200, true],
      [200, false],
    ])
    expect((await get(first.id)).status).toBe(200)
    expect((await get(third.id)).status).toBe(404)
  })

  it('is not for guests, who are answered as where none are kept', async () => {
    await site.close()
    site = await start('', 'usd_per_day_total: 50')
    const guest = await guestKey()

    expect(await asked(guest, { store: true })).toMatchObject({ status: 200, store: false, ignored: 'ignored' })
    const { id } = await asked(site.key, {})
    expect(await asked(guest, { previous_response_id: id })).toMatchObject({ status: 400 })
  })

  it('is for guests where the files say so', async () => {
    await site.close()
    site = await start('guests: true', 'usd_per_day_total: 50')
    const guest = await guestKey()
    const { id, store } = await asked(guest, {})

    expect(store).toBe(true)
    expect(await asked(guest, { previous_response_id: id })).toMatchObject({ status: 200, store: true })
  })

  async function guestKey(): Promise<string> {
    const response = await fetch(`${site.test.url}/v1/keys/guest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ device_id: 'phone' }),
    })
    return ((await response.json()) as { key: string }).key
  }
})
