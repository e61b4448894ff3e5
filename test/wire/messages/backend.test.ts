import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { messagesDialect } from '../../../src/wire/messages/backend.ts'
import { sealReasoning } from '../../../src/wire/reasoning/sealed-reasoning.ts'
import { joinedStream, joinedWhole } from '../../support/joined-chat.ts'

/** The body that a backend is sent. */
const sent = (chat: object): JsonObject =>
  JSON.parse(
    String(messagesDialect.body('chat', Buffer.from(JSON.stringify({ model: 'm', max_tokens: 100, ...chat })))),
  )
const turns = (...messages: object[]): unknown => sent({ messages }).messages

const HI = [{ role: 'user', content: 'hi' }]
const call = (id: string, name: string, args: string) => ({ id, type: 'function', function: { name, arguments: args } })
const PIXEL = 'iVBORw0KGgo='

describe('a request', () => {
  it('has its model, its cap and its messages, and no field that the backend does not know', () => {
    expect(
      sent({
        messages: HI,
        seed: 1,
        logprobs: true,
        frequency_penalty: 1,
        stream_options: { include_usage: true },
        prompt_cache_key: 'k',
        store: false,
      }),
    ).toEqual({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] })
  })

  it('takes the newer name of the cap too', () => {
    expect(sent({ max_tokens: undefined, max_completion_tokens: 7, messages: HI })).toMatchObject({ max_tokens: 7 })
  })

  it('has the fields that the files declare for the model', () => {
    expect(sent({ messages: HI, service_tier: 'standard_only' })).toMatchObject({ service_tier: 'standard_only' })
  })

  it('without messages stays without: it is meant to be refused', () => {
    expect(JSON.parse(String(messagesDialect.body('chat', Buffer.from('{"model":"m"}'))))).toEqual({
      model: 'm',
      max_tokens: 1,
    })
  })

  it('has its system messages in front as the system prompt, and a later one where it stands', () => {
    const chat = sent({
      messages: [
        { role: 'system', content: 'One.' },
        { role: 'developer', content: [{ type: 'text', text: 'Two.' }] },
        ...HI,
        { role: 'system', content: 'Three.' },
      ],
    })
    expect(chat.system).toBe('One.\n\nTwo.')
    expect(chat.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'text', text: '<system-reminder>\nThree.\n</system-reminder>' },
        ],
      },
    ])
  })

  it('of a system message alone asks by it, since a request without turns is refused', () => {
    expect(sent({ messages: [{ role: 'system', content: 'Say hi.' }] })).toEqual({
      model: 'm',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Say hi.' }],
    })
  })

  it('that begins with the assistant has a turn before it, since it would be refused', () => {
    expect(turns({ role: 'assistant', content: 'Hello!' }, ...HI)).toEqual([
      { role: 'user', content: '<system-reminder>\nThe assistant spoke first.\n</system-reminder>' },
      { role: 'assistant', content: 'Hello!' },
      ...HI,
    ])
  })

  it('has calls and their results as blocks, results in front of what the user says after them', () => {
    expect(
      turns(
        ...HI,
        {
          role: 'assistant',
          content: 'Looking.',
          tool_calls: [call('call_a', 'look', '{"at":1}'), call('call_b', 'look', '')],
        },
        { role: 'tool', tool_call_id: 'call_a', content: 'a' },
        {
          role: 'tool',
          tool_call_id: 'call_b',
          content: [
            { type: 'text', text: 'b' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
          ],
        },
        { role: 'user', content: 'And?' },
      ),
    ).toEqual([
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'call_a', name: 'look', input: { at: 1 } },
          { type: 'tool_use', id: 'call_b', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_a', content: 'a' },
          {
            type: 'tool_result',
            tool_use_id: 'call_b',
            content: [
              { type: 'text', text: 'b' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
            ],
          },
          { type: 'text', text: 'And?' },
        ],
      },
    ])
  })

  it('renames a call whose id is refused there, alike in its result', () => {
    const [, said, given] = sent({
      messages: [
        ...HI,
        { role: 'assistant', content: null, tool_calls: [call('functions.look:0', 'look', '{}')] },
        { role: 'tool', tool_call_id: 'functions.look:0', content: 'x' },
      ],
    }).messages as { content: { id?: string; tool_use_id?: string }[] }[]
    expect(said?.content[0]?.id).toMatch(/^[a-zA-Z0-9_-]+$/)
    expect(given?.content[0]?.tool_use_id).toBe(said?.content[0]?.id)
  })

  it('has images as base64, also those that were sent as text', () => {
    const image = (url: string) => turns({ role: 'user', content: [{ type: 'image_url', image_url: { url } }] })
    const block = (media_type: string, data: string) => [
      { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type, data } }] },
    ]
    expect(image(`data:image/png;base64,${PIXEL}`)).toEqual(block('image/png', PIXEL))
    expect(image(`data:image/png;name=a.png;base64,${PIXEL}`)).toEqual(block('image/png', PIXEL))
    expect(image('data:image/svg+xml,%3Csvg%2F%3E%')).toEqual(
      block('image/svg+xml', Buffer.from('<svg/>%').toString('base64')),
    )
  })

  it('leaves out what is empty, which is refused there', () => {
    expect(
      turns(
        {
          role: 'user',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'hi' },
          ],
        },
        { role: 'assistant', content: '' },
        { role: 'user', content: 'again' },
      ),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'text', text: 'again' },
        ],
      },
    ])
  })

  it('sends thoughts back that a backend of this API signed, and no others', () => {
    const signed = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }
    const ours = { type: 'thinking', thinking: 'Hm.', signature: sealReasoning('Hm.') }
    const redacted = { type: 'redacted_thinking', data: 'AAAA' }
    const said = (message: object) => turns(...HI, { role: 'assistant', content: 'ok', ...message })
    const text = { type: 'text', text: 'ok' }
    const answered = (...blocks: object[]) => [...HI, { role: 'assistant', content: blocks }]

    expect(said({ reasoning_content: 'Hm.', thinking_blocks: [signed, redacted] })).toEqual(
      answered(signed, redacted, text),
    )
    expect(
      said({
        reasoning_details: [
          { type: 'reasoning.text', text: 'Hm.', signature: 'EqQB', format: 'anthropic-claude-v1' },
          { type: 'reasoning.text', text: 'Hm.', signature: 'x', format: 'openai-responses-v1' },
        ],
      }),
    ).toEqual(answered(signed, text))
    expect(said({ reasoning_content: 'Hm.', thinking_blocks: [ours] })).toEqual([
      ...HI,
      { role: 'assistant', content: 'ok' },
    ])
  })
})

