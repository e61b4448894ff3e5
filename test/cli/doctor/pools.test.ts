import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  answer,
  errorFrame,
  halfThenHang,
  hang,
  headersThenHang,
  json,
  quotaSpent,
  refusal,
  reset,
  status,
  stream,
  streamThenReset,
} from '../../support/backend.ts'
import { startDeaf, UNKNOWN_HOST } from '../../support/faults/deaf.ts'
import { type Answers, doctor, filesOf, foundOfPools, KEY, listOf, script, startReplica, vectorOf } from './site.ts'

const IMAGE = '  svc-image: { kind: image, tier: standard, serve: [onprem], usd_per_image: { 512x512: 0.01 } }'
const EMBED =
  '  svc-embed: { kind: embedding, tier: standard, serve: [onprem], context: 512, usd_per_1m: { input: 0.02 } }'
const VOICE = '  svc-voice: { kind: passthrough, tier: standard, serve: [onprem] }'
const SPEECH = `passthrough:
  - { path: /v1/audio/speech, methods: [POST], model: svc-voice, meter: { usd_per_call: 0.01 } }
`
const THINKING =
  '  svc-deep: { kind: chat, tier: premium, serve: [deep], context: 128k, max_output: 16k, thinking: { default: true, min_max_tokens: 2000 }, usd_per_1m: { input: 2, output: 8 } }'

/** Findings on a replica with these answers. */
async function foundOf(answers: Answers, more: Parameters<typeof filesOf>[1] = {}, args: readonly string[] = []) {
  const backend = script(await startReplica(), answers)
  const [first, ...others] = await foundOfPools(filesOf([backend.url], more), args)
  expect(others).toEqual([])
  const host = new URL(backend.url).host
  const text = first?.text.replaceAll(host, 'HOST').replace(/\d+ ms/, 'N ms')
  return { backend, state: first?.state, text, hint: first?.hint, fit: first?.replicas?.fit }
}

const hello = answer({ content: 'ok' })

describe('a replica that keeps what the policy promises', () => {
  it('is praised for each promise, with the time to its first byte', async () => {
    const { state, text, fit } = await foundOf({})

    expect({ state, fit }).toEqual({ state: 'ok', fit: 1 })
    expect(text).toBe('test-model, streams, reports usage, calls tools, N ms')
  })

  it('is asked what the gateway would ask it, with as few tokens as a client may have', async () => {
    const { backend } = await foundOf({})

    expect(backend.probes.map(({ path }) => path)).toEqual(['/v1/models'])
    expect(backend.requests.map(({ path }) => path)).toEqual(Array(9).fill('/v1/chat/completions'))
    expect(backend.requests.map(({ body }) => body)).toMatchObject([
      { model: 'test-model', max_tokens: 16 },
      { model: 'test-model', max_tokens: 16, stream: true, stream_options: { include_usage: true } },
      { model: 'test-model', max_tokens: 1 },
      { model: 'test-model', max_completion_tokens: 1 },
      { model: 'test-model', max_tokens: 16, seed: 7, prompt_cache_key: 'doctor' },
      { model: 'test-model', max_tokens: 16, messages: [{ role: 'developer' }, { role: 'user' }] },
      { model: 'test-model', max_tokens: 16, n: 2 },
      { model: 'test-model', max_tokens: 16, n: 2, stream: true },
      { model: 'test-model', max_tokens: 128, tool_choice: { type: 'function' } },
    ])
  })

  it('is not asked for a call where no plan has tools with its model', async () => {
    const backend = script(await startReplica())
    const files = { 'config.yaml': filesOf([backend.url])['config.yaml'].replace(' tools: all,', '') }
    await foundOfPools(files)

    expect(backend.requests.some(({ body }) => body.tools !== undefined)).toBe(false)
  })

  it('is asked for as much as min_max_tokens where all its models think', async () => {
    const backend = script(await startReplica(), { models: listOf({ id: 'deep-model' }) })
    const pools = `  deep: { site: on-premises, model: deep-model, replicas: ["${backend.url}"] }`
    const [found] = await foundOfPools(filesOf(['http://127.0.0.1:1/v1'], { main: THINKING, pools }), [
      '--pool',
      'deep',
    ])

    expect(found).toMatchObject({ subject: 'deep', state: 'ok' })
    expect(backend.requests.map(({ body }) => body.max_tokens)).toEqual([
      ...[2000, 2000, 1, undefined],
      ...Array(5).fill(2000),
    ])
  })

  it('may have no list of models, or show it to nobody', async () => {
    for (const models of [status(404), status(403), status(500), json({})])
      expect(await foundOf({ models })).toMatchObject({ state: 'ok' })
  })

  it('is asked for a vector where it embeds, and for no image unless that is asked for', async () => {
    const more = { main: `${EMBED}\n${IMAGE}` }
    const { backend, text } = await foundOf({}, more)
    expect(text).toBe('test-model, streams, reports usage, calls tools, 768 dimensions, not asked for an image, N ms')
    expect(backend.requests.map(({ path }) => path)).not.toContain('/v1/images/generations')

    const drawn = await foundOf({}, more, ['--images'])
    expect(drawn.text).toBe(
      'test-model, streams, reports usage, calls tools, 768 dimensions, made an image of 512x512, N ms',
    )
    expect(drawn.backend.requests.at(-1)?.body).toMatchObject({ model: 'test-model', n: 1, size: '512x512' })
  })

  it('lists its model with the tag that Ollama adds to every name', async () => {
    const { state } = await foundOf({ models: listOf({ id: 'other:latest' }, { id: 'test-model:latest' }) })

    expect(state).toBe('ok')
  })

  it('gets nothing that costs money with --no-generate', async () => {
    const { backend, state, text } = await foundOf({}, { main: `${EMBED}\n${IMAGE}` }, ['--no-generate', '--images'])

    expect({ state, text }).toEqual({ state: 'ok', text: 'test-model, not asked for an image, N ms' })
    expect(backend.requests).toEqual([])
  })

  it('is not asked for what passes through it', async () => {
    const { backend, state, text } = await foundOf({}, { main: VOICE, pools: SPEECH })

    expect({ state, text }).toEqual({
      state: 'ok',
      text: 'test-model, streams, reports usage, calls tools, not asked for what passes through, N ms',
    })
    expect(backend.requests.map(({ path }) => path)).not.toContain('/v1/audio/speech')
  })
})

