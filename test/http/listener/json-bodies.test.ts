import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { doubtful, invalid, valid } from './json-bodies.cases.ts'

const CHAT = '/v1/chat/completions'
const EMBEDDINGS = '/v1/embeddings'
const IMAGES = '/v1/images/generations'
const GUEST = '/v1/keys/guest'
/** The start of a complete request of each kind. */
const beginnings = {
  [CHAT]: '{"messages":[{"role":"user","content":"hush-hush"}]',
  [EMBEDDINGS]: '{"model":"svc-embed","input":"hush-hush"',
  [IMAGES]: '{"model":"svc-image","prompt":"hush-hush"',
  [GUEST]: '{"device_id":"hush-hush"',
}
const endpoints = Object.entries(beginnings)

let backend: Backend
let test: TestGateway
let key: string

beforeAll(async () => {
  backend = await startBackend()
  const guests = 'mint_per_ip_hour: 100k, usd_per_day_total: 50'
  const plans = 'plans: { large: { models: all, rpm: 1M, tpm: 900M, monthly_usd: 500000 } }'
  const yaml = 'include: [more.yaml]'
  test = await startTestGateway({
    onprem: [backend],
    fields: { core: 'accepts: { x: { max_size: 1MB } }' },
    guests,
    yaml,
    files: { 'more.yaml': plans },
  })
  key = await test.key('large')
})

afterAll(async () => {
  await test.close()
  await backend.close()
})

function post(path: string, body: string | Buffer): Promise<Response> {
  // Requests without a model have a rate limit, and many cases send without a pause.
  test.clock.advance(200)
  return fetch(test.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: Buffer.from(body),
  })
}

async function told(response: Response): Promise<{ status: number; code: string; error: string }> {
  const { error, code } = (await response.json()) as { error: string; code: string }
  return { status: response.status, code, error }
}

const refused = (error: RegExp | string) => ({
  status: 400,
  code: 'VALIDATION_ERROR',
  error: error instanceof RegExp ? expect.stringMatching(error) : expect.stringContaining(error),
})

/** Bodies about keys may have 4 KiB. */
const tooLarge = (path: string, body: string | Buffer) => path === GUEST && Buffer.byteLength(body) > 4096
const TOO_LARGE = { status: 413, code: 'PAYLOAD_TOO_LARGE', error: expect.any(String) }

const joined = (...parts: readonly (string | Buffer)[]) => Buffer.concat(parts.map(part => Buffer.from(part)))

describe.each(endpoints)('POST %s', (path, beginning) => {
  it.each(invalid)('a body of %s is a 400', async (_name, text) => {
    const expected = tooLarge(path, text) ? TOO_LARGE : refused(/^body: (?!must be a JSON object)/)

    expect(await told(await post(path, text))).toEqual(expected)
  })

  it.each(invalid)('%s in a body is a 400', async (_name, text) => {
    const body = joined(beginning, ',"x":', text, '}')

    expect(await told(await post(path, body))).toEqual(tooLarge(path, body) ? TOO_LARGE : refused(/^body: /))
  })

  it.each(valid)('a body of %s is a 400 that says what is missing', async (_name, text) => {
    const isObject = text.startsWith('{')
    const expected = isObject
      ? /^(?:messages|model|prompt|device_id): is required$|is not accepted/
      : /^body: must be a JSON object$/

    expect(await told(await post(path, text))).toEqual(refused(expected))
  })

  it.each(doubtful)('%s in a body is a 400 that says where', async (_name, text, error) => {
    expect(await told(await post(path, `${beginning},"x":${text}}`))).toEqual(refused(error))
  })

  it.each([
    ['a byte order mark', '\ufeff', '}'],
    ['another value behind it', '', '} {}'],
    ['a comma behind it', '', '},'],
    ['a NUL behind it', '', '}\0'],
    ['a letter before it', 'x', '}'],
  ])('a good body with %s is a 400', async (_name, before, after) => {
    expect(await told(await post(path, before + beginning + after))).toEqual(refused('body: is not valid JSON'))
  })

  it('a good body as UTF-16 is a 400', async () => {
    expect(await told(await post(path, Buffer.from(`${beginning}}`, 'utf16le')))).toEqual(refused(/^body: /))
  })
})

