import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, stream, USAGE } from '../../support/backend.ts'
import { Dialects } from './fixture.ts'

let site: Dialects

beforeEach(async () => {
  site = await Dialects.start()
})

afterEach(() => site.close())

const read = { type: 'function', name: 'read', parameters: { type: 'object', properties: {} } }
const body = {
  model: 'svc-core',
  instructions: 'Be brief.',
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'Read it' }] },
    { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'x'.repeat(5000) },
  ],
  tools: [read],
}
const ask = (more: object = {}) => site.ask('chat/completions', { ...body, ...more })

describe('a body of Responses at the path of chats, as Cursor sends it,', () => {
  it('goes to the backend as a chat, and is answered and charged as one', async () => {
    site.chats.next(answer({ content: 'hi there' }))
    const response = await ask({ max_output_tokens: 50 })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: 'hi there' } }],
    })
    expect(site.chats.requests[0]?.body).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'read' } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'x'.repeat(5000) },
      ],
      tools: [{ type: 'function', function: { name: 'read' } }],
      max_completion_tokens: 50,
    })
    expect(site.chats.requests[0]?.body).not.toHaveProperty('input')
    expect((await site.bill()).tokens).toEqual([USAGE.prompt_tokens, USAGE.completion_tokens])
  })

  it('is streamed in chunks of a chat, with the usage only where it is asked for', async () => {
    const heard: string[] = []
    for (const options of [{}, { stream_options: { include_usage: true } }]) {
      site.chats.next(stream({ chunks: ['hi', ' there'] }))
      heard.push(await (await ask({ stream: true, ...options })).text())
    }
    for (const text of heard) {
      expect(text).toContain('"object":"chat.completion.chunk"')
      expect(text).toContain('"content":" there"')
      expect(text).toMatch(/data: \[DONE\]\n\n$/)
    }
    expect(heard.map(text => text.includes('"usage":{'))).toEqual([false, true])
  })

  it('is a chat also where the pool speaks Responses', async () => {
    site.native.next(answer({ content: 'hi there' }))
    const response = await ask({ model: 'svc-both' })
    expect(await response.json()).toMatchObject({ object: 'chat.completion' })
  })

  it('names the tools and fields that its answer does without', async () => {
    site.chats.next(answer({ content: 'hi there' }))
    const { headers } = await ask({ tools: [read, { type: 'web_search' }], reasoning: { mode: 'deep' } })
    expect(headers.get('x-svc-ignored-tools')).toBe('web_search')
    expect(headers.get('x-svc-ignored-fields')).toBe('reasoning.mode')
  })

  it.each([
    ['what only Responses can say', { input: [{ type: 'compaction', encrypted_content: 'x' }] }, 'input[0].type'],
    [
      'a part that no chat has',
      { input: [{ role: 'user', content: [{ type: 'input_file' }] }] },
      'input[0].content[0]',
    ],
    ['a kept response', { previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['an empty input', { input: [], instructions: null }, 'input'],
  ])('is a 400 that names the field where it has %s', async (_name, more, field) => {
    const response = await ask(more)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(field)
    expect(site.chats.requests).toHaveLength(0)
  })
})

it.each([
  ['an input that is a text', { input: 'hi' }],
  ['neither messages nor input', {}],
])('a chat with %s is a 400 that names the messages', async (_name, more) => {
  const response = await site.ask('chat/completions', { model: 'svc-core', ...more })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('messages')
})
