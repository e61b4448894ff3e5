import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { denialOf, read } from './support.ts'

const user = (content: unknown) => ({ role: 'user', content })
const messages = (...input: JsonObject[]) => read({ input }).chat.messages as readonly JsonObject[]
const call = (id: string, name = 'read', more: JsonObject = {}) => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: '{}',
  ...more,
})
const result = (id: string, output: unknown = 'ok') => ({ type: 'function_call_output', call_id: id, output })
const sent = (id: string, name = 'read', args = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})

describe('fields of a request', () => {
  it('sends those that a chat has too', () => {
    const fields = {
      temperature: 0.5,
      top_p: 0.9,
      presence_penalty: 1,
      frequency_penalty: -1,
      user: 'u',
      safety_identifier: 's',
      prompt_cache_key: 'k',
    }

    expect(read({ model: 'svc-core', input: 'x', ...fields }).chat).toMatchObject({ model: 'svc-core', ...fields })
  })

  it('ignores fields that nothing maps, so that next month’s clients are served', () => {
    const body = {
      input: 'x',
      client_metadata: { a: 1 },
      moderation: 'auto',
      max_tool_calls: 3,
      truncation: 'auto',
      stream_options: { include_obfuscation: false },
      prompt_cache_retention: '24h',
      invented: [[]],
    }

    expect(read(body).chat).toEqual({ messages: [user('x')] })
  })

  it('asks for logprobs where the answer is to have them', () => {
    expect(read({ input: 'x', include: ['message.output_text.logprobs'] }).chat).toMatchObject({ logprobs: true })
    expect(read({ input: 'x', top_logprobs: 2 }).chat).toMatchObject({ logprobs: true, top_logprobs: 2 })
    expect(read({ input: 'x', top_logprobs: 0, include: ['file_search_call.results'] }).chat).not.toHaveProperty(
      'logprobs',
    )
  })

  it('says an effort by the switch of models that have one, and by its word otherwise', () => {
    const chat = (effort: string, thinks: boolean) =>
      read({ model: 'm', input: 'x', reasoning: { effort } }, { thinks: () => thinks }).chat

    expect(chat('none', false)).toMatchObject({ reasoning_effort: 'none' })
    expect(chat('none', true)).toEqual({
      model: 'm',
      messages: [user('x')],
      chat_template_kwargs: { enable_thinking: false },
    })
    expect(chat('low', true)).toMatchObject({ chat_template_kwargs: { enable_thinking: true } })
  })

  it.each<[string, JsonObject, string, string]>([
    ['no input', {}, 'input', 'missing_required_parameter'],
    ['an input that is a number', { input: 7 }, 'input', 'invalid_type'],
    ['an input without items', { input: [] }, 'input', 'invalid_value'],
    ['an item that is a text', { input: ['x'] }, 'input[0]', 'invalid_type'],
    ['an item of nothing', { input: [{}] }, 'input[0].type', 'missing_required_parameter'],
    ['a message without content', { input: [{ role: 'user' }] }, 'input[0].content', 'missing_required_parameter'],
    ['an unknown role', { input: [{ role: 'critic', content: 'x' }] }, 'input[0].role', 'invalid_value'],
    [
      'a part without text',
      { input: [user([{ type: 'input_text' }])] },
      'input[0].content[0].text',
      'missing_required_parameter',
    ],
    [
      'a call without an id',
      { input: [{ type: 'function_call', name: 'f' }] },
      'input[0].call_id',
      'missing_required_parameter',
    ],
    ['a cap of zero', { input: 'x', max_output_tokens: 0 }, 'max_output_tokens', 'invalid_value'],
    ['a temperature in words', { input: 'x', temperature: 'hot' }, 'temperature', 'invalid_type'],
    ['a dearer tier', { input: 'x', service_tier: 'priority' }, 'service_tier', 'unsupported_value'],
    [
      'a format that nobody knows',
      { input: 'x', text: { format: { type: 'xml' } } },
      'text.format.type',
      'unsupported_value',
    ],
    [
      'a format without its schema',
      { input: 'x', text: { format: { type: 'json_schema', name: 'a' } } },
      'text.format.schema',
      'missing_required_parameter',
    ],
    [
      'a tool without a name',
      { input: 'x', tools: [{ type: 'function', function: { name: 'f' } }] },
      'tools[0].name',
      'missing_required_parameter',
    ],
    [
      'a namespace in a namespace',
      { input: 'x', tools: [{ type: 'namespace', name: 'a', tools: [{ type: 'namespace', name: 'b' }] }] },
      'tools[0].tools[0].type',
      'invalid_value',
    ],
    [
      'a choice of a tool that is not there',
      { input: 'x', tool_choice: { type: 'function', name: 'f' } },
      'tool_choice',
      'invalid_value',
    ],
    ['a choice that nobody knows', { input: 'x', tool_choice: 'any' }, 'tool_choice', 'invalid_value'],
  ])('refuses %s, and names the field', (_name, body, field, reason) => {
    expect(denialOf(body)).toMatchObject({ code: 'VALIDATION_ERROR', field, reason })
  })

  it.each<[string, JsonObject, string]>([
    ['a file', { input: [user([{ type: 'input_file', file_url: 'https://a.b/c.pdf' }])] }, 'input[0].content[0].type'],
    [
      'an image elsewhere',
      { input: [user([{ type: 'input_image', image_url: 'https://a.b/c.png' }])] },
      'input[0].content[0].image_url',
    ],
    ['a compaction', { input: [{ type: 'compaction', encrypted_content: 'x' }] }, 'input[0].type'],
    ['a context that is managed', { input: 'x', context_management: [{ type: 'compaction' }] }, 'context_management'],
    ['a code interpreter', { input: 'x', tools: [{ type: 'code_interpreter' }] }, 'tools[0].type'],
    [
      'a web search that is forced',
      {
        input: 'x',
        tools: [{ type: 'function', name: 'f' }, { type: 'web_search' }],
        tool_choice: { type: 'web_search' },
      },
      'tool_choice.type',
    ],
    ['a web search alone', { input: 'x', tools: [{ type: 'web_search' }] }, 'tools[0].type'],
  ])('leaves %s to backends that speak Responses, and makes a chat without it', (_name, body, field) => {
    const { onlyNative, chat } = read(body)

    expect(onlyNative?.field).toBe(field)
    expect(chat.messages).toHaveLength(1)
  })
})