describe('tools', () => {
  const tools = [
    {
      type: 'function',
      function: { name: 'look', description: 'Looks.', parameters: { properties: {} }, strict: true },
    },
    { type: 'function', function: { name: 'wait' } },
  ]
  const look = {
    name: 'look',
    description: 'Looks.',
    input_schema: { type: 'object', properties: {} },
    strict: true,
  }
  const wait = { name: 'wait', input_schema: { type: 'object', properties: {} } }
  const chosen = (chat: object) => {
    const { tools: sentTools, tool_choice } = sent({ messages: HI, tools, ...chat })
    return { tools: sentTools, tool_choice }
  }

  it.each([
    [{}, undefined],
    [{ tool_choice: 'auto' }, { type: 'auto' }],
    [{ tool_choice: 'none' }, { type: 'none' }],
    [{ tool_choice: 'required' }, { type: 'any' }],
    [{ tool_choice: { type: 'function', function: { name: 'look' } } }, { type: 'tool', name: 'look' }],
    [{ parallel_tool_calls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [
      { tool_choice: 'required', parallel_tool_calls: false },
      { type: 'any', disable_parallel_tool_use: true },
    ],
  ])('are chosen as the chat says: %j', (chat, tool_choice) => {
    expect(chosen(chat)).toEqual({ tools: [look, wait], tool_choice })
  })

  it('are those that the choice leaves', () => {
    const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'wait' } }] }
    expect(chosen({ tool_choice: { type: 'allowed_tools', allowed_tools: allowed } })).toEqual({
      tools: [wait],
      tool_choice: { type: 'any' },
    })
  })

  it('are not chosen where there are none', () => {
    expect(chosen({ tools: [], tool_choice: 'auto' })).toEqual({})
  })
})

