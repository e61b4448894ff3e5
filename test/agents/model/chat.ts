import {
  argumentPieces,
  type Conversation,
  type Fields,
  fields,
  list,
  piecesOf,
  type Step,
  textOf,
  toolOf,
  type Usage,
} from './conversation.ts'
import type { Wire } from './wire.ts'

/** Chat completions, as OpenAI's backends speak it. */
export const chat: Wire = { path: '/v1/chat/completions', read, whole, stream }

function read(body: Fields): Conversation {
  const messages = list(body.messages)
  const calls = messages.flatMap(({ tool_calls }) => list(tool_calls))
  return {
    tools: list(body.tools).map(tool => {
      const { name, parameters } = fields(tool.function)
      return toolOf(name, parameters)
    }),
    calls: calls.map(({ id, function: called }) => ({
      id: String(id),
      name: String(fields(called).name),
      arguments: String(fields(called).arguments),
    })),
    results: messages
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id, content }) => ({ callId: String(tool_call_id), text: textOf(content) })),
    reasoning: messages.flatMap(({ reasoning_content }) =>
      typeof reasoning_content === 'string' ? [reasoning_content] : [],
    ),
    asked: messages
      .filter(({ role }) => role === 'system' || role === 'user' || role === 'developer')
      .map(({ content }) => textOf(content))
      .join('\n'),
  }
}

function whole(step: Step, usage: Usage, { model }: Fields): Fields {
  const { reasoning, text, calls } = step
  const message = {
    role: 'assistant',
    content: text ?? null,
    refusal: null,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(calls && { tool_calls: calls.map(call => asCall(call)) }),
  }
  const choice = { index: 0, message, logprobs: null, finish_reason: finishOf(step) }
  return { id: ID, object: 'chat.completion', created: CREATED, model, choices: [choice], usage: asUsage(usage) }
}

function stream(step: Step, usage: Usage, { model, stream_options }: Fields): string[] {
  const { reasoning = '', text = '', calls = [] } = step
  const envelope = { id: ID, object: 'chat.completion.chunk', created: CREATED, model }
  const chunk = (delta: Fields, finish_reason: string | null = null) => ({
    ...envelope,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })
  const events = [
    chunk({ role: 'assistant', content: '' }),
    ...piecesOf(reasoning).map(piece => chunk({ reasoning_content: piece })),
    ...piecesOf(text).map(piece => chunk({ content: piece })),
    ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...asCall(call, '') }] })),
    ...argumentPieces(step).map(({ at, piece }) =>
      chunk({ tool_calls: [{ index: at, function: { arguments: piece } }] }),
    ),
    chunk({}, finishOf(step)),
    ...(fields(stream_options).include_usage === true ? [{ ...envelope, choices: [], usage: asUsage(usage) }] : []),
  ]
  return [...events.map(event => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n']
}

const ID = 'chatcmpl-scripted'
const CREATED = 1_700_000_000

const finishOf = ({ calls }: Step): string => (calls ? 'tool_calls' : 'stop')

const asCall = (call: { id: string; name: string; arguments: string }, args = call.arguments) => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: args },
})

const asUsage = ({ input, cached, output, reasoning }: Usage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
})
