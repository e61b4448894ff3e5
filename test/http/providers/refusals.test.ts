import { expect } from 'vitest'
import { poolsText } from '../../../src/cli/pools/pools.ts'
import { POOLS } from '../../../src/wire/admin/fleet-pools.ts'
import { readAs } from '../../../src/wire/schema/read.ts'
import { type Seen, status } from '../../support/backend.ts'
import { answer, type Behaviour, stream, type WireUsage } from '../../support/behaviours.ts'
import { ADMIN_TOKEN, type TestGateway } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'

/** A backend that does not take these fields, and says so as OpenAI does, one at a time. */
const without =
  (...fields: readonly string[]): Behaviour =>
  exchange => {
    const { body } = exchange.seen
    const field = fields.find(each => Object.hasOwn(body, each))
    if (field === undefined)
      return body.stream === true ? stream({ chunks: ['Hello.'] })(exchange) : answer({ content: 'Hello.' })(exchange)
    const message = `Unsupported parameter: '${field}' is not supported with this model.`
    return status(400, {
      error: { message, type: 'invalid_request_error', param: field, code: 'unsupported_parameter' },
    })(exchange)
  }

/** The output of `svcctl pools`. */
async function poolsShown({ admin, clock }: TestGateway): Promise<string> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
  const pools = await (await fetch(`${admin}/admin/pools`, { headers })).json()
  return poolsText(readAs(POOLS, pools).data, clock.now())
}

const DAY = 86_400_000

gatewayTest('a field that a backend does not take is left out, and named', async ({ backend, gateway, key }) => {
  backend.always(without('seed'))

  const response = await gateway.chat(key, { seed: 7, temperature: 0.5 })

  expect(response.status).toBe(200)
  expect(response.headers.get('x-svc-ignored-fields')).toBe('seed')
  expect(backend.requests.map(({ body }) => [body.seed, body.temperature])).toEqual([
    [7, 0.5],
    [undefined, 0.5],
  ])
})

gatewayTest('a stream is asked for again as well', async ({ backend, gateway, key }) => {
  backend.always(without('seed'))

  const response = await gateway.chat(key, { seed: 7, stream: true })

  expect(await response.text()).toContain('data: [DONE]')
})

gatewayTest('what was learned holds for the account for a day', async ({ backend, gateway, key }) => {
  backend.always(without('seed'))
  const asks = async () => {
    const before = backend.requests.length
    await (await gateway.chat(key, { seed: 7 })).text()
    return backend.requests.length - before
  }

  expect([await asks(), await asks()]).toEqual([2, 1])
  await gateway.clock.advance(DAY)
  expect(await asks()).toBe(2)
})

gatewayTest('what one account taught changes no request of another', async ({ backend, gateway, key }) => {
  backend.always(without('seed'))
  await (await gateway.chat(key, { seed: 7 })).text()
  backend.always(without())
  const other = await gateway.key('pro', 'bob')

  const response = await gateway.chat(other, { seed: 7 })

  expect(response.headers.get('x-svc-ignored-fields')).toBeNull()
  expect(backend.requests.at(-1)?.body.seed).toBe(7)
})

gatewayTest('a reload forgets what was learned', async ({ backend, gateway, key }) => {
  backend.always(without('seed'))
  await (await gateway.chat(key, { seed: 7 })).text()
  await gateway.reload({}, yaml => `${yaml}\n# changed\n`)
  expect(await poolsShown(gateway)).not.toContain('learned')
  backend.always(without())

  await (await gateway.chat(key, { seed: 7 })).text()

  expect(backend.requests.at(-1)?.body.seed).toBe(7)
})

gatewayTest('a cap is renamed, and goes with every request', async ({ backend, gateway, key }) => {
  backend.always(without('max_tokens'))

  const response = await gateway.chat(key, { max_tokens: 9 })

  expect(response.status).toBe(200)
  expect(backend.requests.at(-1)?.body).toMatchObject({ max_completion_tokens: 9 })
  expect(response.headers.get('x-svc-ignored-fields')).toBeNull()
})

