import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Backend, json, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { eventsIn, named } from './fixture.ts'

/** A pool that speaks Messages alone and one that speaks Responses alone, whose models sign what they think. */
let claude: Backend
let gpt: Backend
let test: TestGateway
let key: string

beforeEach(async () => {
  ;[claude, gpt] = await Promise.all([startBackend(), startBackend()])
  const price = '{ input: 1, output: 10 }'
  const yaml = `
models:
  svc-claude: { kind: chat, tier: guest, serve: [claude], context: 64k, usd_per_1m: ${price} }
  svc-gpt: { kind: chat, tier: guest, serve: [gpt], context: 64k, usd_per_1m: ${price} }
pools:
  claude: { site: cloud, model: claude-sonnet-4-6, speaks: [messages], replicas: ["${claude.url}"] }
  gpt: { site: cloud, model: gpt-5.2, speaks: [responses], replicas: ["${gpt.url}"] }
`
  test = await startTestGateway({
    onprem: [{ url: 'http://127.0.0.1:9/v1' }],
    yaml: 'include: [dialects.yaml]\nhosted_tools: { calculator: { builtin: calculator } }',
    fields: { pro: 'tools: all' },
    files: { 'dialects.yaml': yaml },
  })
  key = await test.key('pro')
})

afterEach(async () => {
  await test.close()
  await Promise.all([claude.close(), gpt.close()])
})

type Body = Record<string, unknown>

