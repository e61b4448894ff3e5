import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { streamOf } from './answers.ts'
import { denialOf, eventsIn, NO_USAGE, read, writerTerms } from './support.ts'

const fn = (name: string, more: JsonObject = {}) => ({ type: 'function', name, ...more })
const chatOf = (body: JsonObject, hosted: readonly string[] = []) =>
  read({ input: 'x', ...body }, { isHosted: name => hosted.includes(name) })
const namesOf = (body: JsonObject) =>
  ((chatOf(body).chat.tools ?? []) as { function: { name: string } }[]).map(tool => tool.function.name)

/** The items of an answer that calls a tool by the name that the backend got. */
function called(body: JsonObject, name: string, args = '{}') {
  const completion = { choices: [{ message: { tool_calls: [{ id: 'call_1', function: { name, arguments: args } }] } }] }
  return read({ input: 'x', ...body })
    .writer(writerTerms())
    .whole(completion, NO_USAGE).output
}

describe('tools of a request', () => {
  it('gives a function without parameters an empty schema, and says strict only where the client does', () => {
    expect(
      chatOf({ tools: [fn('a', { parameters: null, strict: null }), fn('b', { strict: false })] }).chat.tools,
    ).toEqual([
      { type: 'function', function: { name: 'a', parameters: { type: 'object', properties: {} } } },
      { type: 'function', function: { name: 'b', parameters: { type: 'object', properties: {} }, strict: false } },
    ])
  })

  it('renames what no backend takes, and gives the names back', () => {
    const tools = [fn('mcp.read'), { type: 'namespace', name: 'agents', tools: [fn('spawn')] }]

    expect(namesOf({ tools })).toEqual(['mcp_read', 'agents__spawn'])
    expect(called({ tools }, 'mcp_read')).toMatchObject([{ type: 'function_call', name: 'mcp.read' }])
    expect(called({ tools }, 'agents__spawn')).toMatchObject([{ name: 'spawn', namespace: 'agents' }])
  })

  it('joins those that items of the input bring, of which the last of a name is sent', () => {
    const exec = { type: 'custom', name: 'exec', description: 'js' }
    const added = (...tools: JsonObject[]) => ({ type: 'additional_tools', role: 'developer', id: 'at_1', tools })
    const input = [
      added({ type: 'namespace', name: 'functions', description: '', tools: [exec] }, fn('a', { description: 'new' })),
      { role: 'user', content: 'hi' },
      added(fn('b')),
    ]
    const tools = [fn('a', { description: 'old' })]
    const { chat } = read({ input, tools })

    expect(namesOf({ input, tools })).toEqual(['a', 'functions__exec', 'b'])
    expect(chat).toMatchObject({
      messages: [{ role: 'user', content: 'hi' }],
      tools: [{ function: { description: 'new' } }, {}, {}],
    })
    expect(called({ input, tools }, 'functions__exec', '{"input":"1+1"}')).toMatchObject([
      { type: 'custom_tool_call', name: 'exec', namespace: 'functions', input: '1+1' },
    ])
    expect(denialOf({ input: [added({ type: 'function' })] }).field).toBe('input[0].tools[0].name')
  })

  it('passes on a call of a tool that the model made up', () => {
    expect(called({ tools: [fn('a')] }, 'b')).toMatchObject([{ type: 'function_call', name: 'b' }])
  })

  it('reads the input of a custom tool from its argument, or takes it for all there is', () => {
    const tools = [{ type: 'custom', name: 'patch' }]

    expect(called({ tools }, 'patch', '{"input":"a\\nb"}')).toMatchObject([{ type: 'custom_tool_call', input: 'a\nb' }])
    expect(called({ tools }, 'patch', '*** Begin')).toMatchObject([{ type: 'custom_tool_call', input: '*** Begin' }])
  })

  it('ignores tools that run elsewhere where others remain, and names each type once', () => {
    const tools = [
      { type: 'web_search_preview' },
      { type: 'web_search_preview' },
      { type: 'image_generation' },
      fn('a'),
    ]
    const { ignoredTools, onlyNative } = chatOf({ tools })

    expect(ignoredTools).toEqual(['web_search_preview', 'image_generation'])
    expect(onlyNative).toBeUndefined()
  })

  it('asks for the hosted tool of such a name once, where one is declared', () => {
    const tools = [{ type: 'web_search' }, { type: 'web_search_preview' }, { type: 'code_interpreter' }]
    const body = { tools, tool_choice: { type: 'web_search_preview' } }
    const { chat, ignoredTools, onlyNative } = chatOf(body, ['web_search', 'code_interpreter'])

    expect(chat).toMatchObject({
      tools: [
        { type: 'hosted', name: 'web_search' },
        { type: 'hosted', name: 'code_interpreter' },
      ],
      tool_choice: { type: 'hosted', name: 'web_search' },
    })
    expect([ignoredTools, onlyNative]).toEqual([[], undefined])
  })

  it('passes on hosted tools as chats list them', () => {
    const tools = [{ type: 'hosted', name: 'clock' }]

    expect(chatOf({ tools }).chat.tools).toEqual(tools)
  })

  it('sends no choice and no wish for calls at once without a tool', () => {
    expect(chatOf({ tools: [], tool_choice: 'required', parallel_tool_calls: true }).chat).toEqual({
      messages: [{ role: 'user', content: 'x' }],
    })
  })

  it('forces the function that a choice names, also one of a namespace', () => {
    const tools = [
      { type: 'custom', name: 'patch' },
      { type: 'namespace', name: 'agents', tools: [fn('spawn')] },
    ]
    const choice = (tool_choice: JsonObject) => chatOf({ tools, tool_choice }).chat.tool_choice

    expect(choice({ type: 'custom', name: 'patch' })).toEqual({ type: 'function', function: { name: 'patch' } })
    const spawn = { type: 'function', function: { name: 'agents__spawn' } }
    expect(choice({ type: 'function', name: 'spawn', namespace: 'agents' })).toEqual(spawn)
    expect(choice({ type: 'function', name: 'spawn' })).toEqual(spawn)
  })

  it('are no more than a chat may have, however many namespaces they are in', () => {
    const inner = Array.from({ length: 1000 }, (_, i) => fn(`f${i}`))
    const tools = ['a', 'b'].map(name => ({ type: 'namespace', name, tools: inner }))

    expect(denialOf({ input: 'x', tools })).toMatchObject({ field: 'tools', problem: 'must have at most 1024 items' })
  })

  it('sends only the tools that are allowed', () => {
    const tools = [fn('a'), fn('b'), { type: 'namespace', name: 'n', tools: [fn('c')] }, { type: 'web_search' }]
    const allowed = [fn('b'), { type: 'namespace', name: 'n' }, { type: 'web_search' }]
    const body = { tools, tool_choice: { type: 'allowed_tools', mode: 'required', tools: allowed } }

    expect(namesOf(body)).toEqual(['b', 'n__c'])
    expect(chatOf(body).chat.tool_choice).toBe('required')
  })
})

