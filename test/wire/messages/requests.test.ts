import { describe, expect, it } from 'vitest'
import type { ReadTerms } from '../../../src/wire/client-dialect.ts'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { ask, checked, read, readTerms, refusal } from './support.ts'

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } }
const imagePart = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
const weather = { name: 'get_weather', input_schema: { type: 'object' } }
const search = { type: 'web_search_20250305', name: 'web_search' }
const call = { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Rome' } }
const result = { type: 'tool_result', tool_use_id: 'call_1', content: 'sunny' }
const user = (content: unknown): JsonObject => ({ role: 'user', content })
const assistant = (...content: unknown[]): JsonObject => ({ role: 'assistant', content })
const system = (content: unknown): JsonObject => ({ role: 'system', content })

/** The messages of the chat that a conversation becomes, which the endpoint of chats accepts. */
function messagesOf(messages: readonly JsonObject[], rest: JsonObject = {}): JsonObject[] {
  const { chat, onlyNative } = read(ask({ messages, ...rest }))
  expect(onlyNative).toBeUndefined()
  expect(checked(chat)).not.toHaveProperty('denial')
  return chat.messages as JsonObject[]
}

describe('a request is refused with the field that is wrong', () => {
  it.each<[string, JsonObject, string]>([
    ['no model', { model: undefined }, 'model: Field required'],
    ['a model that is a number', { model: 5 }, 'model: must be a string'],
    ['no max_tokens', { max_tokens: null }, 'max_tokens: Field required'],
    ['no messages', { messages: undefined }, 'messages: Field required'],
    ['no message', { messages: [] }, 'messages: must not be empty'],
    ['messages that are text', { messages: 'Hi' }, 'messages: must be an array'],
    ['a message that is text', { messages: ['Hi'] }, 'messages[0]: must be an object'],
    ['another role', { messages: [{ role: 'tool', content: '' }] }, 'messages[0].role: must be one of "user"'],
    ['a message without content', { messages: [{ role: 'user' }] }, 'messages[0].content: Field required'],
    ['a block without a type', { messages: [user([{}])] }, 'messages[0].content[0].type: Field required'],
    ['a text without text', { messages: [user([{ type: 'text' }])] }, 'messages[0].content[0].text: Field required'],
    [
      'an image of a type that is none',
      { messages: [user([{ ...image, source: { ...image.source, media_type: 'text/html,' } }])] },
      'messages[0].content[0].source.media_type: must be the type of an image',
    ],
    [
      'a result without an id',
      { messages: [user([{ type: 'tool_result' }])] },
      'messages[0].content[0].tool_use_id: Field required',
    ],
    [
      'a call whose input is text',
      { messages: [assistant({ ...call, input: '{}' }), user([result])] },
      'messages[0].content[0].input: must be an object',
    ],
    ['a system prompt that is a number', { system: 1 }, 'system: must be an array'],
    ['tools that are an object', { tools: {} }, 'tools: must be an array'],
    ['a tool without a name', { tools: [{ input_schema: {} }] }, 'tools[0].name: Field required'],
    ['a tool without a schema', { tools: [{ name: 'f' }] }, 'tools[0].input_schema: must be an object'],
    ['a type that would break a header', { tools: [{ type: 'a\r\nb' }] }, 'tools[0].type: must be 1 to 64 letters'],
    ['a choice of no kind', { tools: [weather], tool_choice: { type: 'some' } }, 'tool_choice.type: must be one of'],
    [
      'a choice of a tool that is not there',
      { tools: [weather], tool_choice: { type: 'tool', name: 'f' } },
      "tool_choice.name: is 'f', which tools do not list",
    ],
    ['thinking of no kind', { thinking: { type: 'deep' } }, 'thinking.type: must be one of'],
    ['a format without a schema', { output_format: { type: 'json_schema' } }, 'output_format.schema: Field required'],
    ['a conversation kept at the server', { thread: { type: 'create' } }, 'thread: conversations are not kept here'],
    ['stop sequences that are numbers', { stop_sequences: [1] }, 'stop_sequences[0]: must be a string'],
  ])('%s', (_name, rest, refused) => {
    expect(refusal(ask(rest)).slice(0, refused.length)).toBe(refused)
  })
})

describe('what no chat can say is left to backends of the same dialect', () => {
  const document = (source: JsonObject) => ({ messages: [user([{ type: 'document', source }])] })
  it.each<[string, JsonObject, string]>([
    ['servers', { mcp_servers: [{ type: 'url', url: 'https://a.example' }] }, 'mcp_servers'],
    ['a container', { container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] } }, 'container'],
    ['a shell of Anthropic', { tools: [{ type: 'bash_20250124', name: 'bash' }, weather] }, 'tools[0].type'],
    ['an editor of Anthropic', { tools: [{ type: 'text_editor_20250728', name: 'e' }] }, 'tools[0].type'],
    [
      'a choice of a tool that cannot run here',
      { tools: [weather, search], tool_choice: { type: 'tool', name: 'web_search' } },
      'tool_choice',
    ],
    [
      'an image elsewhere',
      { messages: [user([{ type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } }])] },
      'messages[0].content[0].source.url',
    ],
    [
      'a PDF',
      document({ type: 'base64', media_type: 'application/pdf', data: 'AA==' }),
      'messages[0].content[0].source',
    ],
    [
      'a document elsewhere',
      document({ type: 'url', url: 'https://a.example/b.pdf' }),
      'messages[0].content[0].source.url',
    ],
    [
      'citations',
      { messages: [user([{ type: 'document', source: { type: 'text', data: 'x' }, citations: { enabled: true } }])] },
      'messages[0].content[0].citations',
    ],
    ['an answer that was begun', { messages: [user('Hi'), assistant({ type: 'text', text: 'I' })] }, 'messages'],
    ['a block of a type to come', { messages: [user([{ type: 'smell' }])] }, 'messages[0].content[0].type'],
  ])('%s', (_name, rest, field) => {
    const { chat, onlyNative } = read(ask(rest))
    expect(onlyNative?.field).toBe(field)
    expect(checked(chat)).not.toHaveProperty('denial')
  })

  it('the first such field counts', () => {
    expect(read(ask({ container: {}, mcp_servers: [{}] })).onlyNative?.field).toBe('mcp_servers')
  })
})

