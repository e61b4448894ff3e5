import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { answer, type Backend, type Behaviour, json, sse, startBackend, status } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { OTHERWISE, TOO_LONG } from '../../support/overflow-words.ts'

/** Each dialect of clients: where it asks, how, and where its errors say what. */
const DIALECTS = [
  ['chats', '/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
  ['Responses', '/v1/responses', { model: 'svc-core', input: 'Hi' }],
  ['Messages', '/v1/messages', { model: 'svc-core', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] }],
] as const

const OBJECT = { 'user-agent': 'some-agent/1.0' }

interface Said {
  readonly status: number
  readonly reason: string | null
  readonly text: string
  readonly code: unknown
}

let backend: Backend
let test: TestGateway
let accounts = 0

const open = async (yaml = '') => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend], yaml })
}
const close = async () => {
  await test.close()
  await backend.close()
}

async function ask(path: string, body: object, headers: Record<string, string> = OBJECT): Promise<Said> {
  const response = await fetch(test.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await test.key('pro', `account-${++accounts}`)}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  const { error } = (await response.json()) as { error: string | { message: string; code?: unknown } }
  return {
    status: response.status,
    reason: response.headers.get('x-svc-error-reason'),
    text: typeof error === 'string' ? error : error.message,
    code: typeof error === 'string' ? undefined : error.code,
  }
}

const [[, CHATS, chat]] = DIALECTS

describe.each(DIALECTS)(
  'a prompt that is too long reaches clients of %s as context_length_exceeded',
  (dialect, path, body) => {
    beforeAll(() => open())
    afterAll(close)

    it.each(TOO_LONG)('in the words of %s', async (_who, text) => {
      backend.always(status(400, { error: { message: text } }))

      const said = await ask(path, body)

      expect([said.status, said.reason]).toEqual([400, 'context_length_exceeded'])
      if (dialect === 'Messages')
        expect(said.text).toMatch(
          /^(?:prompt is too long: \d+ tokens > \d+ maximum|input length and `max_tokens` exceed context limit)/,
        )
      else expect(said.code).toBe('context_length_exceeded')
    })

    it.each(OTHERWISE)('and not what only sounds like it, in the words of %s', async (_who, text) => {
      backend.always(status(400, { error: { message: text } }))

      const said = await ask(path, body)

      expect(said.status).toBe(400)
      expect(said.reason).not.toBe('context_length_exceeded')
    })
  },
)

const NO = 'temperature is too high'

