import { describe, expect, it } from 'vitest'
import { readChat } from '../../../src/wire/openai/chat.ts'
import { CustomToolWriter } from '../../../src/wire/openai/custom-writer.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const patch = { type: 'custom', custom: { name: 'apply_patch', description: 'Edits files.' } }

function read(body: object) {
  const chat = readChat(Buffer.from(JSON.stringify({ messages, ...body })))
  if ('denial' in chat) throw new Error(JSON.stringify(chat.denial))
  return chat
}

const sent = (body: object) => JSON.parse(read(body).bodyFor('m', 9).toString())

const refusal = (body: object) => {
  const chat = readChat(Buffer.from(JSON.stringify({ messages, ...body })))
  return 'denial' in chat ? chat.denial : undefined
}

describe('a custom tool', () => {
  it('reaches a backend as a function of one text', () => {
    expect(sent({ tools: [patch] }).tools).toEqual([
      {
        type: 'function',
        function: {
          name: 'apply_patch',
          description: 'Edits files.',
          parameters: {
            type: 'object',
            properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
            required: ['input'],
            additionalProperties: false,
          },
        },
      },
    ])
  })

  it('has its grammar in its description', () => {
    const format = { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: /.+/' } }
    const { description } = sent({ tools: [{ type: 'custom', custom: { ...patch.custom, format } }] }).tools[0].function

    expect(description).toBe('Edits files.\n\nThe input must match this lark grammar:\nstart: /.+/')
  })

  it('may be forced, and be one of those that are allowed', () => {
    const custom = { name: 'apply_patch' }
    const chosen = { type: 'function', function: { name: 'apply_patch' } }

    expect(sent({ tools: [patch], tool_choice: { type: 'custom', custom } }).tool_choice).toEqual(chosen)
    const allowed_tools = { mode: 'auto', tools: [{ type: 'custom', custom }] }
    expect(sent({ tools: [patch], tool_choice: { type: 'allowed_tools', allowed_tools } }).tool_choice).toEqual({
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [chosen] },
    })
  })

  it('was called in the history with a text', () => {
    const call = { id: 'call_1', type: 'custom', custom: { name: 'apply_patch', input: 'a "b"' } }
    const history = [
      ...messages,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
    ]

    expect(sent({ messages: history }).messages[1].tool_calls).toEqual([
      { id: 'call_1', type: 'function', function: { name: 'apply_patch', arguments: '{"input":"a \\"b\\""}' } },
    ])
  })

  it("is the client's also where a hosted tool has its name", () => {
    const chat = readChat(
      Buffer.from(JSON.stringify({ messages, tools: [{ type: 'custom', custom: { name: 'svc_web' } }] })),
      {
        brand: 'svc',
        declared: new Map([['web', {}]]),
      },
    )

    expect('denial' in chat || chat.hosted).toBeUndefined()
  })

  it.each([
    [{ tools: [{ type: 'custom' }] }, 'tools[0].custom'],
    [{ tools: [{ type: 'custom', custom: {} }] }, 'tools[0].custom.name'],
    [{ tools: [{ type: 'custom', custom: { name: 'a b' } }] }, 'tools[0].custom.name'],
    [
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'custom' }] }] },
      'messages[0].tool_calls[0].custom',
    ],
    [
      { messages: [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'function' }] }] },
      'messages[0].tool_calls[0].function',
    ],
  ])('%j is refused by the name of %s', (body, field) => {
    expect(refusal(body)).toMatchObject({ code: 'VALIDATION_ERROR', field })
  })
})

