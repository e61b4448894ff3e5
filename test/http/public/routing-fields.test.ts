import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

let backend: Backend
let elsewhere: Backend
let test: TestGateway
let key: string

beforeAll(async () => {
  backend = await startBackend()
  elsewhere = await startBackend()
  test = await startTestGateway({ onprem: [backend] })
  key = await test.key('pro')
})

afterAll(async () => {
  await test.close()
  await Promise.all([backend.close(), elsewhere.close()])
})

const bodies = {
  '/v1/chat/completions': { messages: [{ role: 'user', content: 'Hi' }] },
  '/v1/embeddings': { model: 'svc-embed', input: 'Hi' },
  '/v1/images/generations': { model: 'svc-image', prompt: 'Hi' },
}

const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(test.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

describe.each(Object.entries(bodies))('POST %s', (path, body) => {
  it.each([
    // Where it goes, and with which key.
    'api_base',
    'base_url',
    'baseURL',
    'api_key',
    'api_version',
    'organization',
    'deployment_id',
    'extra_headers',
    'extra_body',
    'extra_query',
    'headers',
    'default_headers',
    'provider_specific_header',
    // LiteLLM.
    'user_config',
    'model_list',
    'fallbacks',
    'context_window_fallbacks',
    'context_window_fallback_dict',
    'num_retries',
    'retry_policy',
    'custom_llm_provider',
    'litellm_credential_name',
    'litellm_metadata',
    'litellm_anything',
    'model_info',
    'mock_response',
    'timeout',
    'caching',
    'cache',
    'no-log',
    'tags',
    'guardrails',
    'drop_params',
    'rpm',
    'input_cost_per_token',
    'output_cost_per_second',
    'success_callback',
    'langfuse_host',
    'langfuse_secret_key',
    'aws_secret_access_key',
    'aws_bedrock_runtime_endpoint',
    'aws_session_token',
    'vertex_project',
    'vertex_credentials',
    'azure_ad_token',
    'openai_api_key',
    'some_base_url',
    // Portkey.
    'config',
    'custom_host',
    'forward_headers',
    'override_params',
    'virtual_key',
    'strategy',
    'targets',
    'retry',
    'x-portkey-config',
    // OpenRouter and Vercel.
    'models',
    'route',
    'provider',
    'plugins',
    'transforms',
    'preset',
    'providerOptions',
    // vLLM and SGLang.
    'kv_transfer_params',
    'bootstrap_host',
    'bootstrap_port',
    'lora_path',
    'lora_request',
    'custom_logit_processor',
    'mm_processor_kwargs',
    'guided_decoding_backend',
    'priority',
    'request_id',
    // Fields that change the cost, and fields that the model reads.
    'best_of',
    'service_tier',
    'min_tokens',
    'ignore_eos',
    'prompt_logprobs',
    'chat_template',
    'documents',
    'prompt_id',
  ])('%s is refused by name, before anything is asked of a backend', async field => {
    const asked = backend.requests.length

    const response = await post(path, { ...body, [field]: elsewhere.url })

    expect([response.status, await response.json()]).toEqual([
      400,
      { error: expect.stringMatching(`^${field}: is not accepted`), code: 'VALIDATION_ERROR' },
    ])
    expect(backend.requests.length).toBe(asked)
  })

  it.each(['api_base', 'models', 'x-portkey-config'])('%s of null stands for none, as everywhere', async field => {
    const response = await post(path, { ...body, [field]: null })

    expect(response.status).not.toBe(400)
  })
})

describe('what clients of today send unasked', () => {
  const sent = async (field: string, value: unknown) => {
    const response = await post('/v1/chat/completions', { ...bodies['/v1/chat/completions'], [field]: value })
    expect(response.status).toBe(200)
    return backend.requests.at(-1)?.body[field]
  }

  it.each([
    ['user', 'ada'],
    ['store', false],
    ['reasoning_effort', 'low'],
    ['safety_identifier', 'x'],
    ['prompt_cache_key', 'x'],
    ['verbosity', 'low'],
    ['top_k', 20],
    ['repetition_penalty', 1.1],
  ])('%s reaches the backend', async (field, value) => {
    expect(await sent(field, value)).toEqual(value)
  })

  it('parallel_tool_calls reaches the backend beside tools alone', async () => {
    const tools = [{ type: 'function', function: { name: 'run', parameters: { type: 'object' } } }]
    const response = await post('/v1/chat/completions', {
      ...{ ...bodies['/v1/chat/completions'], tools },
      parallel_tool_calls: true,
    })
    expect(response.status).toBe(200)
    expect(backend.requests.at(-1)?.body.parallel_tool_calls).toBe(true)
    expect(await sent('parallel_tool_calls', true)).toBeUndefined()
  })

  it.each([
    ['service_tier', 'auto'],
    ['service_tier', 'default'],
    ['prediction', null],
    ['modalities', ['text']],
    ['audio', null],
    ['web_search_options', null],
    ['metadata', { user: 'ada' }],
    ['usage', { include: true }],
    ['best_of', 1],
    ['extra_body', {}],
    ['a_field_of_tomorrow', null],
  ])('%s of %j says what is done anyway: it is taken, and no backend is sent it', async (field, value) => {
    expect(await sent(field, value)).toBeUndefined()
  })

  it('store of true is sent to nobody, and the answer says so', async () => {
    const response = await post('/v1/chat/completions', { ...bodies['/v1/chat/completions'], store: true })

    expect([response.status, response.headers.get('x-svc-ignored-fields')]).toEqual([200, 'store'])
    expect(backend.requests.at(-1)?.body).not.toHaveProperty('store')
  })

  it.each([
    ['guided_json', {}],
    ['logits_processors', ['x']],
    ['modalities', ['text', 'audio']],
    ['audio', { voice: 'alloy' }],
    ['service_tier', 'priority'],
    ['a_field_of_tomorrow', 1],
  ])('%s of %j is refused by name', async (field, value) => {
    const response = await post('/v1/chat/completions', { ...bodies['/v1/chat/completions'], [field]: value })

    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: expect.stringMatching(`^${field}: `) },
    ])
  })
})

