import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DROPPABLE } from '../../../src/policy/providers/droppable.ts'
import { factsFor, PROVIDER_NAMES, type ProviderName } from '../../../src/policy/providers/profile.ts'
import { PROFILES } from '../../../src/policy/providers/profiles.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { personalityOf } from '../../support/personalities.ts'

/** Models of each row: one for every set of cells. */
const MODELS: Readonly<Partial<Record<ProviderName, readonly string[]>>> = {
  openai: ['gpt-5.2', 'o1', 'o3-mini', 'o4-mini', 'gpt-5-chat-latest', 'gpt-4o'],
  azure: ['gpt-5.2', 'gpt-4o', 'Kimi-K2.5'],
  gemini: ['gemini-3-pro', 'gemini-2.0-flash'],
  xai: ['grok-4', 'grok-3', 'grok-3-mini', 'grok-4.3', 'grok-2'],
  anthropic: ['claude-opus-4-8', 'claude-sonnet-4-5'],
  bedrock: ['us.anthropic.claude-opus-4-7-v1:0', 'openai.gpt-oss-120b-1:0', 'qwen.qwen3-32b-v1:0'],
  litellm: ['claude-opus-5', 'gpt-4o'],
  vllm: ['Qwen/Qwen3-8B', 'openai/gpt-oss-120b'],
  sglang: ['Qwen/Qwen3-8B', 'openai/gpt-oss-120b'],
  llamacpp: ['Qwen/Qwen3-8B', 'gpt-oss-20b'],
}

const ROWS = PROVIDER_NAMES.flatMap(name =>
  (MODELS[name] ?? ['some-model']).map((model, i) => ({ name, model, own: `row-${name}-${i}` })),
)

/** A chat that says all it can. */
const CHAT = {
  messages: [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'Say hi' },
    {
      role: 'assistant',
      content: null,
      reasoning_content: 'Hm.',
      tool_calls: [{ id: 'call_PTLP8xhu3uwZk4l3', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_PTLP8xhu3uwZk4l3', content: 'hi' },
  ],
  temperature: 0.7,
  top_p: 0.9,
  top_k: 20,
  min_p: 0.1,
  top_a: 0.1,
  typical_p: 0.9,
  frequency_penalty: 0.1,
  presence_penalty: 0.1,
  repetition_penalty: 1.1,
  stop: ['END'],
  stop_token_ids: [7],
  include_stop_str_in_output: true,
  skip_special_tokens: false,
  spaces_between_special_tokens: false,
  seed: 7,
  logprobs: true,
  top_logprobs: 2,
  logit_bias: { 7: 1 },
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
  parallel_tool_calls: false,
  chat_template_kwargs: { enable_thinking: true },
  reasoning_effort: 'low',
  verbosity: 'low',
  user: 'ada',
  safety_identifier: 'ada',
  prompt_cache_key: 'k',
  store: false,
}

const RESPONSES = {
  input: [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'Say hi' },
    { type: 'function_call', call_id: 'call_PTLP8xhu3uwZk4l3', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_PTLP8xhu3uwZk4l3', output: 'hi' },
  ],
  temperature: 0.7,
  top_p: 0.9,
  top_logprobs: 2,
  parallel_tool_calls: false,
  tools: [{ type: 'function', name: 'f', parameters: { type: 'object' }, strict: false }],
  reasoning: { effort: 'low' },
  text: { verbosity: 'low' },
  safety_identifier: 'ada',
  prompt_cache_key: 'k',
}

const MESSAGES = {
  system: 'Be brief.',
  messages: [
    { role: 'user', content: 'Say hi' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_01A09q90qw90lq917835lq9', name: 'f', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_01A09q90qw90lq917835lq9', content: 'hi' }],
    },
  ],
  tools: [{ name: 'f', input_schema: { type: 'object' } }],
  temperature: 0.7,
  top_p: 0.9,
  top_k: 20,
  stop_sequences: ['END'],
}

const DIALECTS = [
  { dialect: 'chat', path: 'chat/completions', body: CHAT, caps: ['max_tokens', 'max_completion_tokens'] },
  { dialect: 'Responses', path: 'responses', body: RESPONSES, caps: ['max_output_tokens'] },
  { dialect: 'Messages', path: 'messages', body: MESSAGES, caps: ['max_tokens'] },
] as const

let backend: Backend
let gateway: TestGateway
let key: string

beforeAll(async () => {
  backend = await startBackend()
  const behaviours = new Map(ROWS.map(({ name, model, own }) => [own, personalityOf(name, model)]))
  backend.always(exchange => {
    const [, own = ''] = exchange.seen.path.split('/')
    return behaviours.get(own)?.(exchange)
  })
  gateway = await startTestGateway({
    onprem: [backend],
    yaml: 'include: [rows.yaml]',
    files: { 'rows.yaml': rowsYaml(backend.port) },
  })
  key = await gateway.key('rows')
})

afterAll(async () => {
  await gateway.close()
  await backend.close()
})

const rowsYaml = (port: number): string => `
plans:
  rows: { models: all, rpm: 10k, tpm: 100M, monthly_usd: 1000 }
models:
${ROWS.map(({ own }) => `  ${own}: { kind: chat, tier: guest, serve: [${own}], context: 64k, usd_per_1m: { input: 1, output: 1 } }`).join('\n')}
pools:
${ROWS.map(({ name, model, own }) => `  ${own}: { site: x, provider: ${name}, model: "${model}", replicas: ["http://127.0.0.1:${port}/${own}/v1"] }`).join('\n')}
`

const ask = (path: string, body: object): Promise<Response> =>
  fetch(`${gateway.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

it('the chat of this test has every field that a profile may drop', () => {
  expect([...DROPPABLE].filter(field => !Object.hasOwn(CHAT, field))).toEqual([])
})

describe.each(ROWS)('a backend that refuses what $name refuses of $model', ({ name, model, own }) => {
  it.each(DIALECTS)('takes a request in $dialect, whole and streamed, however its cap is called', async dialect => {
    const { path, body, caps } = dialect
    for (const stream of [false, true])
      for (const cap of caps) {
        const response = await ask(path, { ...body, model: own, [cap]: 100, stream })
        const text = await response.text()
        expect({ status: response.status, text }).toMatchObject({ status: 200 })
        if (stream) expect(text).not.toMatch(/^(event: (error|response\.failed)|data: \{"error")/m)
      }
  })

  it('the answer names each field that was left out', async () => {
    const { drops = [] } = factsFor(PROFILES[name], model)
    const all = [...DROPPABLE]
    // All of them are more than a header holds.
    for (const fields of [all.slice(0, 13), all.slice(13)]) {
      const said = Object.fromEntries(Object.entries(CHAT).filter(([field]) => fields.includes(field)))
      const response = await ask('chat/completions', {
        ...said,
        messages: CHAT.messages,
        tools: CHAT.tools,
        model: own,
      })
      await response.text()

      const named = response.headers.get('x-svc-ignored-fields')?.split(', ') ?? []
      expect([...named].sort()).toEqual(drops.filter(field => fields.includes(field)).sort())
    }
  })
})

it('the client of a backend without finish reasons gets one', async () => {
  const row = ROWS.find(({ name }) => name === 'ollama')
  const response = await ask('chat/completions', { messages: CHAT.messages, model: row?.own, stream: true })

  const text = await response.text()

  expect(text).toMatch(/"finish_reason":"stop"[\s\S]*data: \[DONE\]\n\n$/)
})
