import { afterEach, describe, expect, it } from 'vitest'
import {
  type Behaviour,
  errorFrame,
  garbledStream,
  sse,
  stream,
  streamThenBadChunk,
  streamThenClose,
  streamThenCutChunk,
  streamThenEnd,
  streamThenError,
  streamThenHang,
  streamThenReset,
} from '../../support/backend.ts'
import { eventsOf, type TestPools } from '../../support/gateway.ts'
import { Failover, fine } from './fixture.ts'

let site: Failover
afterEach(() => site.close())

const start = async (fields: TestPools['fields'] = { core: 'commit: complete' }, yaml = '') => {
  site = await Failover.start({ fields, yaml })
}

const partial = { chunks: ['par', 'tial'] }
const broken: readonly [string, Behaviour][] = [
  ['cut by a reset', streamThenReset(partial)],
  ['that ends without a finish', streamThenEnd(partial)],
  ['whose connection ends', streamThenClose(partial)],
  ['with half a chunk', streamThenCutChunk(partial)],
  ['with bytes that are no chunk', streamThenBadChunk(partial)],
  ['with an error event in the middle', streamThenError({ ...partial, problem: { message: 'boom' } })],
  ['with a garbled event in the middle', garbledStream(['par'], ['tial'])],
  ['with a marker and no finish', stream({ ...partial, finish: null })],
  ['with an event over 16 MiB', sse(`data: ${'x'.repeat(17_000_000)}\n\n`)],
  ['with an error frame first', errorFrame({ message: 'queue full', code: 503 })],
]

describe('with `commit: complete`', () => {
  it.each(broken)('a stream %s reaches the client whole, once, from another replica', async (_name, behaviour) => {
    await start()
    site.everyOnprem(fine)
    const plain = await (await site.chat(true)).text()
    site.firstOnprem(behaviour)

    const text = await (await site.chat(true)).text()

    expect(text).toBe(plain)
    expect(site.calls).toEqual([3, 0])
    await site.test.logged(2)
    expect(site.failures).toEqual([1, 0])
    expect((await site.rows()).filter(row => row.startsWith('settle'))).toHaveLength(2)
  })

  it('a stream that falls silent in the middle reaches the client whole, once', async () => {
    // Only silence is to end it, whenever its beginning is read.
    const waits = 'failover: { headers_timeout: 120s, first_content_timeout: 120s }'
    await start({ core: 'commit: complete' }, waits)
    site.firstOnprem(streamThenHang(partial))
    const asked = site.chat(true)
    // A sent request may stay silent this long: the first of its deadlines.
    await site.test.clock.waits(60_000)
    // Headers are overdue after 25 s, and no pool has answered.
    site.test.clock.advance(25_000)
    const response = await asked
    expect(response.headers.get('x-svc-upstream')).toBeNull()

    const text = await site.test.clock.during(response.text(), 500)

    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(text.match(/^: x-svc-.*/gm)).toEqual([': x-svc-upstream: onprem'])
    expect(text.match(/"content":"[^"]+"/g)).toEqual(['"content":"Fi"', '"content":"ne."'])
    expect(text).toContain(': keep-alive')
    expect(site.calls).toEqual([2, 0])
  })

  it('the tokens that a failed attempt said are waste, and the client pays for one answer', async () => {
    await start()
    site.firstOnprem(streamThenReset(partial))

    await (await site.chat(true)).text()
    await site.test.logged(1)

    const rows = await site.test.ledger()
    const wasted = rows.find(({ kind }) => kind === 'waste')
    expect(wasted).toMatchObject({ pool: 'onprem', outputTokens: 3 })
    expect(wasted).not.toHaveProperty('charges')
    expect(rows.filter(({ kind }) => kind === 'settle')).toHaveLength(1)
  })

  it('a stream that fails everywhere is a 503 and not a word of it', async () => {
    await start()
    site.everyOnprem(streamThenReset(partial))
    site.cloud.always(streamThenEnd(partial))

    const response = await site.test.clock.during(site.chat(true))

    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('par')
  })

  it('a plan may ask for it, and overrides what the model says', async () => {
    await start({ core: 'commit: first_content', pro: 'commit: complete' })
    site.firstOnprem(streamThenReset(partial))

    expect((await eventsOf(await site.chat(true))).at(-1)).toBe('[DONE]')
  })

  it('a plan may ask for less than the model says', async () => {
    await start({ core: 'commit: complete', pro: 'commit: first_content' })
    site.firstOnprem(streamThenReset(partial))

    expect((await eventsOf(await site.chat(true))).at(-1)).toContain('UPSTREAM_INTERRUPTED')
  })

  it('a client that leaves pays what had been said to us', async () => {
    await start()
    site.everyOnprem(streamThenHang(partial))
    const leave = new AbortController()
    const asked = site.test.chat(site.key, { stream: true }, { signal: leave.signal })
    await Promise.race(site.onprem.map(backend => backend.received(1)))

    leave.abort()
    await expect(asked).rejects.toThrow()

    await site.test.clock.during(Promise.race(site.onprem.map(backend => backend.clientGone(1))), 100)
    await site.test.logged(1)
    // Seven bytes are three tokens, where all of them had come.
    const [row] = await site.test.ledger()
    expect(row).toMatchObject({ kind: 'settle', estimated: true })
    expect(row?.outputTokens).toBeLessThanOrEqual(3)
    expect(site.failures).toEqual([0, 0])
  })
})