describe('how much is thought', () => {
  const thought = (chat: object) => {
    const { thinking, output_config, temperature, top_p, top_k } = sent({ max_tokens: 50_000, messages: HI, ...chat })
    return JSON.parse(JSON.stringify({ thinking, output_config, temperature, top_p, top_k }))
  }

  it.each([
    ['minimal', 'low'],
    ['low', 'low'],
    ['high', 'high'],
    ['xhigh', 'xhigh'],
  ])('is an effort: %s', (reasoning_effort, effort) => {
    expect(thought({ reasoning_effort })).toEqual({ thinking: { type: 'adaptive' }, output_config: { effort } })
  })

  it('is left to the model where the word for it is none here', () => {
    for (const reasoning_effort of ['constructor', 'much', '']) expect(thought({ reasoning_effort })).toEqual({})
  })

  it('is nothing where the chat says so', () => {
    expect(thought({ reasoning_effort: 'none' })).toEqual({ thinking: { type: 'disabled' } })
    for (const name of ['enable_thinking', 'thinking'])
      expect(thought({ chat_template_kwargs: { [name]: false } })).toEqual({ thinking: { type: 'disabled' } })
  })

  it('is a budget for a Claude that takes no effort, within its cap', () => {
    const model = 'claude-opus-4-1-20250805'
    expect(thought({ model, reasoning_effort: 'high' }).thinking).toEqual({ type: 'enabled', budget_tokens: 16_384 })
    expect(thought({ model, reasoning_effort: 'high', max_tokens: 4000 }).thinking).toEqual({
      type: 'enabled',
      budget_tokens: 2000,
    })
    expect(thought({ model, reasoning_effort: 'high', max_tokens: 2000 }).thinking).toBeUndefined()
  })

  it('is nothing between a call and its result that a Claude with a budget would refuse for want of a thought', () => {
    const thoughtAfter = (message: object) =>
      thought({
        model: 'claude-sonnet-4-5',
        reasoning_effort: 'low',
        messages: [
          ...HI,
          { role: 'assistant', content: null, tool_calls: [call('a', 'look', '{}')], ...message },
          { role: 'tool', tool_call_id: 'a', content: 'x' },
        ],
      }).thinking
    expect(thoughtAfter({})).toBeUndefined()
    expect(thoughtAfter({ thinking_blocks: [{ type: 'thinking', thinking: '', signature: 'E' }] })).toMatchObject({
      type: 'enabled',
    })
  })

  it('takes the place of what Claude refuses beside it', () => {
    const chat = { reasoning_effort: 'low', temperature: 0.2, top_k: 5 }
    expect(thought({ model: 'claude-sonnet-4-6', ...chat })).toEqual({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'low' },
    })
    expect(thought({ model: 'Qwen/Qwen3-8B', ...chat })).toMatchObject({ temperature: 0.2, top_k: 5 })
    const tools = [{ type: 'function', function: { name: 'look' } }]
    expect(thought({ model: 'claude-sonnet-4-6', ...chat, tools, tool_choice: 'required' })).toEqual({
      output_config: { effort: 'low' },
      temperature: 0.2,
      top_k: 5,
    })
  })
})

