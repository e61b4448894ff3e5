import { describe, expect, it } from 'vitest'
import { tokensOf } from '../../src/wire/token-count.ts'

const PROSE =
  'You are an agent that helps with software engineering. Use the tools that you have to do what the user asks. Read a file before you edit it, run the tests after each change, and say in one sentence what you did. Never guess the name of a function: search for it. If a command fails, read its output to the end before you try another one, and ask the user when two attempts in a row have failed for the same reason.'

const CODE = `export function median(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}`

const SCHEMA = {
  type: 'object',
  properties: {
    file_path: { type: 'string', description: 'The absolute path of the file to read' },
    offset: { type: 'number', description: 'The line to begin with, for files that are too large to be read at once' },
    limit: { type: 'number', description: 'How many lines to read' },
  },
  required: ['file_path'],
  additionalProperties: false,
}

const count = (chat: Parameters<typeof tokensOf>[0]) => tokensOf(chat, 1000)
const said = (content: unknown) => ({ messages: [{ role: 'user', content }] })
/** The weight of an empty chat. */
const EMPTY = count(said(''))

describe('tokens of a prompt are within a tenth of what o200k_base has', () => {
  it.each([
    ['prose', PROSE, 93],
    ['code', CODE, 99],
    ['JSON', JSON.stringify(SCHEMA), 79],
    [
      'Chinese',
      '人工智能正在改变世界。我们需要了解它的能力与局限，才能更好地使用它。今天的天气很好，我们去公园散步吧。',
      35,
    ],
  ])('%s', (_name, text, tokens) => {
    const counted = count(said(text)) - EMPTY
    expect(Math.abs(counted / tokens - 1)).toBeLessThan(0.1)
    // However long it is.
    expect(Math.abs((count(said(text.repeat(5000))) - EMPTY) / 5000 / tokens - 1)).toBeLessThan(0.1)
  })
})

describe('all that the model reads is counted', () => {
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'read', arguments: JSON.stringify({ text: PROSE }) },
  }
  it.each([
    ['texts', said(PROSE)],
    ['parts', said([{ type: 'text', text: PROSE }])],
    ['reasoning', { messages: [{ role: 'assistant', content: null, reasoning_content: PROSE }] }],
    ['calls', { messages: [{ role: 'assistant', content: null, tool_calls: [call] }] }],
    ['results', { messages: [{ role: 'tool', tool_call_id: 'call_1', content: PROSE }] }],
    ['tools', { messages: [], tools: [{ type: 'function', function: { name: 'f', description: PROSE } }] }],
    ['schemas', { messages: [], response_format: { type: 'json_schema', json_schema: { description: PROSE } } }],
  ])('%s', (_name, chat) => {
    expect(count(chat)).toBeGreaterThan(85)
  })

  it('images at their price', () => {
    expect(count(said([{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }]))).toBe(EMPTY + 1000)
  })
})

it('a chat of anything is counted without a throw', () => {
  for (const messages of [
    undefined,
    null,
    'x',
    [null, 1, 'x', {}, { content: [null, 'x', 1], tool_calls: [null, {}] }],
  ])
    expect(count({ messages, tools: 'x', response_format: 1 })).toBeGreaterThan(0)
})
