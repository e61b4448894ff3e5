import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { sealReasoning } from '../../../src/wire/reasoning/sealed-reasoning.ts'
import { responsesDialect } from '../../../src/wire/responses/backend.ts'
import { joinedStream, joinedWhole } from '../../support/joined-chat.ts'

/** The body that a backend is sent. */
const sent = (chat: object): JsonObject =>
  JSON.parse(
    String(responsesDialect.body('chat', Buffer.from(JSON.stringify({ model: 'm', max_tokens: 100, ...chat })))),
  )
const items = (...messages: object[]): unknown => sent({ messages }).input

const HI = [{ role: 'user', content: 'hi' }]
const SAID_HI = { type: 'message', role: 'user', content: 'hi' }
const call = (id: string, name: string, args: string) => ({ id, type: 'function', function: { name, arguments: args } })
const PIXEL = 'data:image/png;base64,iVBORw0KGgo='
const DETAILS = [
  { type: 'reasoning.summary', summary: 'Hm.', id: 'rs_1', format: 'openai-responses-v1' },
  { type: 'reasoning.encrypted', data: 'gAAAA', id: 'rs_1', format: 'openai-responses-v1' },
]

describe('a request', () => {
  it('has nothing stored, and no field that the backend does not know', () => {
    expect(
      sent({ messages: HI, stop: ['END'], seed: 1, top_k: 3, frequency_penalty: 1, n: 1, stream_options: {} }),
    ).toEqual({ model: 'm', max_output_tokens: 100, input: [SAID_HI], store: false, stream: false })
  })

  it('has the fields of the same meaning', () => {
    const same = { temperature: 0.2, top_p: 0.9, user: 'u', safety_identifier: 's', prompt_cache_key: 'k' }
    expect(sent({ messages: HI, ...same, stream: true, verbosity: 'low', reasoning_effort: 'low' })).toEqual({
      model: 'm',
      max_output_tokens: 100,
      input: [SAID_HI],
      ...same,
      text: { verbosity: 'low' },
      reasoning: { effort: 'low' },
      include: ['reasoning.encrypted_content'],
      store: false,
      stream: true,
    })
  })

  it('of a chat that wants no thinking asks for none', () => {
    for (const name of ['enable_thinking', 'thinking'])
      expect(sent({ messages: HI, chat_template_kwargs: { [name]: false } }).reasoning).toEqual({ effort: 'none' })
  })

  it('without messages stays without: it is meant to be refused', () => {
    expect(JSON.parse(String(responsesDialect.body('chat', Buffer.from('{"model":"m"}'))))).toEqual({
      model: 'm',
      store: false,
      stream: false,
    })
  })

  it('has messages, calls and results as items', () => {
    expect(
      items(
        { role: 'system', content: 'Be short.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi' },
            { type: 'image_url', image_url: { url: PIXEL } },
          ],
        },
        {
          role: 'assistant',
          content: 'Looking.',
          tool_calls: [call('call_a', 'look', '{"at":1}'), call('call_b', 'look', '')],
        },
        { role: 'tool', tool_call_id: 'call_a', content: [{ type: 'text', text: 'a' }] },
        {
          role: 'tool',
          tool_call_id: 'call_b',
          content: [{ type: 'image_url', image_url: { url: PIXEL, detail: 'low' } }],
        },
        { role: 'developer', content: 'Mind the time.' },
      ),
    ).toEqual([
      { type: 'message', role: 'system', content: 'Be short.' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'hi' },
          { type: 'input_image', image_url: PIXEL, detail: 'auto' },
        ],
      },
      { type: 'message', role: 'assistant', content: 'Looking.' },
      { type: 'function_call', call_id: 'call_a', name: 'look', arguments: '{"at":1}' },
      { type: 'function_call', call_id: 'call_b', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_a', output: 'a' },
      {
        type: 'function_call_output',
        call_id: 'call_b',
        output: [{ type: 'input_image', image_url: PIXEL, detail: 'low' }],
      },
      { type: 'message', role: 'developer', content: 'Mind the time.' },
    ])
  })

  it('renames a call whose id is too long there, alike in its result', () => {
    const id = 'c'.repeat(65)
    const [, called, given] = sent({
      messages: [
        ...HI,
        { role: 'assistant', content: null, tool_calls: [call(id, 'look', '{}')] },
        { role: 'tool', tool_call_id: id, content: 'x' },
      ],
    }).input as { call_id: string }[]
    expect(called?.call_id.length).toBeLessThanOrEqual(64)
    expect(given?.call_id).toBe(called?.call_id)
  })

  it('sends sealed reasoning back that a backend of this API gave, and no other', () => {
    const said = (message: object) => items(...HI, { role: 'assistant', content: 'ok', ...message })
    const ok = { type: 'message', role: 'assistant', content: 'ok' }
    expect(said({ reasoning_content: 'Hm.', reasoning_details: DETAILS })).toEqual([
      SAID_HI,
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        encrypted_content: 'gAAAA',
      },
      ok,
    ])
    const others = [{ type: 'reasoning.text', text: 'Hm.', signature: 'EqQB', format: 'anthropic-claude-v1' }]
    expect(said({ reasoning_content: 'Hm.', reasoning_details: others })).toEqual([SAID_HI, ok])
  })

  it.each([
    ['gpt-5.2', {}, true],
    ['o4-mini', {}, true],
    ['openai/gpt-oss-120b', {}, true],
    ['gpt-5-chat-latest', {}, false],
    ['gpt-4.1', {}, false],
    ['Qwen/Qwen3-8B', { reasoning_effort: 'high' }, true],
    ['gpt-5.2', { reasoning_effort: 'none' }, false],
    ['m', { messages: [...HI, { role: 'assistant', content: 'ok', reasoning_details: DETAILS }] }, true],
  ])('asks %s for its sealed reasoning with %j: %s', (model, chat, isAsked) => {
    const { include = [] } = sent({ model, messages: HI, ...chat })
    expect(include).toEqual(isAsked ? ['reasoning.encrypted_content'] : [])
  })

  it('asks for log probabilities', () => {
    expect(sent({ messages: HI, logprobs: true, top_logprobs: 2 })).toMatchObject({
      include: ['message.output_text.logprobs'],
      top_logprobs: 2,
    })
  })

  it('has a schema of the answer with its name, which it must have there', () => {
    const schema = { type: 'object' }
    const format = (response_format: object) => (sent({ messages: HI, response_format }).text as JsonObject).format
    expect(format({ type: 'json_schema', json_schema: { name: 'a', schema, strict: true } })).toEqual({
      type: 'json_schema',
      name: 'a',
      schema,
      strict: true,
    })
    expect(format({ type: 'json_schema', schema })).toEqual({ type: 'json_schema', name: 'output', schema })
    expect(format({ type: 'json_object' })).toEqual({ type: 'json_object' })
  })
})

