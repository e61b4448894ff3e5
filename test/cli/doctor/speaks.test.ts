import { describe, expect, it } from 'vitest'
import { answer, type Backend, type Behaviour, json, sse, status, stream } from '../../support/backend.ts'
import { choicesOf, filesOf, foundOfPools, listOf, script, startReplica } from './site.ts'

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'test-model',
  content: [{ type: 'text', text: 'ok' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 1 },
}
const CALL = { ...MESSAGE, content: [{ type: 'tool_use', id: 'a', name: 'report_health', input: { healthy: true } }] }
const EVENTS = [
  { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
]
const streamed = sse(EVENTS.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''))

/** A replica that answers these paths below /v1, and no others. */
async function replicaWith(paths: Readonly<Record<string, Behaviour>>): Promise<Backend> {
  const backend = await startReplica()
  backend.probed(listOf({ id: 'test-model' }))
  backend.always(exchange => (paths[exchange.seen.path.slice('/v1/'.length)] ?? status(404))(exchange))
  return backend
}

const messages: Behaviour = exchange => {
  const { stream: streams, tools } = exchange.seen.body
  return (streams ? streamed : json(tools ? CALL : MESSAGE))(exchange)
}

const chats: Behaviour = exchange => {
  const { stream: streams, tools, n } = exchange.seen.body
  if (n !== undefined) return choicesOf({ made: 2, counted: 2 })(exchange)
  if (streams) return stream({ chunks: ['ok'] })(exchange)
  const toolCalls = [{ id: 'call_1', name: 'report_health', arguments: '{"healthy":true}' }]
  return answer(tools ? { content: null, toolCalls } : { content: 'ok' })(exchange)
}

/** Findings on the only replica of a pool with this `speaks`. */
async function foundOf(backend: Backend, speaks: string) {
  const [found, ...others] = await foundOfPools(filesOf([backend.url], { pool: `, speaks: [${speaks}]` }))
  expect(others).toEqual([])
  const hide = (text: string | null | undefined) => text?.replaceAll(new URL(backend.url).host, 'HOST')
  return { state: found?.state, text: hide(found?.text)?.replace(/\d+ ms/, 'N ms'), hint: hide(found?.hint) }
}

describe('a replica whose pool speaks Messages alone', () => {
  it('is asked for everything in Messages', async () => {
    const backend = await replicaWith({ messages })
    const { state, text } = await foundOf(backend, 'messages')

    expect({ state, text }).toEqual({
      state: 'ok',
      text: 'test-model, streams, reports usage, calls tools, N ms',
    })
    expect(new Set(backend.requests.map(({ path }) => path))).toEqual(new Set(['/v1/messages']))
  })

  it('and that answers in another form is a problem', async () => {
    const { state, text, hint } = await foundOf(await replicaWith({ messages: answer({ content: 'ok' }) }), 'messages')

    expect({ state, text }).toEqual({
      state: 'problem',
      text: 'HOST answers a chat with something other than a completion',
    })
    expect(hint).toMatch(/^Does it speak messages, as config.yaml:\d+ says\?/)
  })
})

describe('a replica whose pool speaks several dialects', () => {
  it('is asked once in each of the others', async () => {
    const backend = await replicaWith({ messages, 'chat/completions': chats })
    const { state, text } = await foundOf(backend, 'chat, messages')

    expect({ state, text }).toEqual({
      state: 'ok',
      text: 'test-model, streams, reports usage, calls tools, speaks messages, N ms',
    })
    expect(backend.requests.filter(({ path }) => path === '/v1/messages')).toHaveLength(1)
  })

  it('and has one of them not is a problem, with what to leave out', async () => {
    const { state, text, hint } = await foundOf(script(await startReplica()), 'chat, responses')

    expect({ state, text }).toEqual({ state: 'problem', text: 'HOST does not speak responses: 404' })
    expect(hint).toMatch(/^Remove `responses` from `speaks` in config.yaml:\d+/)
  })
})
