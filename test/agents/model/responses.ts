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

/** OpenAI's Responses. */
export const responses: Wire = { path: '/v1/responses', read, whole, stream }

function read(body: Fields): Conversation {
  const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : list(body.input)
  const ofType = (...types: string[]) => items.filter(item => types.includes(String(fields(item).type))).map(fields)
  return {
    tools: [...list(body.tools), ...ofType('additional_tools').flatMap(({ tools }) => list(tools))].flatMap(toolsOf),
    calls: ofType('function_call', 'custom_tool_call').map(({ call_id, name, arguments: args, input }) => ({
      id: String(call_id),
      name: String(name),
      arguments: String(args ?? input),
    })),
    results: ofType('function_call_output', 'custom_tool_call_output').map(({ call_id, output }) => ({
      callId: String(call_id),
      text: textOf(output),
    })),
    reasoning: ofType('reasoning').map(({ encrypted_content, content }) =>
      Array.isArray(content) && content.length > 0 ? textOf(content) : unsealed(encrypted_content),
    ),
    asked: [
      textOf(body.instructions),
      ...items.map(fields).map(({ role, content }) => (role === 'assistant' ? '' : textOf(content))),
    ].join('\n'),
  }
}

function toolsOf(tool: Fields): Conversation['tools'] {
  switch (tool.type) {
    case 'function':
      return [toolOf(tool.name, tool.parameters)]
    case 'custom':
      return [toolOf(tool.name, {}, 'custom')]
    case 'namespace':
      return list(tool.tools)
        .flatMap(toolsOf)
        .map(inner => ({ ...inner, namespace: String(tool.name) }))
    default:
      return []
  }
}

function whole(step: Step, usage: Usage, body: Fields): Fields {
  return { ...envelope(body), status: 'completed', completed_at: CREATED, output: itemsOf(step), usage: asUsage(usage) }
}

function stream(step: Step, usage: Usage, body: Fields): string[] {
  const begun = { ...envelope(body), status: 'in_progress', completed_at: null, output: [], usage: null }
  const items = itemsOf(step)
  const offset = items.length - (step.calls ?? []).length
  const events: Fields[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items
      .slice(0, offset)
      .flatMap((item, index) => (item.type === 'reasoning' ? reasoningEvents(item, index) : textEvents(item, index))),
    ...callEvents(step, offset),
    { type: 'response.completed', response: whole(step, usage, body) },
  ]
  return events.map((event, sequence_number) => {
    const { type, ...rest } = event
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...rest })}\n\n`
  })
}

function itemsOf({ reasoning, text, calls = [] }: Step): Fields[] {
  return [
    ...(reasoning === undefined
      ? []
      : [
          {
            id: 'rs_scripted',
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: reasoning }],
            encrypted_content: sealed(reasoning),
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            id: 'msg_scripted',
            type: 'message',
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
          },
        ]),
    ...calls.map(({ id, name, namespace, arguments: args, isCustom }) => ({
      id: `fc_${id}`,
      status: 'completed',
      call_id: id,
      name,
      ...(namespace !== undefined && { namespace }),
      ...(isCustom ? { type: 'custom_tool_call', input: args } : { type: 'function_call', arguments: args }),
    })),
  ]
}

function reasoningEvents(item: Fields, output_index: number): Fields[] {
  const text = textOf(item.summary)
  const at = { item_id: item.id, output_index, summary_index: 0 }
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, summary: [], encrypted_content: '' } },
    { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
    ...piecesOf(text).map(delta => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
    { type: 'response.reasoning_summary_text.done', ...at, text },
    { type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text } },
    { type: 'response.output_item.done', output_index, item },
  ]
}

function textEvents(item: Fields, output_index: number): Fields[] {
  const text = textOf(item.content)
  const [part] = list(item.content)
  const at = { item_id: item.id, output_index, content_index: 0 }
  return [
    { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...piecesOf(text).map(delta => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part },
    { type: 'response.output_item.done', output_index, item },
  ]
}

/** Parallel calls: all are open at once. */
function callEvents(step: Step, offset: number): Fields[] {
  const calls = itemsOf({ calls: step.calls ?? [] })
  const at = (index: number) => ({ item_id: calls[index]?.id, output_index: offset + index })
  return [
    ...calls.map((item, index) => ({
      type: 'response.output_item.added',
      output_index: offset + index,
      item: { ...item, status: 'in_progress', ...('input' in item ? { input: '' } : { arguments: '' }) },
    })),
    ...argumentPieces(step).map(({ at: index, piece }) => ({
      type: `${kindOf(calls[index])}.delta`,
      ...at(index),
      delta: piece,
    })),
    ...calls.flatMap((item, index) => [
      { type: `${kindOf(item)}.done`, ...at(index), ...doneOf(item) },
      { type: 'response.output_item.done', output_index: offset + index, item },
    ]),
  ]
}

const kindOf = (item: Fields = {}): string =>
  'input' in item ? 'response.custom_tool_call_input' : 'response.function_call_arguments'
const doneOf = ({ name, arguments: args, input }: Fields): Fields =>
  input === undefined ? { name, arguments: args } : { input }

const CREATED = 1_700_000_000

const SEAL = 'scripted.'
const sealed = (text: string): string => `${SEAL}${Buffer.from(text).toString('base64url')}`
const unsealed = (seal: unknown): string =>
  typeof seal === 'string' && seal.startsWith(SEAL) ? Buffer.from(seal.slice(SEAL.length), 'base64url').toString() : ''

const envelope = ({ model, instructions, tools, tool_choice, max_output_tokens }: Fields) => ({
  id: 'resp_scripted',
  object: 'response',
  created_at: CREATED,
  background: false,
  error: null,
  incomplete_details: null,
  instructions: instructions ?? null,
  max_output_tokens: max_output_tokens ?? null,
  model,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  service_tier: 'default',
  store: false,
  temperature: 1,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: tool_choice ?? 'auto',
  tools: list(tools).map(tool => (tool.type === 'function' ? { strict: null, ...tool } : tool)),
  top_p: 1,
  truncation: 'disabled',
  metadata: {},
})

const asUsage = ({ input, cached, output, reasoning }: Usage) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
})
