import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FieldKind, KNOWN_FIELDS } from '../../../src/policy/fields.ts'
import { chatSchema } from '../../../src/wire/openai/chat.schema.ts'
import { readChat } from '../../../src/wire/openai/chat.ts'
import { readEmbeddings } from '../../../src/wire/openai/embeddings.ts'
import { readImages } from '../../../src/wire/openai/images.ts'
import { type Backend, json, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { times } from '../../support/times.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const ACCEPTS =
  'accepts: { steps: { min: 1, max: 50 }, tone: { one_of: [warm, cold] }, hint: { max_length: 20 }, deep: { boolean: true }, extra: { max_size: 64 } }'
const COMMON = ['steps', 'tone', 'hint', 'deep', 'extra']
const DECLARED = { chat: COMMON, embedding: COMMON, image: [...COMMON, 'quality'] }
const MORE = `models:
  m-chat: { kind: chat, tier: guest, serve: [onprem], context: 32k, usd_per_1m: { input: 1, output: 10 }, ${ACCEPTS} }
  m-embed: { kind: embedding, tier: guest, serve: [onprem], context: 512, usd_per_1m: { input: 0.02 }, ${ACCEPTS} }
  m-image: { kind: image, tier: guest, serve: [onprem], usd_per_image: { 512x512: 0.01, 1024x1024: 0.02 }, ${ACCEPTS.replace('deep:', 'quality: { one_of: [standard, hd] }, deep:')} }
plans: { all: { models: all, rpm: 1M, tpm: 900M, monthly_usd: 100000 } }
`

let backend: Backend
let test: TestGateway
let key: string

beforeAll(async () => {
  backend = await startBackend()
  backend.always(async exchange => {
    const { path } = exchange.seen
    if (path.endsWith('/embeddings')) return json({ data: [{ index: 0, embedding: Array(768).fill(0) }] })(exchange)
    if (path.endsWith('/generations')) return json({ data: [{ b64_json: PNG }] })(exchange)
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]
    return json({ choices, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } })(exchange)
  })
  const yaml = 'include: [more.yaml]'
  test = await startTestGateway({ onprem: [backend], yaml, files: { 'more.yaml': MORE } })
  key = await test.key('all')
})

afterAll(async () => {
  await test.close()
  await backend.close()
})

/** The status of the answer, the field it names where it is refused, and what the backend got. */
async function ask(path: string, body: object) {
  const before = backend.requests.length
  const response = await fetch(test.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer: unknown = await response.json()
  const error = answer instanceof Object && 'error' in answer ? String(answer.error) : ''
  return { status: response.status, error, sent: backend.requests.slice(before).map(request => request.body) }
}

const CHAT = '/v1/chat/completions'
const EMBEDDINGS = '/v1/embeddings'
const IMAGES = '/v1/images/generations'
const endpoints = [
  [CHAT, 'chat', 'm-chat', 'svc-core', { messages: [{ role: 'user', content: 'Hi' }] }, ['max_tokens']],
  [EMBEDDINGS, 'embedding', 'm-embed', 'svc-embed', { input: 'Hi' }, []],
  [IMAGES, 'image', 'm-image', 'svc-image', { prompt: 'Hi' }, []],
] as const

function allowedIn(kind: FieldKind, own: readonly string[], declares: boolean): ReadonlySet<string> {
  return new Set([...KNOWN_FIELDS[kind], ...own, ...(declares ? DECLARED[kind] : [])])
}

const THREATS =
  'width height num_inference_steps num_outputs_per_prompt image_url image negative_prompt seed messages input prompt documents logits_processors modalities audio prompt_logprobs guided_json structured_outputs kv_transfer_params mm_processor_kwargs n_predict echo chat_template tools_url max_pixels steps tone hint deep extra quality style service_tier store metadata api_base'.split(
    ' ',
  )
const value = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    0,
    1,
    50,
    4096,
    true,
    false,
    '',
    'warm',
    'hd',
    'auto',
    'standard',
    'http://169.254.169.254/x',
  ),
  fc.jsonValue({ maxDepth: 2 }),
)
const extras = fc.dictionary(fc.oneof(fc.constantFrom(...THREATS), fc.string()), value, { maxKeys: 3 })

