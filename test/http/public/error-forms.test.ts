import { once } from 'node:events'
import http from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Backend, hang, startBackend, status } from '../../support/backend.ts'
import { eventsOf, startTestGateway, type TestGateway } from '../../support/gateway.ts'

let backend: Backend
let test: TestGateway

async function start(yaml?: string): Promise<void> {
  test = await startTestGateway({ onprem: [backend], ...(yaml !== undefined && { yaml }) })
}

beforeEach(async () => {
  backend = await startBackend()
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

/** Agents, SDKs and products that are known to nobody. */
const AGENTS = [
  ...['Zed/0.210.0 (linux; x64)', 'n8n', 'OpenWebUI/0.12.4', 'LibreChat/0.8', 'JetBrains-AI/2026.2', 'Cursor/2.0'],
  ...['pi/0.40.0', 'Dify/1.9', 'goose/1.12', 'warp/1.0', 'QwenCode/0.24.4 (linux; x64)', 'semantic-kernel/1.45'],
  ...['azsdk-net-AI.OpenAI/2.1', 'OpenAI/Go 3.98', 'Spring-AI/1.1', 'litellm/1.110', 'langchain/1.5', 'my-ai/1.0'],
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Cursor/2.0 Chrome/138.0 Electron/37 Safari/537.36',
  'my-agent python-requests/2.32.5',
]

const LIBRARIES = [
  ...['curl/8.14.1', 'node', 'undici', 'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)', 'axios/1.12.2'],
  ...['python-requests/2.32.5', 'python-httpx/0.28.1', 'Python/3.12 aiohttp/3.13.0', 'Python-urllib/3.12'],
  ...[
    'okhttp/5.1.0',
    'Go-http-client/2.0',
    'Java-http-client/21.0.2',
    'Apache-HttpClient/5.4 (Java/21)',
    'reqwest/0.12',
  ],
  ...['Ruby', 'Faraday v2.13.1', 'GuzzleHttp/7', 'Dart/3.9 (dart:io)', 'Wget/1.25', 'PostmanRuntime/7.45'],
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
]

const sdk = { 'x-stainless-lang': 'js' }
const messages = [{ role: 'user', content: 'Hi' }]

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(test.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await test.key('free', `account-${++accounts}`)}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

let accounts = 0

const chat = (body: unknown, headers?: Record<string, string>) => post('/v1/chat/completions', body, headers)

describe('errors.form: auto', () => {
  beforeEach(() => start())

  it('is the form of the specification for a plain client', async () => {
    const response = await chat({})

    expect(await response.json()).toEqual({ error: 'messages: is required', code: 'VALIDATION_ERROR' })
    expect(response.headers.get('vary')).toBe('x-stainless-lang, x-promptfoo-version, user-agent')
  })

  it.each<[string, Record<string, string>]>([
    ['an SDK of OpenAI', sdk],
    ['the AI SDK', { 'user-agent': 'ai/6.0.326 ai-sdk/provider-utils/4.0.1 runtime/node.js/22' }],
    [
      'the AI SDK 7, as it streams',
      { 'user-agent': 'ai-sdk-openai/4.0.118 ai-sdk-provider-utils/5.0.81 node.js/v20.20.2' },
    ],
    ['opencode', { 'user-agent': 'opencode/1.18.33 (linux; x64)' }],
    ['Codex', { 'user-agent': 'codex_cli_rs/0.169.0 (Debian 13; x86_64)' }],
    ['Copilot', { 'user-agent': 'GitHubCopilotChat/0.26.7' }],
    ['promptfoo, whose user agent is that of node', { 'x-promptfoo-version': '0.121.0', 'user-agent': 'node' }],
    ...AGENTS.map((agent): [string, Record<string, string>] => [agent, { 'user-agent': agent }]),
  ])('is an object for %s', async (_name, headers) => {
    const response = await chat({}, headers)

    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: { message: 'messages: is required', type: 'invalid_request_error', param: 'messages', code: null },
      code: 'VALIDATION_ERROR',
    })
    expect(response.headers.get('vary')).toBe('x-stainless-lang, x-promptfoo-version, user-agent')
    expect(response.headers.get('x-svc-error-code')).toBe('VALIDATION_ERROR')
  })

  it.each(LIBRARIES)('is a text for the generic %s', async agent => {
    expect(await (await chat({}, { 'user-agent': agent })).json()).toMatchObject({ error: expect.any(String) })
  })

  it('is a text where nothing names the client', async () => {
    const plain = http.request(`${test.url}/v1/chat/completions`, { method: 'POST' }).end()
    const [response] = (await once(plain, 'response')) as [http.IncomingMessage]

    expect(JSON.parse(String(await buffer(response)))).toMatchObject({ code: 'NO_AUTH', error: expect.any(String) })
  })

  it.each<[string, () => Promise<Response>, number, object, string]>([
    [
      'no key',
      () => fetch(`${test.url}/billing/quota`, { headers: sdk }),
      401,
      { type: 'authentication_error', param: null, code: 'invalid_api_key' },
      'NO_AUTH',
    ],
    [
      'an unknown key',
      () => chat({ messages }, { ...sdk, authorization: 'Bearer svc_unknown' }),
      401,
      { type: 'authentication_error', param: null, code: 'invalid_api_key' },
      'INVALID_KEY',
    ],
    [
      'a model that is not there',
      () => chat({ messages, model: 'x' }, sdk),
      400,
      { type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
      'VALIDATION_ERROR',
    ],
    [
      'a model of the catalogue that is not there',
      () => fetch(`${test.url}/v1/models/x`, { headers: sdk }),
      404,
      { type: 'invalid_request_error', param: null, code: 'model_not_found' },
      'NOT_FOUND',
    ],
    [
      'a plan without the model',
      () => chat({ messages, model: 'svc-ultra-pro' }, sdk),
      429,
      { type: 'plan_limit', param: null, code: 'rate_limit_exceeded', retry_after_ms: 0, docs: expect.any(String) },
      'rate_limit_exceeded',
    ],
    [
      'a path that is not there',
      () => fetch(`${test.url}/v1/nothing`, { headers: sdk }),
      404,
      { type: 'invalid_request_error', param: null, code: 'NOT_FOUND' },
      'NOT_FOUND',
    ],
    [
      'a method that is not there',
      () => fetch(`${test.url}/v1/chat/completions`, { method: 'PUT', headers: sdk }),
      405,
      { type: 'invalid_request_error', param: null, code: 'METHOD_NOT_ALLOWED' },
      'METHOD_NOT_ALLOWED',
    ],
    [
      'a body of another type',
      () => chat('a=b', { ...sdk, 'content-type': 'text/plain' }),
      415,
      { type: 'invalid_request_error', param: null, code: 'UNSUPPORTED_MEDIA_TYPE' },
      'UNSUPPORTED_MEDIA_TYPE',
    ],
  ])('has the words of OpenAI for %s', async (_name, send, line, error, code) => {
    const response = await send()

    expect(response.status).toBe(line)
    expect(await response.json()).toEqual({ error: { message: expect.any(String), ...error }, code })
  })

  it('a quota that is spent is insufficient_quota, with what the specification says beside it', async () => {
    const spent = await test.key('tight')
    const response = await fetch(`${test.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${spent}`, 'content-type': 'application/json', ...sdk },
      body: JSON.stringify({ messages, max_tokens: 1000 }),
    })

    expect(response.status).toBe(402)
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringContaining('may cost up to'),
        type: 'insufficient_quota',
        param: null,
        code: 'insufficient_quota',
        resetDate: '2026-12-01',
        topupUrl: expect.any(String),
        overageEnabled: false,
      },
      code: 'quota_exceeded',
    })
  })

  it('backends that all fail are a server_error, with the pools beside it', async () => {
    backend.always(status(529))

    const response = await chat({ messages }, sdk)

    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await response.json()).toEqual({
      error: {
        message: 'No backend of this model could answer. Retry in 1 s.',
        type: 'server_error',
        param: null,
        code: 'UPSTREAMS_EXHAUSTED',
        tier: 'on-premises',
        attempted: ['onprem'],
      },
      code: 'UPSTREAMS_EXHAUSTED',
    })
  })

  it('a stream that is denied behind its headers ends with the object too', async () => {
    backend.next(hang)
    const asked = chat({ messages, stream: true }, sdk)
    await backend.received(1)
    test.clock.advance(25_000)
    const response = await asked
    await backend.refuse()

    const [event] = await test.clock.during(eventsOf(response))

    expect(JSON.parse(String(event))).toEqual({
      error: {
        message: expect.any(String),
        type: 'server_error',
        param: null,
        code: 'UPSTREAMS_EXHAUSTED',
        tier: 'on-premises',
        attempted: ['onprem'],
      },
      code: 'UPSTREAMS_EXHAUSTED',
    })
  })
})