describe('how an answer is sampled', () => {
  const sampled = (chat: object) => {
    const { temperature, top_p, top_k, stop_sequences } = sent({ messages: HI, ...chat })
    return JSON.parse(JSON.stringify({ temperature, top_p, top_k, stop_sequences }))
  }
  const chat = { temperature: 1.4, top_p: 0.9, top_k: 5, stop: ['\n', 'END'] }

  it('is said in full to models that take it', () => {
    expect(sampled({ model: 'm', ...chat })).toEqual({
      temperature: 1.4,
      top_p: 0.9,
      top_k: 5,
      stop_sequences: ['\n', 'END'],
    })
  })

  it('is said to Claude as far as its version takes it', () => {
    expect(sampled({ model: 'claude-sonnet-4-5', ...chat })).toEqual({
      temperature: 1,
      top_k: 5,
      stop_sequences: ['END'],
    })
    expect(sampled({ model: 'claude-3-5-haiku-20241022', top_p: 0.9 })).toEqual({ top_p: 0.9 })
    for (const model of [
      'claude-opus-4-7',
      'claude-sonnet-5',
      'us.anthropic.claude-opus-5-v1:0',
      'claude-mythos-preview',
    ])
      expect(sampled({ model, ...chat })).toEqual({ stop_sequences: ['END'] })
  })
})

it('a schema of the answer goes into the configuration of the output', () => {
  const schema = { type: 'object', properties: {}, additionalProperties: false }
  const json_schema = { name: 'a', strict: true, schema }
  expect(sent({ messages: HI, response_format: { type: 'json_schema', json_schema } }).output_config).toEqual({
    format: { type: 'json_schema', schema },
  })
})

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-6',
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' },
    { type: 'text', text: 'Look' },
    { type: 'text', text: 'ing.' },
    { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'ü' } },
    { type: 'tool_use', id: 'toolu_2', name: 'wait', input: {} },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: {
    input_tokens: 10,
    cache_creation_input_tokens: 100,
    cache_read_input_tokens: 1000,
    output_tokens: 20,
    output_tokens_details: { thinking_tokens: 5 },
    service_tier: 'standard',
  },
}

const COMPLETION = {
  content: 'Looking.',
  reasoning: 'Hm.',
  refusal: '',
  calls: [
    { id: 'toolu_1', name: 'look', arguments: '{"at":"ü"}' },
    { id: 'toolu_2', name: 'wait', arguments: '{}' },
  ],
  thinking: [{ type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }],
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
  const read = (message: object) => messagesDialect.answer('chat', Buffer.from(JSON.stringify(message)))

  it('is a completion with all that was said, and a usage that counts all of the prompt', () => {
    expect(joinedWhole(read(MESSAGE))).toEqual(COMPLETION)
    expect(JSON.parse(String(read(MESSAGE)))).toMatchObject({
      id: 'msg_1',
      object: 'chat.completion',
      model: 'claude-sonnet-4-6',
      // OpenAI's schema requires it.
      choices: [{ message: { refusal: null } }],
    })
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    [null, 'stop'],
  ])('that stopped by %s finishes by %s', (stop_reason, finish) => {
    expect(joinedWhole(read({ ...MESSAGE, stop_reason })).finish).toBe(finish)
  })

  it('says which stop sequence was met', () => {
    const stopped = { ...MESSAGE, stop_reason: 'stop_sequence', stop_sequence: 'END' }
    expect(joinedWhole(read(stopped))).toMatchObject({ finish: 'stop', stop: 'END' })
  })

  it.each([[{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }], [{ choices: [] }], [[]]])(
    'is none in %j',
    body => {
      expect(read(body)).toBeUndefined()
    },
  )
})