const post = (path: string, body: Body): Promise<Response> =>
  fetch(`${test.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const THOUGHT = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }
const REDACTED = { type: 'redacted_thinking', data: 'RdCt' }
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 2 } }
const messageOf = (...content: readonly object[]) => ({
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-6', content },
  ...{ stop_reason: content.includes(CALL) ? 'tool_use' : 'end_turn', stop_sequence: null },
  usage: { input_tokens: 7, output_tokens: 20 },
})
const eventsOf = ({ content, stop_reason, ...message }: ReturnType<typeof messageOf>) => [
  { type: 'message_start', message: { ...message, content: [] } },
  ...content.flatMap((block, index) => {
    const { thinking, signature, input, text } = block as Record<string, unknown>
    const delta = (fields: object) => ({ type: 'content_block_delta', index, delta: fields })
    return [
      {
        ...{ type: 'content_block_start', index },
        content_block: {
          ...block,
          ...(thinking !== undefined && { thinking: '', signature: '' }),
          input: {},
          text: '',
        },
      },
      ...(typeof thinking === 'string' && thinking !== '' ? [delta({ type: 'thinking_delta', thinking })] : []),
      ...(signature === undefined ? [] : [delta({ type: 'signature_delta', signature })]),
      ...(text === undefined ? [] : [delta({ type: 'text_delta', text })]),
      ...(input === undefined ? [] : [delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) })]),
      { type: 'content_block_stop', index },
    ]
  }),
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } },
  { type: 'message_stop' },
]

const SEALED = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Hm.' }],
  encrypted_content: 'gAAAA',
}
const CALL_ITEM = {
  id: 'fc_1',
  type: 'function_call',
  status: 'completed',
  call_id: 'call_1',
  name: 'look',
  arguments: '{}',
}
const SAID_ITEM = {
  ...{ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant' },
  content: [{ type: 'output_text', text: 'Done.', annotations: [], logprobs: [] }],
}
const responseOf = (...output: readonly object[]) => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1_700_000_000, status: 'completed', error: null, output },
  ...{ incomplete_details: null, model: 'gpt-5.2' },
  usage: { input_tokens: 9, output_tokens: 20, total_tokens: 29 },
})
const responseEventsOf = (response: ReturnType<typeof responseOf>) => [
  { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
  ...response.output.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item: { ...item, summary: [] } },
    { type: 'response.output_item.done', output_index, item },
  ]),
  { type: 'response.completed', response },
]

/** The blocks of the assistant in a request to the pool of Messages, whose first turn is the user's. */
function assistantTurn(request: number): readonly Body[] {
  const { messages = [] } = (claude.requests[request]?.body ?? {}) as { messages?: readonly { content: Body[] }[] }
  return messages[1]?.content ?? []
}

/** The items that a Responses client keeps from a stream. */
async function itemsIn(response: Response): Promise<Body[]> {
  const events = await eventsIn(response)
  return events.flatMap(([name, { item }]) => (name === 'response.output_item.done' ? [item as Body] : []))
}

/** The blocks that a client of Messages keeps of a stream. */
async function blocksIn(response: Response): Promise<Body[]> {
  const blocks: Body[] = []
  for (const [name, { index, content_block, delta }] of await eventsIn(response)) {
    if (name === 'content_block_start') blocks[index as number] = { ...(content_block as Body) }
    const block = blocks[index as number]
    if (name === 'content_block_delta' && block) extend(block, delta as Record<string, string>)
  }
  return blocks
}

function extend(block: Body, { thinking = '', signature = '', text = '', partial_json: json }: Record<string, string>) {
  block.thinking = `${block.thinking ?? ''}${thinking}`
  block.signature = `${block.signature ?? ''}${signature}`
  block.text = `${block.text ?? ''}${text}`
  if (json !== undefined) block.input = JSON.parse(json)
}

const FUNCTION = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }
const TOOL = { name: 'look', input_schema: { type: 'object', properties: {} } }

describe.each([
  ['whole', false],
  ['streamed', true],
])('what a backend signed of its thoughts, %s,', (_name, stream) => {
  const answerOf = (...content: readonly object[]) => {
    const message = messageOf(...content)
    return stream ? named(eventsOf(message)) : json(message)
  }
  const responds = (...output: readonly object[]) => {
    const response = responseOf(...output)
    return stream ? named(responseEventsOf(response)) : json(response)
  }
  const itemsOf = async (response: Response): Promise<Body[]> =>
    stream ? itemsIn(response) : ((await response.json()) as { output: Body[] }).output
  const blocksOf = async (response: Response): Promise<Body[]> =>
    stream ? blocksIn(response) : ((await response.json()) as { content: Body[] }).content

  it.each([
    ['', [THOUGHT]],
    [', also what it alone can read', [THOUGHT, REDACTED]],
    [', also where it shows none of them', [{ ...THOUGHT, thinking: '' }]],
  ])(
    'goes from Messages through a client of Responses and back, with the results of its calls%s',
    async (_n, thoughts) => {
      claude.next(answerOf(...thoughts, CALL), json(messageOf({ type: 'text', text: 'Done.' })))
      const asked = {
        model: 'svc-claude',
        tools: [FUNCTION],
        store: false,
        reasoning: { effort: 'low', summary: 'auto' },
      }
      const said = [{ role: 'user', content: 'Look.' }]

      const items = await itemsOf(await post('responses', { ...asked, input: said, stream }))
      const result = { type: 'function_call_output', call_id: 'toolu_1', output: 'Nothing.' }
      await (await post('responses', { ...asked, input: [...said, ...items, result] })).text()

      const sent = assistantTurn(1)
      expect(sent).toEqual([...thoughts, CALL])
    },
  )

  it('goes from Responses through a client of Messages and back', async () => {
    gpt.next(responds(SEALED, CALL_ITEM), json(responseOf(SAID_ITEM)))
    const asked = {
      model: 'svc-gpt',
      max_tokens: 100,
      tools: [TOOL],
      thinking: { type: 'enabled', budget_tokens: 2000 },
    }
    const said = [{ role: 'user', content: 'Look.' }]

    const content = await blocksOf(await post('messages', { ...asked, messages: said, stream }))
    expect(content[0]).toMatchObject({ type: 'thinking', thinking: 'Hm.' })
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'Nothing.' }] }
    const messages = [...said, { role: 'assistant', content }, result]
    await (await post('messages', { ...asked, messages })).text()

    const input = gpt.requests[1]?.body.input as Body[]
    expect(input[1]).toEqual({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' })
  })

  it.each([{}, { display: 'omitted' }])(
    'goes back to Messages with the results of hosted tools, and of the client: %j',
    async display => {
      const sum = { type: 'tool_use', id: 'toolu_0', name: 'calculator', input: { expression: '6*7' } }
      const first = { ...messageOf(THOUGHT, REDACTED, sum), stop_reason: 'tool_use' }
      const second = { ...THOUGHT, thinking: 'Aha.', signature: 'EqQC' }
      claude.next(
        stream ? named(eventsOf(first)) : json(first),
        answerOf(second, CALL),
        json(messageOf({ type: 'text', text: 'Done.' })),
      )
      const asked = {
        ...{ model: 'svc-claude', max_tokens: 3000, thinking: { type: 'adaptive', ...display } },
        tools: [TOOL, { type: 'hosted', name: 'calculator' }],
      }
      const said = [{ role: 'user', content: 'Look.' }]

      const content = await blocksOf(await post('messages', { ...asked, messages: said, stream }))
      const sent = assistantTurn(1)
      expect(sent).toEqual([THOUGHT, REDACTED, sum])

      const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Nothing.' }] }
      const messages = [...said, { role: 'assistant', content }, result]
      await (await post('messages', { ...asked, messages })).text()
      const again = assistantTurn(2)
      expect(again.slice(-2)).toEqual([second, CALL])
      expect(JSON.stringify(content).includes('Aha.')).toBe(!('display' in display))
    },
  )

  it('reaches a client of chats once, and comes back by it', async () => {
    claude.next(answerOf(THOUGHT, REDACTED, CALL), json(messageOf({ type: 'text', text: 'Done.' })))
    const tools = [{ type: 'function', function: { name: 'look', parameters: {} } }]
    const asked = { model: 'svc-claude', max_tokens: 100, reasoning_effort: 'low', tools }
    const said = [{ role: 'user', content: 'Look.' }]

    const text = await (await test.chat(key, { ...asked, messages: said, stream })).text()
    expect(text.match(/"thinking_blocks"/g)).toHaveLength(1)
    const tool_calls = [{ id: 'toolu_1', type: 'function', function: { name: 'look', arguments: '{"at":2}' } }]
    const answer = { role: 'assistant', content: null, thinking_blocks: [THOUGHT, REDACTED], tool_calls }
    const result = { role: 'tool', tool_call_id: 'toolu_1', content: 'Nothing.' }
    await (await test.chat(key, { ...asked, messages: [...said, answer, result] })).text()

    const sent = assistantTurn(1)
    expect(sent).toEqual([THOUGHT, REDACTED, CALL])
  })
})