describe('messages of a conversation', () => {
  it('turns of the user that follow each other are one', () => {
    expect(messagesOf([user('a'), user([image]), system('b')])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          imagePart,
          { type: 'text', text: '<system-reminder>\nb\n</system-reminder>' },
        ],
      },
    ])
  })

  it('system messages at the beginning go on with the system prompt', () => {
    expect(messagesOf([system('b'), system([{ type: 'text', text: 'c' }]), user('Hi')], { system: 'a' })).toEqual([
      { role: 'system', content: 'a\n\nb\n\nc' },
      { role: 'user', content: 'Hi' },
    ])
  })

  it('a system message after an answer stands in a turn of the user', () => {
    expect(messagesOf([user('a'), assistant({ type: 'text', text: 'b' }), system('c')])).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: '<system-reminder>\nc\n</system-reminder>' },
    ])
  })

  it('results come before what the user says, and their images after them', () => {
    const shown = { ...result, content: [{ type: 'text', text: 'see' }, image] }
    expect(messagesOf([user('a'), assistant(call), user([{ type: 'text', text: 'b' }, shown])]).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'call_1', content: 'see\n[1 image(s) of this result follow]' },
      { role: 'user', content: [imagePart, { type: 'text', text: 'b' }] },
    ])
  })

  it('a call without words has no content', () => {
    expect(messagesOf([user('a'), assistant(call), user([result])])).toEqual([
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
    ])
  })

  it('documents and search results are texts', () => {
    const document = { type: 'document', title: 'T', source: { type: 'text', data: 'x' } }
    const nested = { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'y' }, image] } }
    const found = { type: 'search_result', title: 'A', source: 's', content: [{ type: 'text', text: 'z' }] }
    expect(messagesOf([user([document, nested, found])])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'T\nx' },
          { type: 'text', text: 'y' },
          imagePart,
          { type: 'text', text: 'A\ns\nz' },
        ],
      },
    ])
  })

  it('what a search for tools found is named as the model knows it', () => {
    const name = 'a.tool'
    const found = { ...result, content: [{ type: 'tool_reference', tool_name: name }] }
    const tools = [{ ...weather, name }]
    expect(messagesOf([user('a'), assistant(call), user([found])], { tools })).toContainEqual({
      role: 'tool',
      tool_call_id: 'call_1',
      content: 'The tool a_tool can be called.',
    })
  })

  it('what another service ran is not sent', () => {
    const blocks = [
      { type: 'redacted_thinking', data: 'x' },
      { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'text', text: 'b' },
    ]
    expect(messagesOf([user('a'), assistant(...blocks), user('c')])).toContainEqual({ role: 'assistant', content: 'b' })
  })
})

describe('thinking of earlier turns', () => {
  const thought = { type: 'thinking', thinking: '', signature: 'svc1.SG0u' }
  const reasoningIn = (messages: readonly JsonObject[]) =>
    messagesOf(messages)
      .map(({ reasoning_content }) => reasoning_content)
      .filter(Boolean)

  it('is sent back while the model is at its calls', () => {
    expect(reasoningIn([user('a'), assistant(thought, call), user([result])])).toEqual(['Hm.'])
  })

  it('is sent back beside reminders', () => {
    const reminder = '<system-reminder>\nx\n</system-reminder>'
    expect(reasoningIn([user('a'), assistant(thought, call), user([result, { type: 'text', text: 'b' }])])).toEqual([
      'Hm.',
    ])
    expect(reasoningIn([user('a'), assistant(thought, { type: 'text', text: 'b' }), user(reminder)])).toEqual(['Hm.'])
  })

  it('is dropped once the user speaks', () => {
    expect(reasoningIn([user('a'), assistant(thought, { type: 'text', text: 'b' }), user('c')])).toEqual([])
  })

  it('of another service is ignored', () => {
    expect(reasoningIn([user('a'), assistant({ ...thought, signature: 'EqQB' }, call), user([result])])).toEqual([])
  })
})