describe('tools', () => {
  const parameters = { type: 'object', properties: {} }
  const tools = [
    { type: 'function', function: { name: 'look', description: 'Looks.', parameters, strict: true } },
    { type: 'function', function: { name: 'wait' } },
  ]
  const chosen = (chat: object) => {
    const { tools: sentTools, tool_choice, parallel_tool_calls } = sent({ messages: HI, tools, ...chat })
    return { tools: sentTools, tool_choice, parallel_tool_calls }
  }

  it('are strict only where the chat says so: absent it would be true', () => {
    expect(chosen({}).tools).toEqual([
      { type: 'function', name: 'look', description: 'Looks.', parameters, strict: true },
      { type: 'function', name: 'wait', parameters, strict: false },
    ])
  })

  it.each([
    ['required', 'required'],
    [
      { type: 'function', function: { name: 'look' } },
      { type: 'function', name: 'look' },
    ],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'look' } }] },
      },
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'look' }] },
    ],
  ])('are chosen as the chat says: %j', (tool_choice, expected) => {
    expect(chosen({ tool_choice, parallel_tool_calls: false })).toMatchObject({
      tool_choice: expected,
      parallel_tool_calls: false,
    })
  })

  it('are not chosen where there are none', () => {
    expect(chosen({ tools: [], tool_choice: 'auto', parallel_tool_calls: true })).toEqual({})
  })
})