gatewayTest('a backend that takes no cap is asked for nothing without one', async ({ backend, gateway, key }) => {
  backend.always(without('max_tokens', 'max_completion_tokens'))

  const response = await gateway.chat(key, {})

  expect(response.status).toBe(400)
  for (const { body } of backend.requests) expect(Object.keys(body).some(field => field.startsWith('max_'))).toBe(true)
})

gatewayTest('a request is asked again without three fields at most', async ({ backend, gateway, key }) => {
  backend.always(without('seed', 'top_k', 'min_p', 'user'))

  const response = await gateway.chat(key, { seed: 7, top_k: 5, min_p: 0.1, user: 'ada' })

  expect(response.status).toBe(400)
  expect(backend.requests).toHaveLength(4)
})

/** A backend that refuses `stream_options`, and tells the usage of streams unasked, or never. */
const optionless =
  (usage?: WireUsage): Behaviour =>
  exchange => {
    const { body } = exchange.seen
    const refused = without('stream_options')
    return Object.hasOwn(body, 'stream_options')
      ? refused(exchange)
      : stream({ chunks: ['Hello.'], ...(usage && { usage }) })(exchange)
  }

const asked = (requests: readonly Seen[]) => requests.map(({ body }) => Object.hasOwn(body, 'stream_options'))

gatewayTest(
  '`stream_options` is left out for good once a stream told its usage unasked',
  async ({ backend, gateway, key }) => {
    backend.always(optionless({ prompt_tokens: 9, completion_tokens: 30, total_tokens: 39 }))

    for (let i = 0; i < 2; i++) {
      const response = await gateway.chat(key, { stream: true, stream_options: { include_usage: true } })
      expect(await response.text()).toContain('"completion_tokens":30')
      expect(response.headers.get('x-svc-ignored-fields')).toBeNull()
    }

    expect(asked(backend.requests)).toEqual([true, false, false])
    expect(await poolsShown(gateway)).toContain(
      'to make it permanent, add to the pool: provider: { stream_options: false }',
    )
  },
)

gatewayTest(
  'a stream whose usage nobody tells is asked for without `stream_options` once',
  async ({ backend, gateway, key }) => {
    backend.always(optionless())
    const ask = async () => {
      const response = await gateway.chat(key, { stream: true })
      await response.text()
      return response.status
    }

    expect([await ask(), await ask(), await ask()]).toEqual([200, 400, 400])
    expect(asked(backend.requests)).toEqual([true, false, true, true])
    await gateway.clock.advance(DAY)
    expect(await ask()).toBe(200)
  },
)

gatewayTest('a repetition that is refused too teaches nothing', async ({ backend, gateway, key }) => {
  backend.next(without('seed'), status(400, { error: { message: 'No.' } }))
  expect((await gateway.chat(key, { seed: 7 })).status).toBe(400)

  await (await gateway.chat(key, { seed: 7 })).text()

  expect(backend.requests.at(-1)?.body.seed).toBe(7)
})

gatewayTest('a refused value is the client’s to mend', async ({ backend, gateway, key }) => {
  const message = "Unsupported value: 'temperature' does not support 0.7 with this model."
  backend.always(status(400, { error: { message, param: 'temperature', code: 'unsupported_value' } }))

  expect((await gateway.chat(key, { temperature: 0.7 })).status).toBe(400)
  expect(backend.requests).toHaveLength(1)
})

const strict = gatewayTest.extend('config', { fields: { core: 'lossy: refuse' } })

strict('a model that refuses losses loses labels alone', async ({ backend, gateway, key }) => {
  backend.always(without('seed', 'prompt_cache_key'))

  expect((await gateway.chat(key, { model: 'svc-core', seed: 7 })).status).toBe(400)
  expect((await gateway.chat(key, { model: 'svc-core', prompt_cache_key: 'k' })).status).toBe(200)
})

gatewayTest('`svcctl pools` says what was learned, and how to write it down', async ({ backend, gateway, key }) => {
  backend.always(without('seed', 'max_tokens'))
  await (await gateway.chat(key, { seed: 7 })).text()

  const text = await poolsShown(gateway)

  expect(text).toContain(
    'learned: without seed (refused for 1 account), max_tokens as max_completion_tokens (refused for 1 account)',
  )
  expect(text).toContain(
    'to make it permanent, add to the pool: provider: { cap: max_completion_tokens, drops: [seed] }',
  )
})
