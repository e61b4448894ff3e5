import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ClientRequestTerms, readClientRequest } from '../../src/wire/client-request.ts'
import { DIALECTS } from '../../src/wire/dialects.ts'
import { asObject, isObject, type JsonObject } from '../../src/wire/json-safety.ts'
import { parseDialect } from '../../src/wire/openai/body.ts'
import { readChat } from '../../src/wire/openai/chat.ts'
import { repaired } from '../../src/wire/openai/repairs.ts'
import { chats } from '../support/generated-chats.ts'

type Speech = keyof typeof DIALECTS
const SPEECHES = Object.keys(DIALECTS) as Speech[]
const CLIENTS = ['chat', 'messages', 'responses'] as const

const TERMS: ClientRequestTerms = {
  names: { brand: 'svc', declared: new Map() },
  declared: new Map(),
  thinks: () => false,
  isHosted: () => false,
  spoken: new Set(),
  passed: new Set(),
}

function read(client: (typeof CLIENTS)[number], body: object) {
  const bytes = Buffer.from(JSON.stringify(body))
  const parsed = client === 'chat' ? undefined : parseDialect(bytes)
  if (parsed && 'denial' in parsed) throw new Error(JSON.stringify(parsed.denial))
  const wire = client === 'chat' || !parsed ? readChat(bytes) : readClientRequest(client, parsed, TERMS)
  if ('denial' in wire) throw new Error(JSON.stringify(wire.denial))
  return wire
}

/** The request as a backend of each dialect receives it. */
const sentTo = (speech: Speech, wire: ReturnType<typeof read>, model = 'm'): JsonObject =>
  JSON.parse(DIALECTS[speech].body('chat', wire.bodyFor(model, 100)).toString())

const list = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Why a backend refuses a body, by the rules that users of the real ones ran into. */
const REFUSALS: Readonly<Record<Speech, (body: JsonObject) => readonly string[]>> = {
  chat: body => {
    const messages = list(body.messages)
    return [
      ...(['tools', 'functions'] as const).flatMap(field =>
        Array.isArray(body[field]) && body[field].length === 0 ? [`${field} is too short`] : [],
      ),
      ...(body.tool_choice !== undefined && !body.tools ? ['tool_choice is only allowed with tools'] : []),
      ...(body.parallel_tool_calls !== undefined && !body.tools
        ? ['parallel_tool_calls is only allowed with tools']
        : []),
      ...(Array.isArray(body.stop) && body.stop.length === 0 ? ['stop is too short'] : []),
      ...list(body.tools).flatMap(({ function: f }) => (Object.values(asObject(f)).includes(null) ? ['null'] : [])),
      ...messages.flatMap(({ content, name }) => [
        ...(Array.isArray(content) && content.length === 0 ? ['content is too short'] : []),
        ...(name === '' ? ['name is too short'] : []),
      ]),
      ...strayResults(messages),
      ...list(body.tools).flatMap(({ function: f }) => badName(asObject(f).name)),
      ...messages.flatMap(message => [
        ...('tool_calls' in message && list(message.tool_calls).length === 0 ? ['tool_calls is too short'] : []),
        ...(message.role === 'assistant' && !message.tool_calls && typeof message.content !== 'string'
          ? ['an assistant needs content or tool_calls']
          : []),
        ...list(message.tool_calls).flatMap(({ function: f }) => [
          ...(typeof asObject(f).arguments === 'string' ? [] : ['arguments is no string']),
          ...(asObject(f).arguments === '' ? ['arguments are no JSON'] : []),
          ...badName(asObject(f).name),
        ]),
      ]),
      ...messages.flatMap((message, at) => {
        const results = new Set<unknown>()
        for (let next = at + 1; messages[next]?.role === 'tool'; next++) results.add(messages[next]?.tool_call_id)
        return list(message.tool_calls).flatMap(({ id }) => (results.has(id) ? [] : [`${id} has no result`]))
      }),
    ]
  },
  messages: body => {
    const turns = list(body.messages)
    const blocks = ({ content }: JsonObject) =>
      typeof content === 'string' ? [{ type: 'text', text: content }] : list(content)
    const last = turns.at(-1)
    return [
      ...turns.flatMap(blocks).flatMap(({ type, text }) => (type === 'text' && !String(text).trim() ? ['blank'] : [])),
      ...(last?.role === 'assistant' && /\s$/.test(String(blocks(last).at(-1)?.text)) ? ['ends in a blank'] : []),
      ...turns
        .flatMap(blocks)
        .flatMap(({ source }) =>
          source && !/^image\/(jpeg|png|gif|webp)$/.test(String(asObject(source).media_type)) ? ['media_type'] : [],
        ),
      ...turns.flatMap((turn, at) => {
        const next = turns[at + 1]
        const results = new Set((next ? blocks(next) : []).map(({ tool_use_id: id }) => id))
        const uses = blocks(turns[at - 1] ?? {}).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []))
        const answered = blocks(turn).flatMap(({ type, tool_use_id: id }) => (type === 'tool_result' ? [id] : []))
        if (answered.some((id, place) => !uses.includes(id) || answered.indexOf(id) !== place))
          return ['unexpected tool_use_id in tool_result']
        return blocks(turn).flatMap(({ type, id, name }) =>
          type === 'tool_use' ? [...(results.has(id) ? [] : [`${id} has no tool_result`]), ...badName(name)] : [],
        )
      }),
      ...list(body.tools).flatMap(({ name }) => badName(name)),
    ]
  },
  responses: body => {
    const items = list(body.input)
    const results = new Set(items.flatMap(({ type, call_id: id }) => (type === 'function_call_output' ? [id] : [])))
    const calls = new Set(items.flatMap(({ type, call_id: id }) => (type === 'function_call' ? [id] : [])))
    return [
      ...[...results].flatMap(id => (calls.has(id) ? [] : [`no tool call found for ${id}`])),
      ...items.flatMap(({ type, call_id: id, name }) =>
        type === 'function_call'
          ? [...(results.has(id) ? [] : [`no tool output found for ${id}`]), ...badName(name)]
          : [],
      ),
      ...list(body.tools).flatMap(({ name }) => badName(name)),
    ]
  },
}