describe('a header', () => {
  const hostile = {
    'x-portkey-custom-host': 'http://evil/v1',
    'x-portkey-config': '{"provider":"openai","api_key":"x"}',
    'x-portkey-provider': 'openai',
    'x-portkey-forward-headers': 'authorization',
    'x-litellm-api-key': 'sk-evil',
    'x-litellm-tags': 'paid',
    'x-litellm-timeout': '1',
    'x-litellm-num-retries': '50',
    'litellm-changed-by': 'me',
    'x-stainless-override': 'x',
    'openai-organization': 'org-evil',
    'openai-project': 'proj-evil',
    'api-key': 'evil',
    'x-api-key': 'evil',
    'x-goog-api-key': 'evil',
    'http-referer': 'http://evil',
    'x-title': 'evil',
    'x-forwarded-host': 'evil',
    'x-forwarded-for': '10.0.0.1',
    'x-forwarded-proto': 'https',
    'x-original-url': '/admin/keys',
    'x-rewrite-url': '/admin/keys',
    'x-http-method-override': 'DELETE',
    'x-request-id': 'req_evil',
    'x-svc-upstream': 'cloud',
    forwarded: 'for=10.0.0.1;host=evil',
    via: '1.1 evil',
    cookie: 'session=evil',
    'proxy-authorization': 'Basic ZXZpbA==',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'cf-connecting-ip': '10.0.0.1',
    range: 'bytes=0-1',
    'if-none-match': '*',
    accept: 'text/evil',
    'accept-encoding': 'gzip',
    'user-agent': 'evil',
  }

  it.each(Object.entries(bodies))('of a client never reaches a backend behind %s', async (path, body) => {
    await post(path, body, hostile)

    const { headers = {}, path: reached } = backend.requests.at(-1) ?? {}
    const ours = ['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'host', 'x-request-id']
    expect(Object.keys(headers).sort()).toEqual(ours)
    expect(headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'identity',
      host: `127.0.0.1:${backend.port}`,
      'x-request-id': expect.stringMatching(/^req_[0-9A-Z]{26}$/),
    })
    expect(reached).toBe(path)
    expect(JSON.stringify(headers)).not.toContain('evil')
  })

  it('of a client chooses neither path nor method nor pool', async () => {
    const response = await post('/v1/chat/completions', bodies['/v1/chat/completions'], hostile)

    expect([response.status, response.headers.get('x-svc-upstream')]).toEqual([200, 'onprem'])
    expect(elsewhere.accepted).toBe(0)
  })
})
