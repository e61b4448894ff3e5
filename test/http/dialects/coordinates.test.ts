import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { checkReplica } from '../../../src/gateway/health/check.ts'
import { emptyRequests } from '../../../src/gateway/health/empty-requests.ts'
import type { BackendListener, BackendRequest } from '../../../src/gateway/ports.ts'
import { DIALECT_NAMES, type DialectName } from '../../../src/policy/backend-dialects.ts'
import type { Model, Pool } from '../../../src/policy/config.ts'
import type { Dialect } from '../../../src/wire/dialect.ts'
import { DIALECTS } from '../../../src/wire/dialects.ts'
import { filesOf, foundOfPools, startReplica } from '../../cli/doctor/site.ts'
import { answer, json, type Seen, status, stream } from '../../support/backend.ts'
import { VirtualClock } from '../../support/clock.ts'
import { Dialects } from './fixture.ts'

/** Has the path of each dialect end in its coordinates, as Gemini's path names the model and whether it streams. */
beforeEach(() => {
  for (const dialect of Object.values<Dialect>(DIALECTS)) {
    const path = dialect.path.bind(dialect)
    vi.spyOn(dialect, 'path').mockImplementation(coordinates => {
      const [base] = path(coordinates).split('?')
      const { model, stream: streams } = coordinates
      return `${base}?${new URLSearchParams({ model, stream: String(streams) })}`
    })
  }
})

afterEach(() => vi.restoreAllMocks())

/** The coordinates in the path of a request, and the same as its body has them. */
const coordinatesIn = ({ path, body }: Pick<Seen, 'path' | 'body'>) => ({
  path: path.slice(path.indexOf('?') + 1),
  body: String(new URLSearchParams({ model: String(body.model), stream: String(body.stream === true) })),
})

const HI = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100 }
const HOSTED = { tools: [{ type: 'function', function: { name: 'calculator', hosted: true } }] }

it.each([
  ['a chat at a pool that speaks chat', 'chat/completions', { ...HI, model: 'svc-core' }],
  ['a chat that is translated into Messages', 'chat/completions', { ...HI, model: 'svc-native' }],
  ['a message at a pool that speaks Messages', 'messages', { ...HI, model: 'svc-native' }],
  ['a message that is translated into a chat', 'messages', { ...HI, model: 'svc-core' }],
  ['a response at a pool that speaks Responses', 'responses', { input: 'Hi', model: 'svc-native' }],
  ['a round of hosted tools', 'chat/completions', { ...HI, ...HOSTED, model: 'svc-core' }],
  ['an answer that is fetched as a stream', 'chat/completions', { ...HI, max_tokens: 3000, model: 'svc-core' }],
  ['one that is fetched so in its own dialect', 'messages', { ...HI, max_tokens: 3000, model: 'svc-native' }],
  ['vectors', 'embeddings', { input: 'Hi', model: 'svc-embed' }],
  ['an image', 'images/generations', { prompt: 'A cat', size: '512x512', model: 'svc-image' }],
] as const)('%s goes to the path of the model and the stream that its body names', async (_name, path, body) => {
  const yaml = 'hosted_tools: { calculator: { builtin: calculator } }'
  const site = await Dialects.start(yaml, { fields: { pro: 'tools: all' } })
  try {
    for (const backend of [site.chats, site.native]) backend.always(status(400, { error: { message: 'no' } }))
    const streams = 'input' in body || 'prompt' in body ? [{}] : [{}, { stream: true }]
    for (const more of streams) {
      const response = await fetch(`${site.test.url}/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${site.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, ...more }),
      })
      await response.text()
    }

    const seen = [...site.chats.requests, ...site.native.requests]
    expect(seen).toHaveLength(streams.length)
    for (const each of seen.map(coordinatesIn)) expect(each.path).toBe(each.body)
  } finally {
    await site.close()
  }
})

it('the doctor asks at the path of the model and the stream that its question names', async () => {
  const backend = await startReplica()
  backend.probed(json({ object: 'list', data: [{ id: 'test-model' }] }))
  backend.always(exchange =>
    exchange.seen.body.stream ? stream({ chunks: ['ok'] })(exchange) : answer({ content: 'ok' })(exchange),
  )
  await foundOfPools(filesOf([backend.url]))

  const seen = backend.requests.map(coordinatesIn)
  expect(new Set(seen.map(({ path }) => path))).toEqual(
    new Set(['model=test-model&stream=false', 'model=test-model&stream=true']),
  )
  for (const each of seen) expect(each.path).toBe(each.body)
})

const KINDS = ['chat', 'embedding'] as const

it.each(DIALECT_NAMES.flatMap(dialect => KINDS.map(kind => ({ dialect, kind }))))(
  'a health check by $kind in $dialect goes to the path of the model and the stream that its body names',
  async ({ dialect, kind }) => {
    const seen: Pick<Seen, 'path' | 'body'>[] = []
    const unanswered = { pause() {}, resume() {}, abort() {} }
    const send = ({ path, body }: BackendRequest, { failed }: BackendListener) => {
      seen.push({ path, body: JSON.parse(body.toString()) })
      queueMicrotask(() => failed(new Error('refused'), false))
      return unanswered
    }
    const probe = () => {
      throw new Error('asked for the list of models')
    }
    const check = { replica: 'http://127.0.0.1:1/v1', settings: { connectTimeout: 1000 }, id: 'req_1' }
    await checkReplica({ clock: new VirtualClock(0), probe, send }, { ...check, pool: poolOf(dialect), kind })

    expect(seen.map(coordinatesIn)).toEqual([
      { path: 'model=backend-model&stream=false', body: 'model=backend-model&stream=false' },
    ])
  },
)

it.each(DIALECT_NAMES)('empty requests in %s go to the paths of the model that their bodies name', dialect => {
  const pool = poolOf(dialect)
  const models = new Map(
    (['chat', 'embedding', 'image'] as const).map(kind => [kind, { kind, serve: [pool] } as unknown as Model]),
  )
  const requests = emptyRequests({ models, passthrough: new Map() }, pool) ?? []

  expect(requests).toHaveLength(models.size)
  for (const { path } of requests) expect(path.slice(path.indexOf('?') + 1)).toBe('model=backend-model&stream=false')
})

const poolOf = (dialect: DialectName) =>
  ({ name: 'onprem', model: 'backend-model', speaks: [dialect], caps: ['max_tokens'] }) as unknown as Pool
