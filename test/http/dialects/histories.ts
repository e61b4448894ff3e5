import { completionOfStream } from '../../../src/wire/openai/completion-of-stream.ts'
import { eventsIn } from './fixture.ts'

export type Body = Record<string, unknown>

/** A client that keeps what it received, and sends all of it with each request. */
export interface History {
  /** The path below /v1, and the body of the next request. */
  readonly path: string
  body(stream: boolean): Body
  /** Keeps an answer. Returns the ids of its calls. */
  take(response: Response, stream: boolean): Promise<readonly string[]>
  say(text: string): void
  give(id: string, result: string): void
}

const listOf = (value: unknown): readonly Body[] => (Array.isArray(value) ? value : [])

/** Chat completions, as an SDK joins them. */
export function chatHistory(model: string): History {
  const messages: Body[] = []
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
  return {
    path: 'chat/completions',
    body: stream => ({ model, messages, tools, stream }),
    take: async (response, stream) => {
      const { choices } = stream ? joined(await response.text()) : ((await response.json()) as Body)
      const [{ message = {} } = {}] = listOf(choices) as readonly { readonly message?: Body }[]
      messages.push(message)
      return listOf(message.tool_calls).map(({ id }) => String(id))
    },
    say: content => messages.push({ role: 'user', content }),
    give: (id, content) => messages.push({ role: 'tool', tool_call_id: id, content }),
  }
}

/** The completion that the chunks of a stream amount to. */
function joined(events: string): Body {
  const steps = completionOfStream(events)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** Messages; `thinking` as it is asked for. */
export function messagesHistory(model: string, thinking?: Body): History {
  const messages: Body[] = []
  const tools = [{ name: 'look', input_schema: { type: 'object', properties: {} } }]
  const addUser = (block: Body) => {
    const last = messages.at(-1)
    if (last?.role === 'user') (last.content as Body[]).push(block)
    else messages.push({ role: 'user', content: [block] })
  }
  return {
    path: 'messages',
    body: stream => ({ model, max_tokens: 3000, messages, tools, stream, ...(thinking && { thinking }) }),
    take: async (response, stream) => {
      const content = stream ? await blocksIn(response) : listOf(((await response.json()) as Body).content)
      messages.push({ role: 'assistant', content })
      return content.flatMap(({ type, id }) => (type === 'tool_use' ? [String(id)] : []))
    },
    say: text => addUser({ type: 'text', text }),
    give: (id, content) => addUser({ type: 'tool_result', tool_use_id: id, content }),
  }
}

/** The blocks of a stream, as Anthropic's SDK joins them. */
async function blocksIn(response: Response): Promise<readonly Body[]> {
  const blocks: Body[] = []
  for (const [name, { index, content_block, delta }] of await eventsIn(response)) {
    const at = Number(index)
    if (name === 'content_block_start') blocks[at] = { ...(content_block as Body), json: '' }
    const block = blocks[at]
    if (name === 'content_block_delta' && block) extend(block, delta as Readonly<Record<string, string>>)
  }
  return blocks.map(({ json, ...block }) => (json === '' ? block : { ...block, input: JSON.parse(String(json)) }))
}

function extend(
  block: Body,
  { text, thinking, signature, partial_json: json }: Readonly<Record<string, string>>,
): void {
  if (text !== undefined) block.text = `${block.text}${text}`
  if (thinking !== undefined) block.thinking = `${block.thinking}${thinking}`
  if (signature !== undefined) block.signature = signature
  if (json !== undefined) block.json = `${block.json}${json}`
}

/** Responses; `more` as it is asked for. */
export function responsesHistory(model: string, more: Body = {}): History {
  const input: Body[] = []
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }]
  return {
    path: 'responses',
    body: stream => ({ model, input, tools, stream, store: false, ...more }),
    take: async (response, stream) => {
      const items = stream
        ? (await eventsIn(response)).flatMap(([name, { item }]) =>
            name === 'response.output_item.done' ? [item as Body] : [],
          )
        : listOf(((await response.json()) as Body).output)
      input.push(...items)
      return items.flatMap(({ type, call_id }) => (type === 'function_call' ? [String(call_id)] : []))
    },
    say: content => input.push({ role: 'user', content }),
    give: (id, output) => input.push({ type: 'function_call_output', call_id: id, output }),
  }
}