describe('what a backend gets', () => {
  it.each(valid)('is %s as it was sent', async (_name, text) => {
    expect((await post(CHAT, `${beginnings[CHAT]},"x":${text}}`)).status).toBe(200)

    // Null stands for absent.
    expect(backend.requests.at(-1)?.body.x).toEqual(JSON.parse(text) ?? undefined)
  })

  it('of a name that stands twice is the last, and so is what was checked', async () => {
    const cheap = '"max_tokens":10,"max_tokens":20'
    expect((await post(CHAT, `${beginnings[CHAT]},${cheap}}`)).status).toBe(200)
    expect(backend.requests.at(-1)?.body.max_tokens).toBe(20)
    expect(backend.requests.at(-1)?.rawBody.match(/max_tokens/g)).toHaveLength(1)

    const roles = '"messages":[{"role":"nobody","content":"Hi"}]'
    expect(await told(await post(CHAT, `${beginnings[CHAT]},${roles}}`))).toEqual(refused('messages[0].role'))
  })

  it('is never changed by the names of prototypes', async () => {
    const body = `${beginnings[CHAT]},"max_tokens":9,"x":{"constructor":{"prototype":{"stream":true}},"prototype":{"n":4}}}`

    expect((await post(CHAT, body)).status).toBe(200)

    expect(backend.requests.at(-1)?.body).toMatchObject({ x: { prototype: { n: 4 } } })
    expect(backend.requests.at(-1)?.body.stream).toBeUndefined()
    expect(Reflect.get({}, 'stream')).toBeUndefined()
  })
})