/** Results that answer no call of the message before them, or one that has a result. */
function strayResults(messages: readonly JsonObject[]): readonly string[] {
  let open: unknown[] = []
  return messages.flatMap(({ role, tool_calls, tool_call_id: id }) => {
    if (role !== 'tool') open = list(tool_calls).map(called => called.id)
    else if (!open.includes(id)) return [`${id} is a response to no call`]
    else open = open.filter(each => each !== id)
    return []
  })
}

const badName = (name: unknown): readonly string[] =>
  /^[A-Za-z0-9_-]{1,128}$/.test(String(name)) ? [] : [`the name ${String(name)}`]

const user = { role: 'user', content: 'Go on' }
const look = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }
const call = (id: string, args: unknown = '{}', name = 'look') => ({
  ...{ id, type: 'function', function: { name, arguments: args } },
})
const calling = (...calls: readonly object[]) => ({ role: 'assistant', content: null, tool_calls: calls })
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'Done' })
const JPG = 'data:image/jpg;base64,/9j/4AAQ'

/** Each kind that users of other gateways reported, in the dialects whose clients can send it. */
const ROWS: Readonly<Record<string, Partial<Record<(typeof CLIENTS)[number], object>>>> = {
  'an empty list of tools': {
    chat: { messages: [user], tools: [], tool_choice: 'auto', parallel_tool_calls: true },
    messages: { max_tokens: 100, messages: [user], tools: [] },
    responses: { input: 'Go on', tools: [], tool_choice: 'auto' },
  },
  'an empty list of functions': { chat: { messages: [user], functions: [] } },
  'a choice among no tools': { chat: { messages: [user], tool_choice: 'none' } },
  'an empty list of calls': { chat: { messages: [user, { role: 'assistant', content: 'Yes', tool_calls: [] }, user] } },
  'null for calls': { chat: { messages: [user, { role: 'assistant', content: null, tool_calls: null }, user] } },
  'blanks of an assistant': {
    chat: { messages: [user, { role: 'assistant', content: '\n\n' }, user] },
    messages: { max_tokens: 100, messages: [user, { role: 'assistant', content: '\n\n' }, user] },
    responses: { input: [user, { role: 'assistant', content: '\n\n' }, user] },
  },
  'blanks of a user in parts': {
    chat: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: ' ' },
            { type: 'text', text: 'Hi' },
          ],
        },
      ],
    },
  },
  'a picture called image/jpg': {
    chat: { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: JPG } }] }] },
    responses: { input: [{ role: 'user', content: [{ type: 'input_image', image_url: JPG }] }] },
  },
  'one result for two calls': {
    chat: { messages: [user, calling(call('a'), call('b')), result('a'), user], tools: [look] },
  },
  'a result of no call': { chat: { messages: [user, result('z'), user], tools: [look] } },
  'a result whose call was cut off': {
    chat: { messages: [result('a'), { role: 'assistant', content: 'Done' }, user], tools: [look] },
  },
  'a result before its call': { chat: { messages: [user, result('a'), calling(call('a'))], tools: [look] } },
  'two results for one call, among others': {
    chat: {
      messages: [user, calling(call('a'), call('b')), result('a'), result('a'), result('b'), user],
      tools: [look],
    },
  },
  'a result of another turn': {
    chat: {
      messages: [user, calling(call('a')), result('a'), calling(call('b')), result('a'), result('b'), user],
      tools: [look],
    },
  },
  'a result without an id': {
    chat: { messages: [user, calling(call('a')), { role: 'tool', content: 'Done' }, user], tools: [look] },
  },
  'a result whose id is null, of the second call': {
    chat: {
      messages: [
        ...[user, calling(call('a'), call('b')), { role: 'tool', tool_call_id: null, content: 'Done' }],
        ...[result('a'), user],
      ],
      tools: [look],
    },
  },
  'no arguments': { chat: { messages: [user, calling(call('a', '')), result('a')], tools: [look] } },
  'content without parts of a user': { chat: { messages: [{ role: 'user', content: [] }, user] } },
  'content without parts of a system': { chat: { messages: [{ role: 'system', content: [] }, user] } },
  'content without parts beside calls': {
    chat: { messages: [user, { ...calling(call('a')), content: [] }, result('a')], tools: [look] },
  },
  'content without parts of a tool': {
    chat: { messages: [user, calling(call('a')), { ...result('a'), content: [] }], tools: [look] },
  },
  'an empty name': { chat: { messages: [{ ...user, name: '' }] } },
  'an empty list of stops': { chat: { messages: [user], stop: [] } },
  'parallel calls of no tools': { chat: { messages: [user], parallel_tool_calls: true } },
  'null for what a tool takes': {
    chat: {
      messages: [user],
      tools: [{ type: 'function', function: { name: 'look', parameters: null, strict: null } }],
    },
  },
  'null for what a tool is': {
    chat: { messages: [user], tools: [{ ...look, function: { ...look.function, description: null } }] },
  },
  'no result before the user goes on': { chat: { messages: [user, calling(call('a')), user], tools: [look] } },
  'a call at the end': { chat: { messages: [user, calling(call('a'))], tools: [look] } },
  'arguments that are an object': {
    chat: { messages: [user, calling(call('a', { q: 'x'.repeat(100) })), result('a')], tools: [look] },
  },
  'a name of a tool with a dot': {
    chat: {
      messages: [user, calling(call('a', '{}', 'github.search')), result('a')],
      tools: [{ ...look, function: { ...look.function, name: 'github.search' } }],
      tool_choice: { type: 'function', function: { name: 'github.search' } },
    },
  },
  'the beginning of an answer that ends in a blank': {
    chat: { messages: [user, { role: 'assistant', content: 'The answer is ' }] },
    messages: { max_tokens: 100, messages: [user, { role: 'assistant', content: 'The answer is ' }] },
  },
  'a shell of the client': {
    responses: { input: 'Go on', tools: [{ type: 'local_shell' }, { type: 'function', name: 'look', parameters: {} }] },
  },
}

