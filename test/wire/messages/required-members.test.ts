import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { ask, chunkOf, NO_USAGE, read, streamed, writerTerms } from './support.ts'

/** As the types of @anthropic-ai/sdk 0.122 require them, null or not; but no `citations`, whose null the AI SDK refuses. */
const REQUIRED = {
  message: [
    'id',
    'container',
    'content',
    'model',
    'role',
    'stop_details',
    'stop_reason',
    'stop_sequence',
    'type',
    'usage',
  ],
  usage: [
    ...['cache_creation', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'inference_geo', 'input_tokens'],
    ...['output_tokens', 'output_tokens_details', 'server_tool_use', 'service_tier'],
  ],
  text: ['text', 'type'],
  delta: ['container', 'stop_details', 'stop_reason', 'stop_sequence'],
  deltaUsage: [
    ...['cache_creation_input_tokens', 'cache_read_input_tokens', 'input_tokens', 'output_tokens'],
    ...['output_tokens_details', 'server_tool_use'],
  ],
}

const missing = (object: unknown, names: readonly string[]) =>
  names.filter(name => !Object.hasOwn(object as JsonObject, name))

const writer = () => read(ask({})).writer(writerTerms())

it('a whole message has every member that the SDK of Anthropic requires', () => {
  const message = { role: 'assistant', content: 'hi' }
  const completion = { choices: [{ index: 0, message, finish_reason: 'stop' }] }
  const answer = writer().whole(completion, NO_USAGE) as JsonObject

  expect(missing(answer, REQUIRED.message)).toEqual([])
  expect(missing(answer.usage, REQUIRED.usage)).toEqual([])
  expect((answer.content as JsonObject[]).map(block => missing(block, REQUIRED.text))).toEqual([[]])
})

it('a stream has every member that the SDK of Anthropic requires', () => {
  const events = streamed(writer(), [chunkOf({ content: 'hi' }), chunkOf({}, 'stop')])
  const find = (type: string) => events.find(event => event.type === type) ?? {}
  const started = find('message_start').message as JsonObject

  expect(missing(started, REQUIRED.message)).toEqual([])
  expect(missing(started.usage, REQUIRED.usage)).toEqual([])
  expect(missing(find('content_block_start').content_block, REQUIRED.text)).toEqual([])
  expect(missing(find('message_delta').delta, REQUIRED.delta)).toEqual([])
  expect(missing(find('message_delta').usage, REQUIRED.deltaUsage)).toEqual([])
})