describe('a replica that breaks a promise', () => {
  it.each<[string, Answers, string, string, RegExp]>([
    [
      'knows no such model',
      { models: listOf({ id: 'a' }, { id: 'b' }), whole: refusal(404, { code: 'model_not_found' }) },
      'problem',
      'HOST does not know the model test-model',
      /^It lists a, b\. The name is in config\.yaml:\d+$/,
    ],
    [
      'knows no such model, and has no list',
      { models: status(404), whole: refusal(400, { message: 'The model `test-model` does not exist.' }) },
      'problem',
      'HOST does not know the model test-model: 400',
      /^The name is in config\.yaml:\d+$/,
    ],
    [
      'answers to a name that it does not list',
      { models: listOf({ id: 'other' }) },
      'warning',
      'accepts the model test-model, but does not list it',
      /^It lists other\. Some backends accept any name\. Check the name in config\.yaml:\d+$/,
    ],
    [
      'has another API',
      { models: status(404), whole: status(404) },
      'problem',
      'HOST has no endpoint for a chat: 404',
      /lack the \/v1/,
    ],
    [
      'refuses the key',
      { models: status(401), whole: status(401) },
      'problem',
      '401 from HOST: it requires a key',
      /^Give pool onprem one: key: \$\{VARIABLE\}$/,
    ],
    [
      'fails',
      { whole: refusal(500, { message: 'CUDA out of memory' }) },
      'problem',
      'answers a chat with 500: CUDA out of memory',
      /log/,
    ],
    [
      'takes no more for now',
      { whole: status(429), stream: status(429), call: status(429) },
      'warning',
      'HOST accepts no more requests at the moment: 429',
      /later/,
    ],
    ['has no money left', { whole: quotaSpent }, 'problem', 'HOST refuses this key: 429 insufficient_quota', /bill/],
    [
      'answers with no completion',
      { whole: json({ hello: 'there' }) },
      'problem',
      'HOST answers a chat with something other than a completion',
      /OpenAI/,
    ],
    [
      'does not stream',
      { stream: hello },
      'problem',
      'does not stream: it answers with application/json instead of text/event-stream',
      /Enable streaming/,
    ],
    [
      'streams without usage',
      { stream: stream({ chunks: ['ok'], usage: null }) },
      'warning',
      'reports no usage in streams',
      /estimate/,
    ],
    [
      'answers without usage',
      { whole: answer({ content: 'ok', usage: null }) },
      'warning',
      'reports no usage in whole answers',
      /estimate/,
    ],
    [
      'breaks its streams off',
      { stream: streamThenReset({ chunks: ['o'] }) },
      'problem',
      'HOST breaks off a stream: the connection was cut',
      /log/,
    ],
    [
      'ends its streams without an end',
      { stream: stream({ chunks: ['o'], finish: null }) },
      'problem',
      'breaks off a stream: it ends without a finish_reason',
      /log/,
    ],
    [
      'streams an error',
      { stream: errorFrame({ message: 'no' }) },
      'problem',
      'breaks off a stream: an event reports an error',
      /log/,
    ],
    [
      'refuses tools',
      { call: refusal(400, { message: '"auto" tool choice requires --enable-auto-tool-choice' }) },
      'warning',
      'answers a chat with a tool with 400: "auto" tool choice requires --enable-auto-tool-choice',
      /Hosted tools/,
    ],
    ['does not call functions', { call: hello }, 'warning', 'ignores a function in `tool_choice`', /Hosted tools/],
    [
      'takes less than a model promises',
      { models: listOf({ id: 'test-model', max_model_len: 8192 }) },
      'warning',
      'takes 8192 tokens, but svc-core promises 32000',
      /`context: 8192`/,
    ],
  ])('that %s', async (_, answers, state, text, hint) => {
    const found = await foundOf(answers)

    expect(found).toMatchObject({ state, text, hint: expect.stringMatching(hint), fit: state === 'problem' ? 0 : 1 })
  })

  it.each([
    [
      'another number of dimensions',
      vectorOf(384),
      'answers 384 dimensions, but svc-embed promises 768',
      /Serve a model with 768 on it: config\.yaml:\d+$/,
    ],
    ['no vectors', json({ data: [] }), 'HOST answers an embedding with something other than vectors', /OpenAI/],
  ])('with %s', async (_, vector, text, hint) => {
    expect(await foundOf({ vector }, { main: EMBED })).toMatchObject({
      state: 'problem',
      text,
      hint: expect.stringMatching(hint),
    })
  })

  it('with an image that is no PNG, where one is asked for', async () => {
    const picture = json({ data: [{ url: 'http://elsewhere/a.png' }] })

    expect(await foundOf({ picture }, { main: IMAGE }, ['--images'])).toMatchObject({
      state: 'problem',
      text: 'HOST answers with something other than a PNG in b64_json',
    })
  })

  it('by what it lists, where nothing may cost money', async () => {
    const unlisted = await foundOf({ models: listOf({ id: 'other' }) }, {}, ['--no-generate'])
    expect(unlisted).toMatchObject({ state: 'problem', text: 'HOST does not know the model test-model' })
    const unknown = await foundOf({ models: status(404) }, {}, ['--no-generate'])
    expect(unknown).toMatchObject({
      state: 'warning',
      text: 'answers, but has no list of models that shows whether it has test-model',
      hint: 'Without --no-generate it is asked for an answer, which costs money.',
    })
  })
})

