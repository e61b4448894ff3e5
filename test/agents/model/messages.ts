import {
  type Conversation,
  type Fields,
  list,
  piecesOf,
  type Step,
  textOf,
  toolOf,
  type Usage,
} from './conversation.ts'
import type { Wire } from './wire.ts'

/** Anthropic's Messages. */
export const messages: Wire = { path: '/v1/messages', read, whole, stream }

function read(body: Fields): Conversation {
  const turns = list(body.messages)
  const blocks = turns.flatMap(({ content }) => list(content))
  const ofType = (type: string) => blocks.filter(block => block.type === type)
  return {
    tools: list(body.tools)
      .filter(({ input_schema }) => input_schema !== undefined)
      .map(({ name, input_schema }) => toolOf(name, input_schema)),
    calls: ofType('tool_use').map(({ id, name, input }) => ({
      id: String(id),
      name: String(name),
      arguments: JSON.stringify(input),
    })),
    results: ofType('tool_result').map(({ tool_use_id, content }) => ({
      callId: String(tool_use_id),
      text: textOf(content),
    })),
    reasoning: ofType('thinking').map(({ thinking }) => String(thinking)),
    asked: [
      textOf(body.system),
      ...turns.filter(({ role }) => role !== 'assistant').map(({ content }) => textOf(content)),
    ].join('\n'),
  }
}

function whole(step: Step, usage: Usage, { model }: Fields): Fields {
  return { ...envelope(model), content: blocksOf(step), stop_reason: stopOf(step), usage: asUsage(usage) }
}

function stream(step: Step, usage: Usage, { model }: Fields): string[] {
  const started = { ...asUsage(usage), output_tokens: 1 }
  const events: Fields[] = [
    { type: 'message_start', message: { ...envelope(model), content: [], stop_reason: null, usage: started } },
    { type: 'ping' },
    ...blocksOf(step).flatMap((block, index) => blockEvents(block, index)),
    {
      type: 'message_delta',
      delta: { stop_reason: stopOf(step), stop_sequence: null },
      usage: asUsage(usage),
    },
    { type: 'message_stop' },
  ]
  return events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

function blocksOf({ reasoning, text, calls = [] }: Step): Fields[] {
  return [
    ...(reasoning === undefined ? [] : [{ type: 'thinking', thinking: reasoning, signature: SIGNATURE }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, arguments: args }) => ({ type: 'tool_use', id, name, input: JSON.parse(args) })),
  ]
}

function blockEvents(block: Fields, index: number): Fields[] {
  const { type } = block
  const delta = (change: Fields) => ({ type: 'content_block_delta', index, delta: change })
  const deltas = {
    thinking: () => [
      ...piecesOf(String(block.thinking)).map(thinking => delta({ type: 'thinking_delta', thinking })),
      delta({ type: 'signature_delta', signature: SIGNATURE }),
    ],
    text: () => piecesOf(String(block.text)).map(text => delta({ type: 'text_delta', text })),
    tool_use: () =>
      piecesOf(JSON.stringify(block.input)).map(partial_json => delta({ type: 'input_json_delta', partial_json })),
  }[String(type)]
  const empty = { thinking: { thinking: '', signature: '' }, text: { text: '' }, tool_use: { input: {} } }[String(type)]
  return [
    { type: 'content_block_start', index, content_block: { ...block, ...empty } },
    ...(deltas?.() ?? []),
    { type: 'content_block_stop', index },
  ]
}

const SIGNATURE = 'c2NyaXB0ZWQ='

const stopOf = ({ calls }: Step): string => (calls ? 'tool_use' : 'end_turn')

const envelope = (model: unknown) => ({
  id: 'msg_scripted',
  type: 'message',
  role: 'assistant',
  model,
  stop_sequence: null,
})

/** Anthropic counts cached tokens apart. */
const asUsage = ({ input, cached, output }: Usage) => ({
  input_tokens: input - cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
  output_tokens: output,
})