/** Events of a stream's calls, by type and index of the call. */
function callEvents(pieces: readonly JsonObject[]): string[] {
  const chunks = pieces.map(piece => ({ choices: [{ index: 0, delta: { tool_calls: [piece] }, finish_reason: null }] }))
  return eventsIn(streamOf({ input: 'x', tools: [fn('a')] }, chunks)).events.flatMap(
    ({ type, output_index: place }) => {
      const [, what] = /^response\.output_item\.(added|done)$/.exec(type) ?? []
      return what === undefined ? [] : [`${what} ${place}`]
    },
  )
}

const call = (index: number, args: string, begins = true): JsonObject => ({
  index,
  ...(begins && { id: `call_${index}` }),
  function: { ...(begins && { name: 'a' }), arguments: args },
})

describe('calls of a stream', () => {
  it('are closed one by one where they come one by one', () => {
    const pieces = [call(0, '{"a":'), call(0, '1}', false), call(1, '{}'), call(1, '\n', false)]
    expect(callEvents(pieces)).toEqual(['added 0', 'done 0', 'added 1', 'done 1'])
  })

  it('are closed together where they come interleaved', () => {
    const pieces = [call(0, '{"a":'), call(1, '{}'), call(0, '1}', false)]
    expect(callEvents(pieces)).toEqual(['added 0', 'added 1', 'done 0', 'done 1'])
  })
})