describe('JSON that is no request', () => {
  const long = 'x'.repeat(2000)
  it.each<[string, string, string]>([
    [CHAT, '"messages":[]', 'messages: must not be empty'],
    [CHAT, '"messages":{}', 'messages: must be an array'],
    [CHAT, '"messages":[null]', 'messages[0]: must be an object'],
    [CHAT, '"messages":["Hi"]', 'messages[0]: must be an object'],
    [CHAT, '"messages":[{"role":"user"}]', 'messages[0].content: is required'],
    [CHAT, '"messages":[{"content":"Hi"}]', 'messages[0].role: is required'],
    [CHAT, `"messages":[${Array(10_001).fill('{"role":"user","content":""}')}]`, 'messages: must have at most 10000'],
    [CHAT, '"messages":[{"role":"user","content":[{"type":"x"}]}]', 'messages[0].content[0].type'],
    [CHAT, `"messages":[{"role":"user","content":"","name":"${long}"}]`, 'messages[0].name: must have at most 256'],
    [CHAT, `"messages":[{"role":"tool","content":"","tool_call_id":"${long}"}]`, 'messages[0].tool_call_id: must'],
    [CHAT, '"model":1', 'model: must be a string'],
    [CHAT, `"model":"${long}"`, 'model: must have at most 256'],
    [CHAT, '"max_tokens":1.5', 'max_tokens: must be an integer'],
    [CHAT, '"max_tokens":0', 'max_tokens: must be at least 1'],
    [CHAT, '"max_tokens":-2', 'max_tokens: must be at least 1'],
    [CHAT, '"max_tokens":9007199254740993', 'max_tokens: must be at most'],
    [CHAT, '"max_tokens":"10"', 'max_tokens: must be an integer'],
    [CHAT, '"n":5', 'n: must be at most 4'],
    [CHAT, '"stream":"true"', 'stream: must be a boolean'],
    [CHAT, '"seed":9007199254740993', 'seed: must be at most 9007199254740991'],
    [CHAT, '"seed":1.5', 'seed: must be an integer'],
    [CHAT, '"temperature":"hot"', 'temperature: must be a number'],
    [CHAT, `"stop":[${Array(65).fill('"x"')}]`, 'stop: must have at most 64 items'],
    [CHAT, `"stop":"${long}"`, 'stop: must have at most 1024 characters'],
    [CHAT, '"stop":[1]', 'stop[0]: must be a string'],
    [CHAT, `"user":"${long}"`, 'user: must have at most 512 characters'],
    [CHAT, '"logit_bias":{"1":"x"}', 'logit_bias[1]: must be a number'],
    [
      CHAT,
      `"logit_bias":{${Array.from({ length: 2049 }, (_, i) => `"${i}":0`)}}`,
      'logit_bias: must have at most 2048 fields',
    ],
    [
      CHAT,
      `"tools":[${Array(1025).fill('{"type":"function","function":{"name":"f"}}')}]`,
      'tools: must have at most 1024 items',
    ],
    [CHAT, '"tools":[{"type":"function","function":{"name":"a b"}}]', 'tools[0].function.name: must be 1 to 128'],
    [CHAT, '"chat_template_kwargs":{"x":1}', 'chat_template_kwargs.x: is not accepted'],
    [EMBEDDINGS, '"input":[]', 'input: must not be empty'],
    [EMBEDDINGS, '"input":[1,2]', 'input: must be text'],
    [EMBEDDINGS, '"input":{}', 'input: must be a string or an array'],
    [EMBEDDINGS, `"input":[${Array(2049).fill('"x"')}]`, 'input: has 2049 texts'],
    [EMBEDDINGS, '"encoding_format":"hex"', 'encoding_format: must be one of'],
    [EMBEDDINGS, '"dimensions":1e9', 'dimensions: must be at most'],
    [IMAGES, '"n":0', 'n: must be at least 1'],
    [IMAGES, '"size":"huge"', 'size: must be <width>x<height>'],
    [IMAGES, `"prompt":"${'x'.repeat(32_001)}"`, 'prompt: must have at most 32000'],
    [IMAGES, '"quality":"hd"', 'quality: is not accepted'],
    [GUEST, '"device_id":""', 'device_id: must have 1 to 256'],
    [GUEST, '"plan":"pro"', 'plan: is not accepted'],
    [GUEST, `"${'y'.repeat(3000)}":1`, '…: is not accepted'],
  ])('%s with %.60s is a 400 that begins with the field', async (path, change, error) => {
    const beginning = endpoints.find(([each]) => each === path)?.[1]

    const { status, error: text } = await told(await post(path, `${beginning},${change}}`))

    expect(status).toBe(400)
    expect(text).toContain(error)
    expect(text.length).toBeLessThan(400)
  })
})

describe('a body at the limits of its shape', () => {
  it('of ten million brackets is a 400, and so are three million objects', async () => {
    expect(await told(await post(CHAT, '['.repeat(9_999_999)))).toEqual(refused('nested deeper than 64'))
    expect(await told(await post(CHAT, `{"a":[${'{},'.repeat(3_000_000)}{}]}`))).toEqual(
      refused('more than 105000 values'),
    )
  })

  it.each([
    ['application/json', 200],
    ['Application/JSON; charset=UTF-8', 200],
    ['application/json;charset="utf-8"', 200],
    ['application/json; charset=utf-16', 415],
    ['application/json; charset=utf-8x', 415],
    ['application/json-patch+json', 415],
    ['application/jsonl', 415],
    ['text/json', 415],
    ['multipart/form-data; boundary=x', 415],
  ])('that is declared as %s is a %i', async (type, status) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': type }

    expect((await fetch(test.url + CHAT, { method: 'POST', headers, body: `${beginnings[CHAT]}}` })).status).toBe(
      status,
    )
  })
})

it('after all this no line of the log, and no alarm, has a word of it', () => {
  expect(test.alarms).toEqual([])
  expect(JSON.stringify(test.log)).not.toContain('hush')
  expect(test.log.filter(({ status }) => status >= 500)).toEqual([])
})