describe('a 400 of a client is a 400 with its words, and never a 503', () => {
  beforeAll(() => open())
  afterAll(close)

  it.each<[string, Behaviour, string]>([
    ["in Google's list", status(400, [{ error: { code: 400, message: NO, status: 'INVALID_ARGUMENT' } }]), NO],
    ['in a list of errors', status(400, { errors: [{ message: NO }] }), NO],
    ['in an error in an error', status(400, { error: { error: { message: NO } } }), NO],
    ['in a Message', status(400, { Message: NO }), NO],
    [
      "in Mistral's details",
      status(422, { message: { detail: [{ msg: NO, loc: ['body', 'temperature'] }] } }),
      `body.temperature: ${NO}`,
    ],
    ["in FastAPI's detail", status(422, { detail: NO }), NO],
    [
      "in OpenRouter's metadata",
      status(400, {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: { raw: JSON.stringify({ error: { message: NO } }) },
        },
      }),
      NO,
    ],
    ['in a text', status(400, NO, { 'content-type': 'text/plain' }), NO],
    [
      'in a page',
      status(413, '<html><head><title>413 Request Entity Too Large</title></head></html>', {
        'content-type': 'text/html',
      }),
      '413 Request Entity Too Large',
    ],
    [
      'of an engine that calls it a 500',
      status(500, {
        error: {
          code: 500,
          message: 'image input is not supported - hint: you may need to provide the mmproj',
          type: 'server_error',
        },
      }),
      'image input is not supported',
    ],
    [
      'of an engine that calls a long prompt a 500',
      status(500, {
        error: { code: 500, message: 'input (3926 tokens) is too large to process. increase the physical batch size' },
      }),
      'too large to process',
    ],
    ['of a service that answers 200', json({ choices: null, base_resp: { status_code: 2013, status_msg: NO } }), NO],
    ['of a status of its own', json({ code: 422, message: NO, data: null }), NO],
    ['by its type in a 200', json({ error: { message: NO, type: 'invalid_request_error', code: null } }), NO],
    ['by its status of Google in a 200', json([{ error: { message: NO, status: 'INVALID_ARGUMENT' } }]), NO],
    [
      'in the choice of a 200',
      json({
        choices: [{ index: 0, error: { code: 400, message: NO }, message: { content: '' }, finish_reason: 'error' }],
      }),
      NO,
    ],
    ['in XML', status(400, `<Error><Message>${NO}</Message></Error>`, { 'content-type': 'text/xml' }), NO],
    ['of Apigee', status(400, { fault: { faultstring: NO } }), NO],
    [
      'of Databricks',
      status(400, { message: JSON.stringify({ external_model_error: { error: { message: NO } } }) }),
      NO,
    ],
  ])('%s', async (_name, behaviour, words) => {
    backend.next(behaviour)

    const said = await ask(CHATS, chat)

    expect(said.status).toBe(400)
    expect(said.text).toContain(words)
  })

  it.each([
    ['an event', sse(`data: ${JSON.stringify({ error: { message: NO, type: 'invalid_request_error' } })}\n\n`)],
    ['a status of MiniMax', sse(`data: ${JSON.stringify({ base_resp: { status_code: 2013, status_msg: NO } })}\n\n`)],
    ['JSON in place of a stream', json({ base_resp: { status_code: 2013, status_msg: NO } })],
    [
      'a choice',
      sse(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, error: { code: 400, message: NO } }] })}\n\n`),
    ],
  ])('of a stream, in %s', async (_name, behaviour) => {
    backend.next(behaviour)

    const said = await ask(CHATS, { ...chat, stream: true })

    expect([said.status, said.text]).toEqual([400, expect.stringContaining(NO)])
  })

  it.each<[string, Behaviour]>([
    ['an empty body', status(400)],
    ['a page of a proxy', status(400, '<html><body>no</body></html>')],
  ])('of a backend that serves others, though it gives no reason but %s', async (_name, behaviour) => {
    backend.always(exchange =>
      (exchange.seen.rawBody.includes('bait') ? behaviour : answer({ content: 'x' }))(exchange),
    )

    const said = await ask(CHATS, { messages: [{ role: 'user', content: 'bait' }] })

    expect([said.status, said.text]).toEqual([400, 'the backend refused the request: it gave no reason'])
    backend.always(answer({ content: 'x' }))
  })

  it.each([
    [{ error: { message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } }],
    [{ code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***bc.' }],
  ])("unless the fault is the operator's: %j", async body => {
    backend.next(status(400, [body].flat()))

    const said = await ask(CHATS, chat)

    expect(said.status).toBe(503)
    expect(said.text).not.toContain('API key')
  })
})

describe("the operator's internals", () => {
  afterEach(close)

  const internals = status(400, {
    error: {
      message:
        'Bad tools for deployment "gpt4-prod-eu" of organization org-AbC123dEf456, key sk-proj-****wXyZ, projects/acme-prod-1/locations/eu at vllm-3.internal:8000: tools[0] has no name',
    },
  })
  const broken = status(529, { error: { message: 'CUDA out of memory on gpu-7 of project acme-prod-1' } })

  it('are left out of a refusal, which still says what the client has to change', async () => {
    await open()
    backend.next(internals)

    const { text } = await ask(CHATS, chat)

    expect(text).toContain('tools[0] has no name')
    for (const word of ['gpt4-prod-eu', 'org-AbC', 'sk-proj', 'acme-prod', 'vllm-3', '8000'])
      expect(text).not.toContain(word)
  })

  it('are in no 503', async () => {
    await open()
    backend.always(broken)

    const said = await ask(CHATS, chat)

    expect([said.status, said.text]).toEqual([503, 'No backend of this model could answer. Retry in 1 s.'])
  })

  it('are quoted with errors.backend_words: true, but for keys and addresses', async () => {
    await open('errors: { backend_words: true }')
    backend.next(internals)
    const { text } = await ask(CHATS, chat)
    expect(text).toContain('deployment "gpt4-prod-eu" of organization org-AbC123dEf456')
    for (const word of ['sk-proj', 'vllm-3', '8000']) expect(text).not.toContain(word)

    backend.always(status(501, { error: { message: 'CUDA out of memory' } }))
    const said = await ask(CHATS, chat)

    expect([said.status, said.text]).toEqual([503, expect.stringContaining('CUDA out of memory')])
  })
})