const LOGPROBS = [{ token: 'Loo', logprob: -0.1, bytes: [76], top_logprobs: [] }]
const REASONING = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [
    { type: 'summary_text', text: 'Hm.' },
    { type: 'summary_text', text: 'Oh.' },
  ],
  encrypted_content: 'gAAAA',
}
const said = (id: string, text: string, logprobs: object[] = []) => ({
  id,
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs }],
})
const CALLS = [
  { id: 'fc_1', type: 'function_call', status: 'completed', call_id: 'call_1', name: 'look', arguments: '{"at":"ü"}' },
  { id: 'fc_2', type: 'function_call', status: 'completed', call_id: 'call_2', name: 'wait', arguments: '{}' },
  { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_3', name: 'apply', input: 'a\n"b"' },
]
const USAGE = {
  input_tokens: 1110,
  input_tokens_details: { cached_tokens: 1000, cache_write_tokens: 100 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 1130,
}
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_700_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: 'gpt-5.2',
  output: [REASONING, said('msg_1', 'Looking.', LOGPROBS), said('msg_2', 'Well.'), ...CALLS],
  usage: USAGE,
}
const COMPLETION = {
  content: 'Looking.\n\nWell.',
  reasoning: 'Hm.\n\nOh.',
  refusal: '',
  calls: [
    { id: 'call_1', name: 'look', arguments: '{"at":"ü"}' },
    { id: 'call_2', name: 'wait', arguments: '{}' },
    { id: 'call_3', name: 'apply', arguments: '{"input":"a\\n\\"b\\""}' },
  ],
  details: [
    { type: 'reasoning.summary', summary: 'Hm.', id: 'rs_1', format: 'openai-responses-v1' },
    { type: 'reasoning.summary', summary: 'Oh.', id: 'rs_1', format: 'openai-responses-v1' },
    { type: 'reasoning.encrypted', data: 'gAAAA', id: 'rs_1', format: 'openai-responses-v1' },
  ],
  finish: 'tool_calls',
  usage: {
    prompt_tokens: 1110,
    completion_tokens: 20,
    total_tokens: 1130,
    prompt_tokens_details: { cached_tokens: 1000, cache_write_tokens: 100 },
    completion_tokens_details: { reasoning_tokens: 5 },
  },
  done: true,
}

describe('a whole answer', () => {
  const read = (response: object) => responsesDialect.answer('chat', Buffer.from(JSON.stringify(response)))

  it('is a completion with all that was said', () => {
    expect(joinedWhole(read(RESPONSE))).toEqual(COMPLETION)
    expect(JSON.parse(String(read(RESPONSE)))).toMatchObject({
      id: 'resp_1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'gpt-5.2',
      choices: [{ logprobs: { content: LOGPROBS } }],
    })
  })

  it('finishes by what cut it short', () => {
    const cut = (reason: string) => read({ ...RESPONSE, status: 'incomplete', incomplete_details: { reason } })
    expect(joinedWhole(cut('max_output_tokens')).finish).toBe('length')
    expect(joinedWhole(cut('content_filter')).finish).toBe('content_filter')
    expect(joinedWhole(read({ ...RESPONSE, output: [said('msg_1', 'hi')] })).finish).toBe('stop')
  })

  it('has a refusal as one', () => {
    const content = [{ type: 'refusal', refusal: 'No.' }]
    expect(joinedWhole(read({ ...RESPONSE, output: [{ type: 'message', content }] }))).toMatchObject({
      content: '',
      refusal: 'No.',
    })
  })

  it('has the thoughts themselves where they are told, and nothing of them that this gateway sealed', () => {
    const content = [{ type: 'reasoning_text', text: 'I wonder.' }]
    const joined = joinedWhole(
      read({ ...RESPONSE, output: [{ ...REASONING, content, encrypted_content: sealReasoning('x') }] }),
    )
    expect(joined.reasoning).toBe('I wonder.')
    expect(joined).not.toHaveProperty('details')
  })

  it.each([
    [{ ...RESPONSE, status: 'failed', error: { code: 'server_error', message: 'x' } }],
    [{ ...RESPONSE, status: 'in_progress' }],
    [{ choices: [] }],
    [[]],
  ])('is none in %j', body => {
    expect(read(body)).toBeUndefined()
  })
})

describe('a stream', () => {
  const events = (...list: object[]): Buffer =>
    Buffer.from(
      list
        .map((each, sequence_number) => `data: ${JSON.stringify({ ...each, sequence_number })}\n\n`)
        .map((data, index) => `event: ${(list[index] as { type: string }).type}\n${data}`)
        .join(''),
    )
  const created = {
    type: 'response.created',
    response: { ...RESPONSE, status: 'in_progress', output: [], usage: null },
  }
  const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item })
  const done = (output_index: number, item: object) => ({ type: 'response.output_item.done', output_index, item })
  const delta = (kind: string, output_index: number, text: string, more: object = {}) => ({
    type: `response.${kind}.delta`,
    output_index,
    delta: text,
    ...more,
  })
  const completed = { type: 'response.completed', response: RESPONSE }
  const [lookCall, waitCall, applyCall] = CALLS
  const begun = (item: object | undefined) => ({ ...item, status: 'in_progress', arguments: '' })
  const WHOLE = events(
    created,
    { type: 'response.in_progress', response: created.response },
    added(0, { ...REASONING, summary: [] }),
    delta('reasoning_summary_text', 0, 'H', { summary_index: 0 }),
    delta('reasoning_summary_text', 0, 'm.', { summary_index: 0 }),
    delta('reasoning_summary_text', 0, 'Oh.', { summary_index: 1 }),
    done(0, REASONING),
    added(1, { ...said('msg_1', ''), content: [] }),
    delta('output_text', 1, 'Looking.', { content_index: 0, logprobs: LOGPROBS }),
    { type: 'response.output_text.done', output_index: 1, text: 'Looking.' },
    done(1, said('msg_1', 'Looking.')),
    added(2, { ...said('msg_2', ''), content: [] }),
    delta('output_text', 2, 'Well', { content_index: 0 }),
    delta('output_text', 2, '.', { content_index: 0 }),
    done(2, said('msg_2', 'Well.')),
    added(3, begun(lookCall)),
    added(4, begun(waitCall)),
    delta('function_call_arguments', 3, '{"at":'),
    delta('function_call_arguments', 4, '{}'),
    delta('function_call_arguments', 3, '"ü"}'),
    done(3, lookCall ?? {}),
    done(4, waitCall ?? {}),
    added(5, { ...applyCall, input: '' }),
    delta('custom_tool_call_input', 5, 'a\n"b"'),
    done(5, applyCall ?? {}),
    completed,
  )
  const read = (...pieces: Buffer[]) => {
    const translator = responsesDialect.translator?.()
    if (!translator) throw new Error('no translator')
    return Buffer.concat([...pieces.map(piece => translator.push(piece)), translator.end()])
  }

  it('is the answer, wherever it was cut', () => {
    for (let at = 0; at <= WHOLE.length; at++)
      expect(joinedStream(read(WHOLE.subarray(0, at), WHOLE.subarray(at)))).toEqual(COMPLETION)
  })

  it('is the answer where items come whole, and where all of it comes with its end', () => {
    const whole = events(created, ...RESPONSE.output.map((item, index) => done(index, item)), completed)
    expect(joinedStream(read(whole))).toEqual(COMPLETION)
    expect(joinedStream(read(events(created, completed)))).toEqual(COMPLETION)
  })

  it('that broke off has no finish and no usage', () => {
    const cut = joinedStream(read(WHOLE.subarray(0, WHOLE.indexOf('event: response.completed'))))
    expect(cut).not.toHaveProperty('usage')
    expect(cut).not.toHaveProperty('finish')
    expect(cut.content).toBe('Looking.\n\nWell.')
  })

  it.each([
    [
      { type: 'response.failed', response: { ...RESPONSE, error: { code: 'rate_limit_exceeded', message: 'x' } } },
      { code: 'rate_limit_exceeded', message: 'x' },
    ],
    [
      { type: 'error', code: 'server_error', message: 'x', param: null },
      { code: 'server_error', message: 'x', param: null },
    ],
    [
      { type: 'error', error: { type: 'server_error', message: 'x' } },
      { type: 'server_error', message: 'x' },
    ],
  ])('tells of an error as chat backends do: %j', (event, error) => {
    expect(joinedStream(read(events(created, event, completed)))).toMatchObject({ error, done: false })
  })

  it('has nothing after its last event', () => {
    expect(joinedStream(read(WHOLE, Buffer.from('data: [DONE]\n\n')))).toEqual(COMPLETION)
  })

  it('with an event that is no JSON has one that is none', () => {
    expect(String(read(Buffer.from('data: oops\n\n')))).toBe('data: oops\n\n')
  })

  it('has each chunk with the id, the time and the model of the answer', () => {
    const [first] = String(read(events(created))).split('\n\n')
    expect(JSON.parse(String(first).slice('data: '.length))).toMatchObject({
      id: 'resp_1',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'gpt-5.2',
    })
  })
})

it('is asked below the base URL like chats', () => {
  expect(responsesDialect.path({ kind: 'chat', model: 'm', stream: false })).toBe('/responses')
  expect(responsesDialect.path({ kind: 'embedding', model: 'm', stream: false })).toBe('/embeddings')
})