describe('what a backend says', () => {
  beforeEach(() => start())

  const refuse = (error: object, code = 400) => backend.next(status(code, { error }))

  it.each([
    ['its code', { message: 'Too much.', code: 'context_length_exceeded' }],
    ['the words of vLLM', { message: "This model's maximum context length is 4096 tokens.", type: 'BadRequestError' }],
    [
      'newer words of vLLM',
      { message: 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.' },
    ],
    [
      'the words of SGLang',
      { message: "The input (5000 tokens) is longer than the model's context length (4096 tokens)." },
    ],
    ['the code of llama.cpp', { message: 'Too large.', type: 'exceed_context_size_error' }],
    ['the words of llama.cpp', { message: 'the request exceeds the available context size, try increasing it' }],
    ['the words of OpenAI', { message: 'Your input exceeds the context window of this model.' }],
    ['the words of Anthropic', { message: 'prompt is too long: 205000 tokens > 200000 maximum' }],
  ])('of a prompt that is too long, by %s, is context_length_exceeded', async (_name, error) => {
    refuse(error)

    const response = await chat({ messages }, sdk)

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param: 'messages', code: 'context_length_exceeded' } })
    expect(response.headers.get('x-svc-error-reason')).toBe('context_length_exceeded')
    expect(response.statusText).toContain('context_length_exceeded')
  })

  it('of its own code, type and field survives', async () => {
    refuse({ message: 'No.', type: 'policy_error', code: 'content_filter', param: 'messages[0].content' })

    expect(await (await chat({ messages }, sdk)).json()).toEqual({
      error: {
        message: 'the backend refused the request: No.',
        type: 'policy_error',
        param: 'messages[0].content',
        code: 'content_filter',
      },
      code: 'VALIDATION_ERROR',
    })
  })

  it('of a type alone is no code', async () => {
    refuse({ message: 'No.', type: 'BadRequestError', code: 400 })

    expect(await (await chat({ messages }, sdk)).json()).toMatchObject({
      error: { type: 'BadRequestError', code: null },
    })
  })

  it('of a cap that leaves no room is said with the words that agents know', async () => {
    const response = await chat({ messages, max_tokens: 32_000 }, sdk)

    expect(await response.json()).toMatchObject({
      error: {
        message: expect.stringContaining('maximum context length'),
        param: 'max_tokens',
        code: 'context_length_exceeded',
      },
    })
  })

  it('of being busy is a 429 with its wait where all of them say so, and a 503 in the form of the specification', async () => {
    const busy = status(429, { error: { message: 'Slow down' } }, { 'retry-after': '7' })
    backend.next(busy)

    const response = await chat({ messages }, sdk)

    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('7')
    expect(await response.json()).toMatchObject({
      error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', attempted: ['onprem'] },
      code: 'UPSTREAMS_EXHAUSTED',
    })
    test.clock.advance(8000)
    backend.next(busy)
    const plain = await chat({ messages })
    expect(plain.status).toBe(503)
    expect(await plain.json()).toMatchObject({ code: 'UPSTREAMS_EXHAUSTED', attempted: ['onprem'] })
  })
})

