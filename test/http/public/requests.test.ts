import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, type Backend, startBackend, status } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { outcomeOf, send } from '../calls.ts'

describe('with the embedded store', () => requestsWith(async () => undefined))
describeRedis('with Redis', () => requestsWith(startRedis))

const KEY_ID = expect.stringMatching(/^key_\w{16}$/)

interface Listed {
  readonly data: readonly { readonly id: string; readonly from: string; readonly status: number | null }[]
  readonly next: string | null
  readonly complete: boolean
  readonly refusals_since: string
}

function requestsWith(startStore: () => Promise<RedisServer | undefined>): void {
  let redis: RedisServer | undefined
  let backend: Backend
  let test: TestGateway

  beforeEach(async () => {
    redis = await startStore()
    backend = await startBackend()
    backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
    test = await startTestGateway({ onprem: [backend], ...(redis && { redis }) })
  })

  afterEach(async () => {
    await test.close()
    await backend.close()
    await redis?.stop()
  })

  /** In a millisecond of its own: ids of one are in no order. */
  const chat = async (key: string, body: object) => {
    test.clock.advance(1)
    return test.clock.during(test.chat(key, body))
  }
  const requests = async (token: string, query = '') =>
    (await send(test, `GET /v1/requests${query}`, { token })).body as Listed

  it('served and refused requests are listed, newest first, with what the client got', async () => {
    const key = await test.key('free')
    const other = await test.key('free', 'bob')
    await chat(key, { model: 'svc-auto', max_tokens: 10 })
    await chat(other, { max_tokens: 10 })
    const refused = await chat(key, { model: 'svc-ultra-pro', max_tokens: 10 })
    const { error } = (await refused.json()) as { error: { message: string } }
    const [served, , denied] = await test.logged(3)

    const found = await requests(key)

    expect(found).toEqual({
      object: 'list',
      data: [
        {
          ...{
            id: denied?.requestId,
            at: expect.any(String),
            path: '/v1/chat/completions',
            status: 429,
            outcome: 'refused',
          },
          ...{ ms: expect.any(Number), key: KEY_ID, asked: 'svc-ultra-pro', model: null, route: null, upstream: null },
          ...{ input_tokens: null, output_tokens: null, usd: null, estimated: null, tools: null },
          ...{
            code: 'rate_limit_exceeded',
            type: 'plan_limit',
            limit: null,
            message: error.message.slice(0, 160),
            from: 'memory',
          },
        },
        {
          ...{
            id: served?.requestId,
            at: expect.any(String),
            path: '/v1/chat/completions',
            status: 200,
            outcome: 'ok',
          },
          ...{
            ms: expect.any(Number),
            key: KEY_ID,
            asked: 'svc-auto',
            model: 'svc-core',
            route: null,
            upstream: 'onprem',
          },
          ...{ input_tokens: 9, output_tokens: 3, usd: '0.000039', estimated: false, tools: null },
          ...{ code: null, type: null, limit: null, message: null, from: 'memory' },
        },
      ],
      next: null,
      complete: true,
      refusals_since: expect.stringMatching(/Z$/),
    })
    expect((await requests(other)).data).toHaveLength(1)
  })

  it('what another process served is known from the ledger, and what it refused is not', async () => {
    const key = await test.key('free')
    await chat(key, { max_tokens: 10 })
    await chat(key, { model: 'svc-ultra-pro', max_tokens: 10 })
    const [served] = await test.logged(2)
    test = await test.restart()

    expect((await requests(key)).data).toEqual([
      expect.objectContaining({
        id: served?.requestId,
        key: KEY_ID,
        from: 'ledger',
        status: null,
        path: null,
        usd: '0.000039',
      }),
    ])
    expect((await requests(key, '?status=refused')).data).toEqual([])
  })

  it('pages follow one another, and leave none out', async () => {
    const key = await test.key('pro')
    for (let index = 0; index < 7; index++) {
      await chat(key, { model: index % 3 === 0 ? 'none' : 'svc-core', max_tokens: 10 })
    }
    const logged = await test.logged(7)
    const [first] = [await requests(key, '?limit=3')]
    const second = await requests(key, `?limit=3&before=${first.next}`)
    const third = await requests(key, `?limit=3&before=${second.next}`)

    expect([first, second, third].map(({ data }) => data.length)).toEqual([3, 3, 1])
    expect([first, second, third].flatMap(({ data }) => data.map(({ id }) => id))).toEqual(
      logged.map(({ requestId }) => requestId).toReversed(),
    )
    expect(third.next).toBeNull()
  })

  it('are told apart by what became of them', async () => {
    const key = await test.key('free')
    await chat(key, { max_tokens: 10 })
    await chat(key, { model: 'none' })
    backend.always(status(500))
    await chat(key, { max_tokens: 10 })
    const codes = async (query: string) => (await requests(key, query)).data.map(each => each.status)

    expect(await codes('')).toEqual([503, 400, 200])
    expect(await codes('?status=ok')).toEqual([200])
    expect(await codes('?status=refused')).toEqual([400])
    expect(await codes('?status=failed')).toEqual([503])
  })

  it.each(['?limit=0', '?limit=101', '?status=429', '?before=x', '?before=req_/..', '?account=bob'])(
    '%s is refused',
    async query => {
      const told = await send(test, `GET /v1/requests${query}`, { token: await test.key() })

      expect(outcomeOf(told)).toBe('400 VALIDATION_ERROR')
    },
  )
}