describe('a replica that cannot be asked', () => {
  it('is a problem where nothing listens', async () => {
    const [found] = await foundOfPools(filesOf(['http://127.0.0.1:1/v1']))

    expect(found).toMatchObject({
      state: 'problem',
      text: '127.0.0.1:1 does not answer: ECONNREFUSED',
      hint: expect.stringMatching(
        /^Nothing listens there\. Start the backend, or correct its address: config\.yaml:\d+$/,
      ),
      replicas: { fit: 0, of: 1 },
    })
  })

  it('is a problem where its name is unknown', async () => {
    const [found] = await foundOfPools(filesOf([UNKNOWN_HOST]))

    expect(found?.text).toMatch(/^nonexistent\.invalid does not answer: (ENOTFOUND|EAI_AGAIN)$/)
    expect(found?.hint).toMatch(/^The host name is unknown/)
  })

  it('is a problem where no connection is taken', async () => {
    const deaf = await startDeaf()
    const [found] = await foundOfPools(filesOf([deaf.url], { pool: ', connect_timeout: 200ms' }))
    await deaf.close()

    expect(found?.text).toBe(`${new URL(deaf.url).host} does not accept a connection within connect_timeout`)
  })

  it.each<[string, Answers, RegExp]>([
    [
      'before it lists its models',
      { models: hang },
      /^HOST accepts the request for its list of models, but does not answer within 1 s$/,
    ],
    ['in a chat', { whole: hang }, /^HOST accepts the request for a chat, but does not answer within 1 s$/],
    [
      'in a whole answer',
      { whole: halfThenHang({ choices: [] }) },
      /^HOST breaks off a chat: the answer was not complete within 1 s$/,
    ],
    ['in a stream', { stream: headersThenHang }, /^HOST breaks off a stream: the answer was not complete within 1 s$/],
    ['by a reset', { whole: reset }, /^HOST does not answer: the connection was cut$/],
  ])('and hangs %s is a problem, and nobody waits for it', async (_, answers, text) => {
    const found = await foundOf(answers, {}, ['--timeout', '1'])

    expect(found).toMatchObject({ state: 'problem', text: expect.stringMatching(text), fit: 0 })
  })

  it('with a key that is refused names where the key comes from, and never the key', async () => {
    const backend = script(await startReplica(), {
      models: refusal(401, { message: `Incorrect API key provided: ${KEY}` }),
      whole: refusal(401, { message: `Incorrect API key provided: ${KEY}` }),
    })
    const [found] = await foundOfPools(filesOf([backend.url], { pool: `, key: "\${CLOUD_KEY}"` }))

    const host = new URL(backend.url).host
    expect(found).toMatchObject({
      state: 'problem',
      text: `401 from ${host}: is CLOUD_KEY right?`,
      hint: expect.stringMatching(/^It is used in config\.yaml:\d+$/),
    })
    expect(backend.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
  })

  it('for want of a variable is told so, and what does not need it is asked', async () => {
    const backend = script(await startReplica())
    const pools = `  cloud: { site: cloud, model: big, key: "\${UNSET_KEY}", replicas: ["http://127.0.0.1:1/v1"] }`
    const files = filesOf([backend.url], { pools })
    const { stdout, code } = await doctor({
      'config.yaml': files['config.yaml'].replace('[onprem]', '[onprem, cloud]'),
    })

    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ config {5}1 error: config\.yaml:\d+:\d+ {2}UNSET_KEY is not set\n/)
    expect(stdout).toMatch(/✓ pools {6}onprem 1\/1 {2}test-model, streams/)
    expect(stdout).toMatch(/▲ pools {6}cloud {7}not asked: a variable that it needs is not set\n/)
  })
})