describe('the answer to a chat with custom tools', () => {
  const writer = () => new CustomToolWriter(new Set(['apply_patch']))
  const events = (text: string) =>
    text
      .split('\n\n')
      .filter(Boolean)
      .map(event => event.slice('data: '.length))
      .map(data => (data === '[DONE]' ? data : JSON.parse(data)))
  const chunk = (delta: object, finish_reason: string | null = null, index = 0) => ({
    id: 'c',
    choices: [{ index, delta, finish_reason }],
  })
  const part = (index: number, args: string, more = {}) => ({ index, ...more, function: { arguments: args } })
  const begin = (index: number, id: string, name: string, args = '') => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: args },
  })

  it('has the text of each call, whole', () => {
    const calls = [
      { id: '1', type: 'function', function: { name: 'apply_patch', arguments: '{"input":"*** Begin"}' } },
      { id: '2', type: 'function', function: { name: 'other', arguments: '{"input":"x"}' } },
      { id: '3', type: 'function', function: { name: 'apply_patch', arguments: 'no JSON' } },
    ]
    const answer = {
      id: 'c',
      choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: calls } }],
    }

    expect(writer().whole(answer)).toEqual({
      id: 'c',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: '1', type: 'custom', custom: { name: 'apply_patch', input: '*** Begin' } },
              calls[1],
              { id: '3', type: 'custom', custom: { name: 'apply_patch', input: 'no JSON' } },
            ],
          },
        },
      ],
    })
  })

  it('streams everything but custom calls as it comes, and those at the end', () => {
    const each = writer()
    const text = [
      chunk({ role: 'assistant', content: 'Look.' }),
      chunk({ tool_calls: [begin(0, '1', 'apply_patch', '{"inp')] }),
      chunk({ tool_calls: [begin(1, '2', 'other')] }),
      chunk({ tool_calls: [part(0, 'ut":"a'), part(1, '{}')] }),
      chunk({ tool_calls: [part(0, 'b"}')] }),
      chunk({}, 'tool_calls'),
    ].map(one => each.chunk(one))

    expect(text.map(events)).toEqual([
      [chunk({ role: 'assistant', content: 'Look.' })],
      [],
      [chunk({ tool_calls: [begin(1, '2', 'other')] })],
      [chunk({ tool_calls: [part(1, '{}')] })],
      [],
      [
        chunk(
          { tool_calls: [{ index: 0, id: '1', type: 'custom', custom: { name: 'apply_patch', input: 'ab' } }] },
          'tool_calls',
        ),
      ],
    ])
    expect(events(each.end())).toEqual(['[DONE]'])
  })

  it('keeps calls apart that a backend numbers alike', () => {
    const each = writer()
    each.chunk(chunk({ tool_calls: [begin(0, '1', 'apply_patch', '{"input":"a"}')] }))
    each.chunk(chunk({ tool_calls: [begin(0, '2', 'apply_patch', '{"input":"b"}')] }))
    const [{ choices }] = events(each.chunk(chunk({}, 'stop')))

    expect(choices[0].delta.tool_calls).toEqual([
      { index: 0, id: '1', type: 'custom', custom: { name: 'apply_patch', input: 'a' } },
      { index: 1, id: '2', type: 'custom', custom: { name: 'apply_patch', input: 'b' } },
    ])
  })

  it('keeps calls of several choices apart, and tells those that nothing finished', () => {
    const each = writer()
    each.chunk(chunk({ tool_calls: [begin(0, '1', 'apply_patch', '{"input":"a"}')] }))
    each.chunk(chunk({ tool_calls: [begin(0, '2', 'apply_patch', '{"input":"b"}')] }, null, 1))
    const [first] = events(each.chunk(chunk({}, 'stop')))
    const [rest, done] = events(each.end())

    expect(first.choices[0].delta.tool_calls[0].custom.input).toBe('a')
    expect(rest.choices).toMatchObject([{ index: 1, delta: { tool_calls: [{ custom: { input: 'b' } }] } }])
    expect(done).toBe('[DONE]')
  })

  it('has the usage chunk as it came', () => {
    const usage = { id: 'c', choices: [], usage: { prompt_tokens: 1 } }

    expect(events(writer().chunk(usage))).toEqual([usage])
  })
})

describe('what other clients send', () => {
  it('a refusal of an earlier answer reaches a backend as a text', () => {
    const content = [{ type: 'refusal', refusal: 'No.' }]

    expect(sent({ messages: [...messages, { role: 'assistant', content }, ...messages] }).messages[1].content).toEqual([
      { type: 'text', text: 'No.' },
    ])
  })

  it('the original detail of an image is high', () => {
    const image_url = { url: 'data:image/png;base64,AA', detail: 'original' }

    expect(
      sent({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }] }).messages[0].content,
    ).toEqual([{ type: 'image_url', image_url: { ...image_url, detail: 'high' } }])
  })

  it.each([{ content: null }, {}])('a tool that said nothing (%j) said an empty text', said => {
    const tool = { role: 'tool', tool_call_id: 'a', ...said }
    const calling = {
      ...{ role: 'assistant', content: null },
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    }

    expect(sent({ messages: [...messages, calling, tool] }).messages.at(-1)).toEqual({
      role: 'tool',
      tool_call_id: 'a',
      content: '',
    })
  })

  it.each([{ max_tokens: -1 }, { max_completion_tokens: -1 }, { max_tokens: -1, max_completion_tokens: -1 }])(
    '%j is no cap',
    cap => {
      expect(read(cap).request).not.toHaveProperty('cap')
      const { max_tokens, max_completion_tokens } = sent(cap)
      expect([max_tokens, max_completion_tokens]).toEqual([9, undefined])
    },
  )

  it('any other cap below 1 is refused', () => {
    expect(refusal({ max_tokens: -2 })).toMatchObject({ field: 'max_tokens', problem: 'must be at least 1' })
    expect(refusal({ max_tokens: 0 })).toMatchObject({ field: 'max_tokens' })
  })

  it('chat_template_kwargs.thinking is another name of enable_thinking', () => {
    expect(read({ chat_template_kwargs: { thinking: false } }).request).toMatchObject({ thinking: false })
    expect(sent({ chat_template_kwargs: { thinking: false } }).chat_template_kwargs).toEqual({ thinking: false })
    expect(refusal({ chat_template_kwargs: { thinking: false, enable_thinking: true } })).toMatchObject({
      field: 'chat_template_kwargs.thinking',
    })
  })

  it('a tool may have a name of 128 characters', () => {
    const tool = (length: number) => ({ tools: [{ type: 'function', function: { name: 'a'.repeat(length) } }] })

    expect(refusal(tool(128))).toBeUndefined()
    expect(refusal(tool(129))).toMatchObject({ field: 'tools[0].function.name' })
  })

  it.each(['auto', 'default'])('service_tier %s is what is done anyway', service_tier => {
    expect(sent({ service_tier })).not.toHaveProperty('service_tier')
  })
})