describe.each(CLIENTS)('a client of %s', client => {
  it.each(Object.entries(ROWS).flatMap(([kind, bodies]) => (bodies[client] ? [[kind, bodies[client]] as const] : [])))(
    'that sends %s gets a request through to backends of every dialect',
    (_, body) => {
      const wire = read(client, { model: 'm', ...body })
      for (const speech of SPEECHES) expect(REFUSALS[speech](sentTo(speech, wire)), speech).toEqual([])
    },
  )
})

it('a chat without such a flaw reaches the backend in its own bytes', () => {
  const body = { model: 'm', messages: [user, calling(call('a')), result('a'), user], tools: [look], max_tokens: 100 }
  expect(read('chat', body).bodyFor('m', 100).toString()).toBe(JSON.stringify(body))
})

it('nothing that a chat says is lost by a repair', () => {
  const sent = sentTo('chat', read('chat', { model: 'm', ...ROWS['one result for two calls']?.chat }))
  expect(sent.messages).toEqual([
    ...[user, calling(call('a'), call('b')), result('a')],
    { role: 'tool', tool_call_id: 'b', content: 'The call was interrupted and has no result.' },
    user,
  ])
  const stray = sentTo('chat', read('chat', { model: 'm', ...ROWS['two results for one call, among others']?.chat }))
  expect(stray.messages).toEqual([
    ...[user, calling(call('a'), call('b')), result('a'), result('b')],
    { role: 'user', content: 'Done' },
    user,
  ])
  const object = sentTo('chat', read('chat', { model: 'm', ...ROWS['arguments that are an object']?.chat }))
  expect(list(list(object.messages)[1]?.tool_calls)[0]?.function).toEqual({
    name: 'look',
    arguments: JSON.stringify({ q: 'x'.repeat(100) }),
  })
})