describe('several replicas', () => {
  it('share a line where they are alike, and have one for each thing that differs', async () => {
    const [one, two, three] = [script(await startReplica()), script(await startReplica()), script(await startReplica())]
    const urls = [one.url, two.url, three.url]
    expect(await foundOfPools(filesOf(urls))).toMatchObject([{ state: 'ok', replicas: { fit: 3, of: 3 } }])

    script(two, { whole: answer({ content: 'ok', usage: null }) })
    script(three, { whole: answer({ content: 'ok', usage: null }), call: answer({ content: 'no' }), stream: hello })
    expect(await foundOfPools(filesOf(urls))).toMatchObject([
      { state: 'warning', text: 'reports no usage in whole answers (replica 2, 3)', replicas: { fit: 2, of: 3 } },
      {
        state: 'problem',
        text: expect.stringMatching(/^does not stream: .* \(replica 3\)$/),
        replicas: { fit: 2, of: 3 },
      },
    ])
  })

  it('stand in the order of the files, however long each takes', async () => {
    const slow = script(await startReplica(), {
      models: async exchange => {
        await new Promise(resolve => setTimeout(resolve, 150))
        await listOf({ id: 'test-model' })(exchange)
      },
    })
    const fast = script(await startReplica())
    const pools = `  second: { site: cloud, model: test-model, replicas: ["${fast.url}"] }`
    const found = await foundOfPools(filesOf([slow.url], { pools }))

    expect(found.map(({ subject }) => subject)).toEqual(['onprem', 'second'])
    expect(found[1]?.text).toMatch(/no model is served by it/)
  })
})

it('--pool asks that pool alone; one that is not there is wrong usage', async () => {
  const one = script(await startReplica())
  const two = script(await startReplica())
  const files = filesOf([one.url], { pools: `  second: { site: cloud, model: test-model, replicas: ["${two.url}"] }` })

  expect((await foundOfPools(files, ['--pool', 'onprem'])).map(({ subject }) => subject)).toEqual(['onprem'])
  expect([one.probes.length, two.probes.length]).toEqual([1, 0])
  expect(await doctor(files, ['--pool', 'nowhere'])).toMatchObject({
    code: 2,
    stdout: '',
    stderr: '✗ there is no pool nowhere; known pools: onprem, second\n',
  })
})

it('no output holds a secret, nor a control character, whatever backends say', async () => {
  const backend = await startReplica()
  const files = filesOf([backend.url], { pool: `, key: "\${CLOUD_KEY}"` })
  const said = fc.array(
    fc.constantFrom(KEY, `Bearer ${KEY}`, ' ', '\n', '\u001b[2J', 'model', 'not found', 'x', '…', KEY.repeat(9)),
  )
  await fc.assert(
    fc.asyncProperty(
      said,
      fc.constantFrom(400, 401, 404, 422, 429, 500, 503),
      fc.boolean(),
      async (words, code, isList) => {
        const message = words.join('')
        const refuse = refusal(code, { message, code: message, type: message })
        script(backend, { models: isList ? listOf({ id: message }) : refuse, whole: refuse, call: refuse })
        const { stdout } = await doctor(files, ['--json'])
        expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
        const texts: readonly { text: string; hint: string | null }[] = JSON.parse(stdout)
        for (const { text, hint } of texts) expect(text + hint).not.toMatch(/\p{Cc}|0123456789abcdef/u)
      },
    ),
    { numRuns: 60 },
  )
})