describe.each([
  ['openai', {}, { error: { param: 'messages' } }],
  ['spec', sdk, { error: 'messages: is required' }],
])('errors.form: %s', (form, headers, body) => {
  it('holds for everybody, and depends on no header', async () => {
    await start(`errors: { form: ${form} }`)

    const response = await chat({}, headers)

    expect(await response.json()).toMatchObject(body)
    expect(response.headers.get('vary')).toBeNull()
  })
})

describe('the catalogue', () => {
  beforeEach(() => start())

  it('answers clients of Anthropic in their form', async () => {
    const response = await fetch(`${test.url}/v1/models/x`, { headers: { 'anthropic-version': '2023-06-01' } })

    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: 'not_found_error', message: expect.stringContaining('No model `x`') },
      request_id: response.headers.get('x-request-id'),
    })
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
    expect(response.headers.get('vary')).toBe('anthropic-version')
  })
})

describe('the reason phrase', () => {
  beforeEach(() => start())

  it.each<[string, unknown, string]>([
    ['a field that is missing', {}, 'VALIDATION_ERROR: messages: is required'],
    ['a field of a wrong type', { messages, temperature: 'hot' }, 'VALIDATION_ERROR: temperature: must be a number'],
    ['a model that is not there', { messages, model: 'secret' }, 'VALIDATION_ERROR: model: no such model'],
    ['a field of the client', { messages, secret: 2 }, 'VALIDATION_ERROR: a field is not accepted'],
  ])('says what is wrong with %s, in no word of the client', async (_name, body, phrase) => {
    expect((await chat(body)).statusText).toBe(phrase)
  })

  it('has nothing of the words of a backend but its code', async () => {
    backend.next(status(400, { error: { message: 'Your prompt about cats is bad', code: 'content_filter' } }))

    expect((await chat({ messages })).statusText).toBe(
      'VALIDATION_ERROR: the backend refused the request: content_filter',
    )
  })
})