it('results of tools are walked through once, however many follow each other', () => {
  let looked = 0
  const role = () => {
    looked++
    return 'tool'
  }
  const results = Array.from({ length: 5000 }, () =>
    Object.defineProperty({ tool_call_id: 'a' }, 'role', { enumerable: true, get: role }),
  )
  repaired({ messages: [user, calling(call('a'), call('b')), ...results, user] })
  expect(looked).toBeLessThan(20 * results.length)
})

/** Ways to spoil a chat, of which clients do each. */
const FLAWS: readonly ((chat: JsonObject) => JsonObject)[] = [
  chat => (chat.tools ? chat : { ...chat, tools: [] }),
  chat => ({ ...chat, messages: list(chat.messages).filter(({ role }) => role !== 'tool') }),
  chat => ({ ...chat, messages: list(chat.messages).filter(({ role }, at) => role !== 'tool' || at % 2 === 0) }),
  chat => ({
    ...chat,
    messages: list(chat.messages).map(message =>
      message.role === 'assistant' && !message.tool_calls ? { ...message, tool_calls: [] } : message,
    ),
  }),
  chat => ({
    ...chat,
    messages: list(chat.messages).map(message =>
      message.role === 'assistant' && !message.tool_calls ? { ...message, content: ' \n' } : message,
    ),
  }),
  chat => ({ ...chat, messages: [...list(chat.messages), { role: 'assistant', content: 'So: ' }] }),
  chat => ({ ...chat, messages: list(chat.messages).filter(({ tool_calls }, at) => !tool_calls || at % 2 === 0) }),
  chat => ({
    ...chat,
    messages: list(chat.messages).map(({ tool_call_id: id, ...message }, at) =>
      message.role !== 'tool' || at % 3 === 0 ? { ...message, ...(id !== undefined && { tool_call_id: id }) } : message,
    ),
  }),
  chat => ({ ...chat, parallel_tool_calls: false }),
]

it('a chat that is spoiled in any of these ways, or several, is refused by no backend of any dialect', () => {
  fc.assert(
    fc.property(chats, fc.subarray([...FLAWS]), (chat, flaws) => {
      const spoiled = flaws.reduce((body, flaw) => flaw(body), chat as unknown as JsonObject)
      const wire = read('chat', spoiled)
      for (const speech of SPEECHES) expect(REFUSALS[speech](sentTo(speech, wire)), speech).toEqual([])
    }),
  )
})

/** The weight of a chat before a tokenizer has seen it. */
function weightOf(wire: ReturnType<typeof read>) {
  const { request } = wire
  if (request.kind !== 'chat') throw new Error('not a chat')
  return { messages: request.messages, textBytes: request.textBytes }
}

it('what repairs add to a chat is weighed, so that no backend gets more than was admitted', () => {
  // A request with a name that changes prototypes is refused.
  const name = fc.string({ maxLength: 40 }).filter(each => each !== '__proto__')
  const args = fc.dictionary(name, fc.oneof(fc.integer(), fc.string(), fc.constant(null)))
  fc.assert(
    fc.property(chats, fc.subarray([...FLAWS]), fc.option(args), (chat, flaws, written) => {
      const spoiled = flaws.reduce((body, flaw) => flaw(body), chat as unknown as JsonObject)
      const messages = list(spoiled.messages).map(message => {
        if (!written || !Array.isArray(message.tool_calls)) return message
        const tool_calls = list(message.tool_calls).map(call => ({
          ...call,
          function: { ...asObject(call.function), arguments: written },
        }))
        return { ...message, tool_calls }
      })
      const wire = read('chat', { ...spoiled, messages })
      const sent = weightOf(read('chat', sentTo('chat', wire)))

      expect(weightOf(wire).messages).toBeGreaterThanOrEqual(sent.messages)
      expect(weightOf(wire).textBytes).toBeGreaterThanOrEqual(sent.textBytes)
    }),
  )
})

it('a call without a result costs as much as the result that it gets, and arguments as much as their names', () => {
  const calling = (args: unknown) =>
    read('chat', {
      messages: [
        { role: 'user', content: 'hi' },
        {
          ...{ role: 'assistant', content: null },
          tool_calls: Array.from({ length: 1000 }, (_, n) => ({
            id: `c${n}`,
            type: 'function',
            function: { name: 'f', arguments: n === 0 ? args : '{}' },
          })),
        },
      ],
    })

  expect(weightOf(calling('{}')).messages).toBe(1002)
  expect(weightOf(calling('{}')).textBytes).toBeGreaterThan(44_000)
  expect(weightOf(calling({ ['x'.repeat(100_000)]: 1 })).textBytes).toBeGreaterThan(144_000)
})
