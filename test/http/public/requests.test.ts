import { expect } from 'vitest'
import { inNpmTest } from '../../lanes/lane.ts'
import { status } from '../../support/backend.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { gatewayTestOn } from '../../support/gateway-test.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { outcomeOf, send } from '../calls.ts'

inNpmTest.describe('with the embedded store', () => requestsWith(async () => undefined))
describeRedis('with Redis', () => requestsWith(startRedis))

const KEY_ID = expect.stringMatching(/^key_\w{16}$/)

interface Listed {
  readonly data: readonly { readonly id: string; readonly from: string; readonly status: number | null }[]
  readonly next: string | null
  readonly complete: boolean
  readonly refusals_since: string
}

/** In a millisecond of its own: ids of one are in no order. */
const chat = async ({ clock, chat }: TestGateway, key: string, body: object) => {
  clock.advance(1)
  return clock.during(chat(key, body))
}
const requests = async (gateway: TestGateway, token: string, query = '') =>
  (await send(gateway, `GET /v1/requests${query}`, { token })).body as Listed

function requestsWith(startStore: () => Promise<RedisServer | undefined>): void {
  const it = gatewayTestOn(startStore)

  it('served and refused requests are listed, newest first, with what the client got', async ({ gateway }) => {
    const key = await gateway.key('free')
    const other = await gateway.key('free', 'bob')
    await chat(gateway, key, { model: 'svc-auto', max_tokens: 10 })
    await chat(gateway, other, { max_tokens: 10 })
    const refused = await chat(gateway, key, { model: 'svc-ultra-pro', max_tokens: 10 })
    const { error } = (await refused.json()) as { error: { message: string } }
    const [served, , denied] = await gateway.logged(3)

    const found = await requests(gateway, key)

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
    expect((await requests(gateway, other)).data).toHaveLength(1)
  })

  it('what another process served is known from the ledger, and what it refused is not', async ({
    gateway,
    restart,
  }) => {
    const key = await gateway.key('free')
    await chat(gateway, key, { max_tokens: 10, prompt_cache_key: 'conversation-7' })
    await chat(gateway, key, { model: 'svc-ultra-pro', max_tokens: 10 })
    const [served] = await gateway.logged(2)
    const restarted = await restart()

    expect((await requests(restarted, key)).data).toEqual([
      expect.objectContaining({
        id: served?.requestId,
        key: KEY_ID,
        session: 'conversation-7',
        from: 'ledger',
        status: null,
        path: null,
        usd: '0.000039',
      }),
    ])
    expect((await requests(restarted, key, '?status=refused')).data).toEqual([])
  })

  it('pages follow one another, and leave none out', async ({ gateway }) => {
    const key = await gateway.key('pro')
    for (let index = 0; index < 7; index++) {
      await chat(gateway, key, { model: index % 3 === 0 ? 'none' : 'svc-core', max_tokens: 10 })
    }
    const logged = await gateway.logged(7)
    const [first] = [await requests(gateway, key, '?limit=3')]
    const second = await requests(gateway, key, `?limit=3&before=${first.next}`)
    const third = await requests(gateway, key, `?limit=3&before=${second.next}`)

    expect([first, second, third].map(({ data }) => data.length)).toEqual([3, 3, 1])
    expect([first, second, third].flatMap(({ data }) => data.map(({ id }) => id))).toEqual(
      logged.map(({ requestId }) => requestId).toReversed(),
    )
    expect(third.next).toBeNull()
  })

  it('are told apart by what became of them', async ({ backend, gateway }) => {
    const key = await gateway.key('free')
    await chat(gateway, key, { max_tokens: 10 })
    await chat(gateway, key, { model: 'none' })
    backend.always(status(500))
    await chat(gateway, key, { max_tokens: 10 })
    const codes = async (query: string) => (await requests(gateway, key, query)).data.map(each => each.status)

    expect(await codes('')).toEqual([503, 400, 200])
    expect(await codes('?status=ok')).toEqual([200])
    expect(await codes('?status=refused')).toEqual([400])
    expect(await codes('?status=failed')).toEqual([503])
  })

  it.for(['?limit=0', '?limit=101', '?status=429', '?before=x', '?before=req_/..', '?account=bob'])(
    '%s is refused',
    async (query, { gateway }) => {
      const told = await send(gateway, `GET /v1/requests${query}`, { token: await gateway.key() })

      expect(outcomeOf(told)).toBe('400 VALIDATION_ERROR')
    },
  )
}