describe('a stream', () => {
  const events = (...list: object[]): Buffer =>
    Buffer.from(
      list.map(each => `event: ${(each as { type: string }).type}\ndata: ${JSON.stringify(each)}\n\n`).join(''),
    )
  const start = {
    type: 'message_start',
    message: { ...MESSAGE, content: [], stop_reason: null, usage: { ...MESSAGE.usage, output_tokens: 1 } },
  }
  const begin = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
  const delta = (index: number, each: object) => ({ type: 'content_block_delta', index, delta: each })
  const stop = (index: number) => ({ type: 'content_block_stop', index })
  const finish = {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { input_tokens: null, output_tokens: 20 },
  }
  const WHOLE = events(
    start,
    { type: 'ping' },
    begin(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'H' }),
    delta(0, { type: 'thinking_delta', thinking: 'm.' }),
    delta(0, { type: 'signature_delta', signature: 'EqQB' }),
    stop(0),
    begin(1, { type: 'text', text: '' }),
    delta(1, { type: 'text_delta', text: 'Looking.' }),
    stop(1),
    begin(2, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }),
    delta(2, { type: 'input_json_delta', partial_json: '' }),
    delta(2, { type: 'input_json_delta', partial_json: '{"at":' }),
    delta(2, { type: 'input_json_delta', partial_json: '"ü"}' }),
    stop(2),
    begin(3, { type: 'tool_use', id: 'toolu_2', name: 'wait', input: {} }),
    stop(3),
    finish,
    { type: 'message_stop' },
  )
  const read = (...pieces: Buffer[]) => {
    const translator = messagesDialect.translator?.()
    if (!translator) throw new Error('no translator')
    return Buffer.concat([...pieces.map(piece => translator.push(piece)), translator.end()])
  }

  it('is the answer, wherever it was cut', () => {
    for (let at = 0; at <= WHOLE.length; at++)
      expect(joinedStream(read(WHOLE.subarray(0, at), WHOLE.subarray(at)))).toEqual(COMPLETION)
  })

  it('whose last event is missing came whole', () => {
    const cut = WHOLE.subarray(0, WHOLE.lastIndexOf('event: message_stop'))
    expect(joinedStream(read(cut))).toEqual({ ...COMPLETION, done: false })
  })

  it('that broke off has no finish and no usage: what is reported at its beginning counts no answer', () => {
    const cut = joinedStream(read(WHOLE.subarray(0, WHOLE.indexOf('event: message_delta'))))
    expect(cut).not.toHaveProperty('usage')
    expect(cut).not.toHaveProperty('finish')
    expect(cut.content).toBe('Looking.')
  })

  it('without a usage at its end reports none', () => {
    const { usage: _, ...unreported } = finish
    expect(joinedStream(read(events(start, unreported, { type: 'message_stop' })))).not.toHaveProperty('usage')
  })

  it('tells of an error as chat backends do', () => {
    const error = { type: 'overloaded_error', message: 'Overloaded' }
    expect(joinedStream(read(events(start, { type: 'error', error })))).toMatchObject({ error })
  })

  it('with an event that is no JSON has one that is none', () => {
    expect(String(read(Buffer.from('event: x\ndata: oops\n\n')))).toBe('data: oops\n\n')
  })

  it('with arguments that came with the beginning of a call tells them', () => {
    const called = events(start, begin(0, { type: 'tool_use', id: 'a', name: 'look', input: { at: 1 } }), stop(0))
    expect(joinedStream(read(called)).calls).toEqual([{ id: 'a', name: 'look', arguments: '{"at":1}' }])
  })
})

describe('a list of models', () => {
  it('names one that is listed with its date without it as well', () => {
    const list = {
      data: [
        { type: 'model', id: 'claude-sonnet-4-5-20250929' },
        { type: 'model', id: 'claude-opus-5' },
      ],
    }
    expect(messagesDialect.models(Buffer.from(JSON.stringify(list)))?.map(({ id }) => id)).toEqual([
      'claude-sonnet-4-5-20250929',
      'claude-sonnet-4-5',
      'claude-opus-5',
    ])
  })
})

it('is asked for chats at the path of Messages, and for anything else as OpenAI has it', () => {
  expect(messagesDialect.path({ kind: 'chat', model: 'm', stream: false })).toBe('/messages')
  expect(messagesDialect.path({ kind: 'embedding', model: 'm', stream: false })).toBe('/embeddings')
})
