import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Dialect } from '../../../src/wire/dialect.ts'
import { DIALECTS } from '../../../src/wire/dialects.ts'
import { filesOf, foundOfPools, startReplica } from '../../cli/doctor/site.ts'
import { answer, json, type Seen, status, stream } from '../../support/backend.ts'
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
const coordinatesIn = ({ path, body }: Seen) => ({
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