describe.each(endpoints)('POST %s', (path, kind, declares, plain, body, own) => {
  it('sends its backend no field that is neither known nor declared, whatever a request holds', async () => {
    await fc.assert(
      fc.asyncProperty(extras, fc.constantFrom(declares, plain), async (more, model) => {
        const { status, sent, error } = await ask(path, { ...more, ...body, model })

        const allowed = allowedIn(kind, own, model === declares)
        expect(sent.flatMap(Object.keys).filter(field => !allowed.has(field))).toEqual([])
        if (status !== 200) expect([status, error]).toEqual([400, expect.stringContaining(': ')])
      }),
      { numRuns: times(200) },
    )
    // Or all of them could have been refused for what they have in common.
    for (const model of [declares, plain])
      expect(await ask(path, { ...body, model })).toMatchObject({ status: 200, sent: [{}] })
  })

  it('sends what a model declares, as it was sent', async () => {
    const more = { steps: 50, tone: 'warm', hint: 'x'.repeat(20), deep: false, extra: { a: ['b'] } }

    expect(await ask(path, { ...body, model: declares, ...more })).toMatchObject({ status: 200, sent: [more] })
  })

  it.each([
    ['steps', 51, 'must be a number from 1 to 50'],
    ['steps', 0, 'must be a number from 1 to 50'],
    ['steps', '9', 'must be a number from 1 to 50'],
    ['tone', 'hot', 'must be one of "warm", "cold"'],
    ['hint', 'x'.repeat(21), 'must have at most 20 characters'],
    ['hint', ['x'], 'must be a string'],
    ['deep', 1, 'must be a boolean'],
    ['extra', 'x'.repeat(63), 'must have at most 64 bytes'],
  ])('refuses %s of %j beyond its bound, before anything is asked of a backend', async (field, value, problem) => {
    expect(await ask(path, { ...body, model: declares, [field]: value })).toMatchObject({
      status: 400,
      error: `${field}: ${problem}`,
      sent: [],
    })
  })

  it('refuses what only another model declares', async () => {
    expect(await ask(path, { ...body, model: plain, steps: 1 })).toMatchObject({
      status: 400,
      error: `steps: is not accepted by ${plain}`,
      sent: [],
    })
  })
})

describe('a chat', () => {
  const hostile = 'http://169.254.169.254/latest'
  const message = (extra: object) => ({ messages: [{ role: 'user', content: 'Hi', ...extra }] })

  it('has no member of a message, part or tool sent that is not known', async () => {
    const { sent } = await ask(CHAT, {
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Hi', audio_url: { url: hostile }, cache_control: {} }],
          x: hostile,
        },
        {
          role: 'assistant',
          content: null,
          refusal: null,
          reasoning_content: 'thought',
          audio_url: hostile,
          tool_calls: [{ id: 'a', type: 'function', x: 1, function: { name: 'f', arguments: '{}', x: 1 } }],
        },
        { role: 'tool', tool_call_id: 'a', content: '1', video_url: hostile },
      ],
      tools: [{ type: 'function', cache_control: {}, function: { name: 'f', strict: true, x: hostile } }],
    })

    expect(sent).toMatchObject([{}])
    expect(sent[0]?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: null,
        refusal: null,
        reasoning_content: 'thought',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ])
    expect(sent[0]?.tools).toEqual([{ type: 'function', function: { name: 'f', strict: true } }])
  })

  const reference = { type: 'object', properties: { a: { $ref: `${hostile}/schema.json` } } }
  it.each<[string, object, string]>([
    [
      'a part of audio',
      message({ content: [{ type: 'input_audio', input_audio: { data: '' } }] }),
      'messages[0].content[0].type',
    ],
    [
      'a part of a file',
      message({ content: [{ type: 'file', file: { file_id: 'x' } }] }),
      'messages[0].content[0].type',
    ],
    [
      'a picture elsewhere',
      message({ content: [{ type: 'image_url', image_url: { url: hostile } }] }),
      'messages[0].content[0].image_url.url',
    ],
    ['an answer that was spoken', message({ role: 'assistant', audio: { id: 'x' } }), 'messages[0].audio'],
    [
      'a schema elsewhere',
      { ...message({}), tools: [{ type: 'function', function: { name: 'f', parameters: reference } }] },
      'tools',
    ],
    [
      'a form of answers elsewhere',
      { ...message({}), response_format: { type: 'json_schema', json_schema: { schema: reference } } },
      'response_format',
    ],
    ['a grammar', { ...message({}), response_format: { type: 'grammar', grammar: 'x' } }, 'response_format'],
    ['an option of streams', { ...message({}), stream_options: { x: 1 } }, 'stream_options.x'],
    ['a choice with more in it', { ...message({}), tool_choice: { type: 'function', x: 1 } }, 'tool_choice.x'],
  ])('with %s is refused', async (_what, body, field) => {
    expect(await ask(CHAT, body)).toMatchObject({
      status: 400,
      error: expect.stringMatching(field.replace(/[[\].]/g, '.')),
      sent: [],
    })
  })

  it('may refer to what stands in its own schema, and name the dialect', async () => {
    const parameters = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      $defs: { a: {} },
      properties: { $ref: { type: 'string' }, b: { $ref: '#/$defs/a' } },
    }
    const tools = [{ type: 'function', function: { name: 'f', parameters } }]

    expect(await ask(CHAT, { ...message({}), tools })).toMatchObject({ status: 200, sent: [{ tools }] })
  })

  it('knows as many fields as it checks', () => {
    expect(Object.keys(chatSchema.properties).sort()).toEqual([...KNOWN_FIELDS.chat].sort())
  })
})

it.each(endpoints)('texts that a model declares are weighed as prompt: %s', (_path, kind, declares, _plain, body) => {
  const declared = new Map([['hint', new Set<string>()]])
  const bytesOf = (more: object) => {
    const bytes = Buffer.from(JSON.stringify({ ...body, model: declares, ...more }))
    const read = {
      chat: () => readChat(bytes, undefined, declared),
      embedding: () => readEmbeddings(bytes, 10, declared),
      image: () => readImages(bytes, declared),
    }[kind]()
    if ('denial' in read) throw new Error(JSON.stringify(read))
    return read.request.textBytes
  }

  expect(bytesOf({ hint: 'ä' }) - bytesOf({})).toBe(4)
})
