import { describe, expect, it } from 'vitest'
import { DIALECT_MEMBERS } from '../../src/policy/dialect-members.ts'
import { readClientRequest } from '../../src/wire/client-request.ts'
import { wholeTexts } from '../../src/wire/fast/marked-texts.ts'
import type { JsonObject } from '../../src/wire/json-safety.ts'
import { nativeSizeOf } from '../../src/wire/native/size.ts'
import { parseDialect } from '../../src/wire/openai/body.ts'
import { sealReasoning } from '../../src/wire/reasoning/sealed-reasoning.ts'

const sizeOf = (body: JsonObject) =>
  nativeSizeOf(body, DIALECT_MEMBERS['messages' in body ? 'messages' : 'responses'], wholeTexts)
const user = (...content: readonly JsonObject[]) => ({ role: 'user', content })
const said = (...content: readonly JsonObject[]) => ({ messages: [user(...content)] })
const input = (...items: readonly JsonObject[]) => ({ input: items })
const long = 'x'.repeat(1000)

describe('what has no bound but the context', () => {
  it.each<[string, JsonObject]>([
    [
      'a PDF in base64',
      said({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' } }),
    ],
    ['a document elsewhere', said({ type: 'document', source: { type: 'url', url: 'https://a.b/c.pdf' } })],
    [
      'a document in the result of a tool',
      said({ type: 'tool_result', content: [{ type: 'document', source: { type: 'base64', data: 'AA==' } }] }),
    ],
    ['a server whose tools are not known', { mcp_servers: [{ type: 'url', url: 'https://a.b' }] }],
    ['a file', input(user({ type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,AA==' }))],
    ['a file elsewhere', input(user({ type: 'input_file', file_url: 'https://a.b/c.pdf' }))],
    [
      'a file that a function gave',
      input({ type: 'function_call_output', output: [{ type: 'input_file', file_data: 'x' }] }),
    ],
    ['a voice', input(user({ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }))],
  ])('%s', (_name, body) => {
    expect(sizeOf(body).isUnbounded).toBe(true)
  })
})

describe('a picture counts as one', () => {
  it.each<[string, JsonObject]>([
    ['elsewhere, in Messages', said({ type: 'image', source: { type: 'url', url: `https://a.b/${long}` } })],
    ['in base64', said({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: long } })],
    ['elsewhere, in Responses', input(user({ type: 'input_image', image_url: `https://a.b/${long}` }))],
    [
      'of the system',
      input({ role: 'system', content: [{ type: 'input_image', image_url: `data:image/png;base64,${long}` }] }),
    ],
    ['of a screen', input({ type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: long } })],
    ['that was drawn', input({ type: 'image_generation_call', id: 'ig_1', result: long })],
  ])('%s', (_name, body) => {
    const { bytes, ...rest } = sizeOf(body)
    expect(rest).toEqual({ images: 1 })
    expect(bytes).toBeLessThan(100)
  })

  it('and a text that begins like one is a text', () => {
    const text = `data:image/png;base64,${long}`
    expect(sizeOf(said({ type: 'text', text }))).toEqual({ bytes: text.length, images: 0 })
  })
})

describe('every other byte that a model may read counts', () => {
  it.each<[string, JsonObject]>([
    ['reasoning that only the provider can read', input({ type: 'reasoning', summary: [], encrypted_content: long })],
    ['a compaction', input({ type: 'compaction', encrypted_content: long })],
    ['the output of a shell', input({ type: 'shell_call_output', output: [{ stdout: long, stderr: '' }] })],
    ['what a server of tools said', input({ type: 'mcp_call', name: 'f', arguments: '{}', output: long })],
    ['an item that nobody knows', input({ type: 'later', deep: { in: [[long]] } })],
    ['hidden thoughts', { messages: [{ role: 'assistant', content: [{ type: 'redacted_thinking', data: long }] }] }],
    [
      'a signature',
      { messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: '', signature: long }] }] },
    ],
    ['what a search found', said({ type: 'web_search_tool_result', content: [{ encrypted_content: long }] })],
    [
      'names in the input of a call',
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', input: { [long]: 1 } }] }] },
    ],
    ['a tool', { tools: [{ name: 'f', input_schema: { [long]: {} } }] }],
    ['a field that nobody knows', { later: long }],
    ['names in a field that nobody knows', { later: { [long]: true } }],
    ['names in a part that nobody knows', input(user({ type: 'input_text', text: 'x', note: [{ a: { [long]: 1 } }] }))],
    ['a label in a field that nobody knows', { later: { id: long } }],
    ['what an SDK parsed of a call', input({ type: 'function_call', parsed_arguments: { [long]: 1 } })],
  ])('%s', (_name, body) => {
    const { bytes, ...rest } = sizeOf(body)
    expect(rest).toEqual({ images: 0 })
    expect(bytes).toBeGreaterThanOrEqual(1000)
    expect(bytes).toBeLessThan(1100)
  })

  it('and of a tool of the provider what it has its models read', () => {
    expect(sizeOf({ tools: [{ type: 'computer_20251124', name: 'computer' }] }).bytes).toBeGreaterThan(4096)
  })
})

describe('the facts of a request', () => {
  const native = (dialect: 'responses' | 'messages', body: JsonObject) => {
    const names = { brand: 'svc', declared: new Map() }
    const terms = {
      names,
      declared: new Map(),
      thinks: () => false,
      isHosted: () => false,
      spoken: new Set(['messages', 'responses']),
      passed: new Set<string>(),
    }
    const parsed = parseDialect(Buffer.from(JSON.stringify({ model: 'm', ...body })))
    const read = 'denial' in parsed ? parsed : readClientRequest(dialect, parsed, terms)
    if ('denial' in read || read.request.kind !== 'chat') throw new Error(JSON.stringify(read))
    return read.request.native
  }
  const tool = { name: 'f', description: long, input_schema: { type: 'object', properties: { a: { type: 'string' } } } }
  const { input_schema: parameters, ...named } = tool

  it('are those of the chat where that says all', () => {
    const messages = [
      user({ type: 'text', text: long }),
      { role: 'assistant', content: 'y' },
      user({ type: 'text', text: 'z' }),
    ]
    expect(native('messages', { max_tokens: 9, system: long, messages, tools: [tool] })).toBeUndefined()
    const items = [
      user({ type: 'input_text', text: long }),
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    ]
    const result = { type: 'function_call_output', call_id: 'c', output: long }
    const tools = [{ type: 'function', ...named, parameters }]
    expect(native('responses', { instructions: long, input: [...items, result], tools })).toBeUndefined()
  })

  it('leave out reasoning that was sealed here, which goes to no backend', () => {
    const reasoning = { type: 'reasoning', summary: [], encrypted_content: sealReasoning(long) }
    expect(native('responses', input(reasoning, user({ type: 'input_text', text: 'x' })))).toBeUndefined()
  })

  it('have what the chat leaves out', () => {
    const reasoning = { type: 'reasoning', summary: [], encrypted_content: long }
    expect(native('responses', input(reasoning, user({ type: 'input_text', text: 'x' })))).toMatchObject({
      bytes: 1001,
    })
  })
})