describe('tools', () => {
  const chatOf = (rest: JsonObject, terms = readTerms) => {
    const { chat, ...request } = read(ask(rest), terms)
    expect(checked(chat)).not.toHaveProperty('denial')
    return { ...request, tools: chat.tools, choice: chat.tool_choice, parallel: chat.parallel_tool_calls }
  }
  const hosts = { ...readTerms, isHosted: (tool: string) => tool === 'web_search' }
  const hosted = { type: 'hosted', name: 'web_search' }

  it('of a server are ignored where others remain, each type once', () => {
    const tools = [search, { type: 'mcp_toolset', mcp_server_name: 'x' }, search, weather]
    const { ignoredTools, onlyNative, tools: sent } = chatOf({ tools })
    expect(ignoredTools).toEqual(['web_search_20250305', 'mcp_toolset'])
    expect(onlyNative).toBeUndefined()
    expect(sent).toHaveLength(1)
  })

  it('of a server are those of the gateway where it has one of that name', () => {
    expect(chatOf({ tools: [search] }, hosts)).toMatchObject({ ignoredTools: [], tools: [hosted] })
    expect(chatOf({ tools: [{ ...search, name: 'find' }] }, hosts)).toMatchObject({ tools: [hosted] })
  })

  it('of the gateway are listed by their name', () => {
    expect(chatOf({ tools: [hosted] })).toMatchObject({ tools: [hosted] })
    expect(refusal(ask({ tools: [{ type: 'hosted', name: 'a b' }] }))).toContain('tools[0].name: must be')
  })

  it.each<[JsonObject, unknown]>([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'none' }, 'none'],
    [{ type: 'any' }, 'required'],
    [
      { type: 'tool', name: 'a.b' },
      { type: 'function', function: { name: 'a_b' } },
    ],
    [{ type: 'tool', name: 'web_search' }, hosted],
  ])('the choice %j is %j', (tool_choice, choice) => {
    const tools = [weather, { ...weather, name: 'a.b' }, search]
    expect(chatOf({ tools, tool_choice }, hosts).choice).toEqual(choice)
  })

  it('a choice without tools is not sent', () => {
    expect(chatOf({ tool_choice: { type: 'auto', disable_parallel_tool_use: true } })).toMatchObject({
      choice: undefined,
      parallel: undefined,
    })
  })

  it('names that no backend takes are sent in a form that every backend takes', () => {
    const { tools } = chatOf({
      tools: [
        { ...weather, name: 'a.b' },
        { ...weather, name: 'a_b' },
      ],
    })
    const names = (tools as { readonly function: { readonly name: string } }[]).map(tool => tool.function.name)
    expect(new Set(names).size).toBe(2)
    expect(names.every(name => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true)
  })
})

describe('how much the model thinks', () => {
  const thinks = { ...readTerms, thinks: () => true }
  const chat = (rest: JsonObject, terms: ReadTerms = thinks) => read(ask(rest), terms).chat

  it.each<[JsonObject, string | undefined, boolean | undefined]>([
    [{}, undefined, undefined],
    [{ thinking: { type: 'disabled' } }, undefined, false],
    [{ thinking: { type: 'adaptive' } }, undefined, true],
    [{ thinking: { type: 'enabled', budget_tokens: 1024 } }, 'low', true],
    [{ thinking: { type: 'enabled', budget_tokens: 4000 } }, 'medium', true],
    [{ thinking: { type: 'enabled', budget_tokens: 10_000 } }, 'high', true],
    [{ thinking: { type: 'enabled', budget_tokens: 1024 }, output_config: { effort: 'max' } }, 'xhigh', true],
  ])('%j', (rest, effort, isOn) => {
    expect(chat(rest)).toMatchObject({
      ...(effort && { reasoning_effort: effort }),
      ...(isOn !== undefined && { chat_template_kwargs: { enable_thinking: isOn } }),
    })
    expect('reasoning_effort' in chat(rest)).toBe(effort !== undefined)
    expect('chat_template_kwargs' in chat(rest)).toBe(isOn !== undefined)
  })

  it('is not switched on a model that cannot', () => {
    expect(chat({ thinking: { type: 'adaptive' } }, readTerms)).not.toHaveProperty('chat_template_kwargs')
  })
})

it('fields that are not known, and those of the service itself, are ignored', () => {
  const rest = {
    betas: ['x'],
    context_management: {},
    metadata: { user_id: 'u' },
    service_tier: 'auto',
    speed: 'standard',
  }
  expect(read(ask(rest)).chat).toEqual(read(ask()).chat)
})