describe('items of the input', () => {
  it('makes one message of an answer: what was thought, said and called', () => {
    expect(
      messages(
        user('x'),
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        {
          type: 'message',
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'Loo' },
            { type: 'output_text', text: 'king.' },
          ],
        },
        call('a'),
        call('b'),
        { role: 'assistant', content: ' Wait.' },
      )[1],
    ).toEqual({
      role: 'assistant',
      content: 'Looking. Wait.',
      reasoning_content: 'Hm.',
      tool_calls: [sent('a'), sent('b')],
    })
  })

  it('puts results right behind the message that called, in whatever order they come', () => {
    expect(messages(user('x'), call('a'), call('b'), result('b'), user('and?'), result('a'))).toEqual([
      user('x'),
      { role: 'assistant', content: null, tool_calls: [sent('a'), sent('b')] },
      { role: 'tool', tool_call_id: 'b', content: 'ok' },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
      user('and?'),
    ])
  })

  it('begins an answer anew after a result', () => {
    expect(messages(call('a'), result('a'), call('b'), result('b'))).toEqual([
      { role: 'assistant', content: null, tool_calls: [sent('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
      { role: 'assistant', content: null, tool_calls: [sent('b')] },
      { role: 'tool', tool_call_id: 'b', content: 'ok' },
    ])
  })

  it('takes a result for that of the last call of its id', () => {
    const twice = messages(call('a', 'one'), result('a', '1'), call('a', 'two'), result('a', '2'))

    expect(twice).toMatchObject([
      {},
      { content: '1' },
      { tool_calls: [{ function: { name: 'two' } }] },
      { content: '2' },
    ])
  })

  it('sends back only what was thought since the user spoke last', () => {
    const thought = (text: string) => ({ type: 'reasoning', content: [{ type: 'reasoning_text', text }] })

    expect(
      messages(thought('old'), { role: 'assistant', content: 'a' }, user('x'), thought('new'), call('a'), result('a')),
    ).toMatchObject([{ content: 'a' }, { content: 'x' }, { reasoning_content: 'new' }, {}])
    expect(messages(thought('old'), { role: 'assistant', content: 'a' }, user('x'))[0]).not.toHaveProperty(
      'reasoning_content',
    )
  })

  it('reads nothing of what another service has sealed, and keeps it for that', () => {
    const sealed = { type: 'reasoning', summary: [], encrypted_content: 'gAAAAABo' }

    expect(messages(user('x'), sealed, call('a'))).toEqual([
      user('x'),
      {
        ...{ role: 'assistant', content: null, tool_calls: [sent('a')] },
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'gAAAAABo', format: 'openai-responses-v1' }],
      },
    ])
  })

  it('keeps instructions and the first messages of the system together, and later ones in their place', () => {
    const { chat } = read({
      instructions: 'One.',
      input: [{ role: 'developer', content: 'Two.' }, user('x'), { role: 'system', content: 'Three.' }],
    })

    expect(chat.messages).toEqual([
      { role: 'system', content: 'One.\n\nTwo.' },
      user('x'),
      user('<system-reminder>\nThree.\n</system-reminder>'),
    ])
  })

  it('sends images of the user, with a detail that backends know', () => {
    const image = (detail: string) => ({ type: 'input_image', image_url: 'data:image/png;base64,aGk=', detail })

    expect(messages(user([{ type: 'input_text', text: 'see' }, image('low'), image('original')]))).toEqual([
      user([
        { type: 'text', text: 'see' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=', detail: 'low' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      ]),
    ])
  })

  it('takes an item with an id alone for a reference', () => {
    expect(denialOf({ input: [{ id: 'msg_1' }] })).toMatchObject({ code: 'NOT_FOUND', reason: 'item_not_found' })
  })

  it.each([
    { type: 'cadence', mode: 'slow.v2', level: 3, hints: ['a', 'b'], nested: { on: true, id: 'x1' } },
    { type: 'marker', id: 'a long id, with blanks', content: '', tools: [], output: null },
  ])('leaves out an item of a type to come that has no text, tools or results, and names it: $type', item => {
    const { chat, ignoredFields, onlyNative } = read({ input: [user('x'), item] })

    expect(chat.messages).toEqual([user('x')])
    expect(ignoredFields).toEqual([`input.${item.type}`])
    expect(onlyNative).toBeUndefined()
  })

  it.each([
    { type: 'memory', note: 'The user likes tea.' },
    { type: 'memory', content: 'tea' },
    { type: 'memory', content: [{ type: 'text', text: 'tea' }] },
    { type: 'memory', sealed: 'x'.repeat(65) },
    { type: 'shell_result', deep: { result: 'ok' } },
    { type: 'more_tools', tools: [{ type: 'function', name: 'f' }] },
  ])('leaves an item of a type to come to backends that speak Responses where it has any: %j', item => {
    expect(read({ input: [user('x'), item] }).onlyNative?.field).toBe('input[1].type')
  })

  it('leaves out what services did between', () => {
    expect(messages(user('x'), { type: 'web_search_call', id: 'ws_1', status: 'completed' })).toEqual([user('x')])
  })
})
