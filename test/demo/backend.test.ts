import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { DemoBackendOptions } from '../../demo/src/call.ts'
import { type Listening, listen as listening } from './support.ts'

let backend: Listening
let url: string
beforeEach(() => listen({}))
afterEach(() => backend.close())

test.each<[string, object]>([
  ['text', {}],
  ['several choices', { n: 3 }],
  ['a cut answer', { max_tokens: 7 }],
  ['thinking', { model: 'Qwen/Qwen3-235B-A22B' }],
  ['calls', { tools: [tool('lookup_sea'), tool('lookup_ship')], tool_choice: 'required' }],
])('a stream of %s says what the whole answer says', async (_, options) => {
  const body = { messages: [{ role: 'user', content: 'the sea and the ship' }], ...options }

  const whole: { choices: Whole[]; usage: Usage } = JSON.parse(await (await post(body)).text())
  const chunks = await streamed({ ...body, stream_options: { include_usage: true } })

  expect(joined(chunks)).toEqual(
    whole.choices.map(({ message, finish_reason }: Whole) => ({
      role: message.role,
      content: message.content ?? '',
      reasoning: message.reasoning_content ?? '',
      calls: message.tool_calls ?? [],
      finish_reason,
    })),
  )
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
  const { prompt_tokens, completion_tokens, total_tokens } = whole.usage
  expect(total_tokens).toBe(prompt_tokens + completion_tokens)
})

test.each([
  ['a prompt', { messages: [{ role: 'user', content: 'word '.repeat(33_000) }] }],
  ['a cap', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 32_000 }],
])('%s beyond the context is refused, as real backends do: holds count on it', async (_, body) => {
  const response = await post(body)

  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: { code: 'context_length_exceeded' } })
})

test('answers carry what the specification lists', async () => {
  expect(await (await post({ messages: [{ role: 'user', content: 'What is 2+2?' }] })).json()).toEqual({
    id: expect.stringMatching(/^chatcmpl-/),
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'Qwen/Qwen3-8B',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: expect.stringContaining('2+2 = 4.') },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: expect.any(Number), total_tokens: expect.any(Number) },
  })
})

test('a stream begins with the role, ends with [DONE], and has usage only if asked', async () => {
  const response = await post({ messages: [{ role: 'user', content: 'hi' }], stream: true })
  const text = await response.text()

  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(text).toMatch(/^data: [^\n]*"delta":\{"role":"assistant","content":""\}/)
  expect(text).toMatch(/"delta":\{\},"logprobs":null,"finish_reason":"stop"\}\]\}\n\ndata: \[DONE\]\n\n$/)
  expect(text).not.toContain('usage')
})

test.each<[string, string, number, string]>([
  ['bad JSON', '{', 400, 'invalid_json'],
  ['no messages', '{"model":"Qwen/Qwen3-8B"}', 400, 'invalid_value'],
  ['a foreign model', '{"model":"gpt","messages":[{"role":"user","content":"hi"}]}', 404, 'model_not_found'],
])('%s is refused in the form of OpenAI', async (_, body, status, code) => {
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', body })

  expect(response.status).toBe(status)
  expect(await response.json()).toEqual({
    error: { message: expect.any(String), type: 'invalid_request_error', param: expect.toSatisfy(isParam), code },
  })
})

test('with a key, all but health asks for it', async () => {
  await backend.close()
  await listen({ key: 's3cret' })

  expect((await fetch(url.replace('/v1', '/health'))).status).toBe(200)
  expect((await fetch(`${url}/models`)).status).toBe(401)
  expect((await fetch(`${url}/models`, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401)
  expect((await fetch(`${url}/models`, { headers: { authorization: 'Bearer s3cret' } })).status).toBe(200)
})

test('the models are listed and unknown routes are not found', async () => {
  expect(await (await fetch(`${url}/models`)).json()).toMatchObject({
    object: 'list',
    data: [{ id: 'Qwen/Qwen3-8B', object: 'model' }, { id: 'Qwen/Qwen3-235B-A22B' }],
  })
  expect((await fetch(`${url}/completions`, { method: 'POST' })).status).toBe(404)
})

test('a stream stops when its client goes', async () => {
  const question = [{ role: 'user', content: 'Count to 500' }]
  const { promise: watched, resolve } = withResolvers<ServerResponse>()
  backend.server.once('request', (_, response) => resolve(response))
  const leave = new AbortController()
  const response = await post({ messages: question, stream: true }, { signal: leave.signal })
  await response.body?.getReader().read()
  const left = await watched
  const writes = vi.spyOn(left, 'write')

  const closed = once(left, 'close')
  leave.abort()
  await closed
  const written = writes.mock.calls.length
  // As long as the stream that was left would have taken.
  await streamed({ messages: question })

  expect(left.writableFinished).toBe(false)
  expect(writes.mock.calls.length).toBe(written)
})

interface Whole {
  readonly message: Delta
  readonly finish_reason: string
}
interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}
interface Delta {
  readonly role?: string
  readonly content?: string | null
  readonly reasoning_content?: string
  readonly tool_calls?: readonly { index?: number; id?: string; function: { name?: string; arguments: string } }[]
}
interface Chunk {
  readonly choices: readonly { index: number; delta: Delta; finish_reason: string | null }[]
  readonly usage?: object
}
type Joined = { role: string; content: string; reasoning: string; calls: Call[]; finish_reason: string | null }
type Call = { id: string; type: 'function'; function: { name: string; arguments: string } }

/** An SDK's result for the chunks. */
function joined(chunks: readonly Chunk[]): Joined[] {
  const answers: Joined[] = []
  for (const { index, delta, finish_reason } of chunks.flatMap(chunk => chunk.choices)) {
    answers[index] ??= { role: delta.role ?? '', content: '', reasoning: '', calls: [], finish_reason: null }
    const answer = answers[index]
    answer.content += delta.content ?? ''
    answer.reasoning += delta.reasoning_content ?? ''
    answer.finish_reason = finish_reason
    for (const { index: at = 0, id = '', function: fn } of delta.tool_calls ?? []) {
      answer.calls[at] ??= { id, type: 'function', function: { name: fn.name ?? '', arguments: '' } }
      answer.calls[at].function.arguments += fn.arguments
    }
  }
  return answers
}

async function streamed(body: object): Promise<Chunk[]> {
  const text = await (await post({ ...body, stream: true })).text()
  const events = text.trimEnd().split('\n\n')
  expect(events.pop()).toBe('data: [DONE]')
  return events.map(event => JSON.parse(event.slice('data: '.length)))
}

function post(body: object, init: RequestInit = {}): Promise<Response> {
  return fetch(`${url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'Qwen/Qwen3-8B', ...body }),
    ...init,
  })
}

function tool(name: string): object {
  const parameters = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] }
  return { type: 'function', function: { name, description: '', parameters } }
}

function isParam(value: unknown): boolean {
  return value === null || typeof value === 'string'
}

async function listen(options: Partial<DemoBackendOptions>): Promise<void> {
  backend = await listening({ models: ['Qwen/Qwen3-8B', 'Qwen/Qwen3-235B-A22B'], ...options })
  url = backend.url
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>(done => {
    resolve = done
  })
  return { promise, resolve }
}
