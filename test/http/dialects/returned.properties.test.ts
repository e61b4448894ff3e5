import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backend, type Behaviour, json, sse, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { times } from '../../support/times.ts'
import { named } from './fixture.ts'
import { type Body, chatHistory, type History, messagesHistory, responsesHistory } from './histories.ts'

let backend: Backend
let test: TestGateway
/** Conversations of accounts of their own, each of which may ask a thousand times a minute. */
let accounts = 0

beforeAll(async () => {
  backend = await startBackend()
  const model = (pool: string) =>
    `  svc-${pool}: { kind: chat, tier: guest, serve: [${pool}], context: 64k, usd_per_1m: { input: 1, output: 10 } }`
  const pool = (name: string, id: string, speaks: string, more = '') =>
    `  ${name}: { site: cloud, model: ${id}, speaks: [${speaks}], replicas: ["${backend.url}"]${more} }`
  const yaml = `models:
${['chats', 'claude', 'gpt', 'mistral'].map(model).join('\n')}
pools:
${pool('chats', 'm', 'chat')}
${pool('claude', 'claude-sonnet-4-6', 'messages')}
${pool('gpt', 'gpt-5.2', 'responses')}
${pool('mistral', 'magistral', 'chat', ', provider: { thoughts: parts }')}
`
  test = await startTestGateway({
    onprem: [{ url: 'http://127.0.0.1:9/v1' }],
    yaml: 'include: [dialects.yaml]',
    files: { 'dialects.yaml': yaml },
  })
})

afterAll(async () => {
  await test.close()
  await backend.close()
})

/** One round of a model: a secret that its backend wants back, and calls. */
interface Round {
  readonly secret: string
  readonly text: string
  readonly calls: readonly { readonly id: string; readonly secret: string }[]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (value: unknown): readonly Body[] => (Array.isArray(value) ? value : [])

/** A backend, and what of a request says its secrets back: of the rounds since the user spoke last, or of all calls. */
interface Engine {
  readonly model: string
  answer(round: Round, stream: boolean): Behaviour
  /** Secrets by round, in their order. */
  returned(body: Body): readonly string[]
  readonly wants: 'calls' | 'turn'
}
const textParts = (text: string): readonly Body[] => (text === '' ? [] : [{ type: 'text', text }])
const plainContent = (_secret: string, text: string): unknown => (text === '' ? null : text)

/** A backend of chats, which adds members to messages and to calls, or says its secret in the content. */
const chatEngine = (
  ofMessage: (secret: string) => Body,
  ofCall: (secret: string) => Body,
  contentOf: (secret: string, text: string) => unknown = plainContent,
) => ({
  model: 'svc-chats',
  answer: ({ secret, text, calls }: Round, stream: boolean): Behaviour => {
    const called = calls.map((call, index) => ({
      ...{ index, id: call.id, type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
      ...ofCall(call.secret),
    }))
    const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop'
    const head = { id: 'chatcmpl-1', created: 1, model: 'm' }
    const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 }
    const said = { role: 'assistant', ...ofMessage(secret), content: contentOf(secret, text) }
    const tool_calls = called.map(({ index: _index, ...call }) => call)
    const message = { ...said, ...(calls.length > 0 && { tool_calls }) }
    if (!stream)
      return json({ ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage })
    const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
      `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`
    const deltas = [said, ...called.map(call => ({ tool_calls: [call] }))]
    return sse(`${deltas.map(each => chunk(each)).join('')}${chunk({}, finish_reason, { usage })}data: [DONE]\n\n`)
  },
})

const lastUser = (messages: readonly Body[]) => messages.findLastIndex(({ role }) => role === 'user')
const callsIn = ({ messages }: Body) => listOf(messages).flatMap(({ tool_calls }) => listOf(tool_calls))
/** Members of the assistant's messages with calls since the user spoke last. */
const ofTurn = ({ messages }: Body, member: string): readonly string[] => {
  const all = listOf(messages)
  const rounds = all.slice(lastUser(all) + 1).filter(({ tool_calls }) => listOf(tool_calls).length > 0)
  return rounds.map(round => textOf(round[member]))
}

const ENGINES: Readonly<Record<string, Engine>> = {
  'the signatures of calls of Gemini': {
    ...chatEngine(
      () => ({}),
      secret => ({ extra_content: { google: { thought_signature: secret } } }),
    ),
    returned: body =>
      callsIn(body).map(({ extra_content }) =>
        textOf((extra_content as { readonly google?: Body } | undefined)?.google?.thought_signature),
      ),
    wants: 'calls',
  },
  'the same behind LiteLLM': {
    ...chatEngine(
      () => ({}),
      secret => ({ provider_specific_fields: { thought_signature: secret } }),
    ),
    returned: body =>
      callsIn(body).map(({ provider_specific_fields: fields }) =>
        textOf((fields as Body | undefined)?.thought_signature),
      ),
    wants: 'calls',
  },
  'the reasoning_content of DeepSeek and Kimi': {
    ...chatEngine(
      secret => ({ reasoning_content: secret }),
      () => ({}),
    ),
    returned: body => ofTurn(body, 'reasoning_content'),
    wants: 'turn',
  },
  'the reasoning of Groq, Cerebras and OpenRouter': {
    ...chatEngine(
      secret => ({ reasoning: secret }),
      () => ({}),
    ),
    returned: body => ofTurn(body, 'reasoning'),
    wants: 'turn',
  },
  'the thinking parts of Mistral': {
    ...chatEngine(
      () => ({}),
      () => ({}),
      (secret, text) => [{ type: 'thinking', thinking: [{ type: 'text', text: secret }] }, ...textParts(text)],
    ),
    model: 'svc-mistral',
    returned: ({ messages }) => {
      const all = listOf(messages)
      const rounds = all.slice(lastUser(all) + 1).filter(({ tool_calls }) => listOf(tool_calls).length > 0)
      return rounds.map(({ content, ...others }) => {
        const [thought, ...rest] = listOf(content)
        const [text] = listOf(thought?.thinking)
        const isOwn = isDeepStrictEqual(
          [thought, ...rest],
          [
            { type: 'thinking', thinking: [{ type: 'text', text: text?.text }], closed: true },
            ...textParts(textOf(rest[0]?.text)),
          ],
        )
        return isOwn && !('reasoning_content' in others) ? textOf(text?.text) : 'not in parts'
      })
    },
    wants: 'turn',
  },
  'the signed thoughts of Claude': {
    model: 'svc-claude',
    answer: ({ secret, text, calls }, stream) => {
      const content: Body[] = [
        { type: 'thinking', thinking: 'Hm.', signature: secret },
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...calls.map(({ id }) => ({ type: 'tool_use', id, name: 'look', input: { at: 1 } })),
      ]
      const message = {
        ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-6', stop_sequence: null },
        ...{ stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', usage: { input_tokens: 9, output_tokens: 9 } },
      }
      if (!stream) return json({ ...message, content })
      const events = content.flatMap(({ thinking, signature, text: said, input, ...block }, index) => {
        const delta = (fields: object) => ({ type: 'content_block_delta', index, delta: fields })
        const empty = block.type === 'thinking' ? { thinking: '', signature: '' } : { text: '', input: {} }
        return [
          { type: 'content_block_start', index, content_block: { ...empty, ...block } },
          ...(thinking === undefined ? [] : [delta({ type: 'thinking_delta', thinking })]),
          ...(signature === undefined ? [] : [delta({ type: 'signature_delta', signature })]),
          ...(said === undefined ? [] : [delta({ type: 'text_delta', text: said })]),
          ...(input === undefined ? [] : [delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) })]),
          { type: 'content_block_stop', index },
        ]
      })
      return named([
        { type: 'message_start', ...{ message: { ...message, content: [], stop_reason: null } } },
        ...events,
        {
          type: 'message_delta',
          ...{ delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: { output_tokens: 9 } },
        },
        { type: 'message_stop' },
      ])
    },
    returned: ({ messages }) => {
      const all = listOf(messages)
      const isSaid = ({ role, content }: Body) =>
        role === 'user' && !listOf(content).some(({ type }) => type === 'tool_result')
      const rounds = all.slice(all.findLastIndex(isSaid) + 1).filter(({ role }) => role === 'assistant')
      return rounds.map(({ content }) => textOf(listOf(content).find(({ type }) => type === 'thinking')?.signature))
    },
    wants: 'turn',
  },
  'the sealed reasoning of Responses': {
    model: 'svc-gpt',
    answer: ({ secret, text, calls }, stream) => {
      const output: Body[] = [
        { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: secret },
        ...(text === ''
          ? []
          : [{ id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }]),
        ...calls.map(({ id }) => ({
          ...{ id: `fc_${id}`, type: 'function_call', call_id: id, name: 'look', arguments: '{"at":1}' },
        })),
      ]
      const usage = { input_tokens: 9, output_tokens: 9, total_tokens: 18 }
      const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5.2', status: 'completed', usage }
      if (!stream) return json({ ...response, output })
      const events = [
        { type: 'response.created', ...{ response: { ...response, status: 'in_progress', output: [] } } },
        ...output.flatMap((item, output_index) => [
          { type: 'response.output_item.added', output_index, item },
          { type: 'response.output_item.done', output_index, item },
        ]),
        { type: 'response.completed', ...{ response: { ...response, output } } },
      ]
      return named(events.map((event, sequence_number) => ({ ...event, sequence_number })))
    },
    returned: ({ input }) => {
      const all = listOf(input)
      const since = all.slice(all.findLastIndex(({ role }) => role === 'user') + 1)
      return since.filter(({ type }) => type === 'reasoning').map(item => textOf(item.encrypted_content))
    },
    wants: 'turn',
  },
}

const CLIENTS: Readonly<Record<string, (model: string) => History>> = {
  chat: chatHistory,
  Messages: model => messagesHistory(model),
  'Messages that asks for thinking': model => messagesHistory(model, { type: 'adaptive' }),
  'Messages that shows no thinking': model => messagesHistory(model, { type: 'adaptive', display: 'omitted' }),
  Responses: model => responsesHistory(model, { include: ['reasoning.encrypted_content'] }),
}

const secret = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map(text => text.replaceAll('\0', '-'))
/** One user turn: the number of calls in each round that continues. */
const turn = fc.record({
  rounds: fc.array(fc.record({ calls: fc.integer({ min: 1, max: 2 }), text: fc.constantFrom('', 'Well.') }), {
    maxLength: 3,
  }),
  stream: fc.boolean(),
})

describe.each(Object.entries(ENGINES))('%s', (_engine, engine) => {
  it.each(Object.entries(CLIENTS))('come back byte by byte through a client of %s', async (_client, historyOf) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 1, maxLength: 3 }),
        fc.array(secret, { minLength: 24, maxLength: 24 }),
        async (turns, secrets) => {
          const history = historyOf(engine.model)
          const key = await test.key('pro', `ada-${accounts++}`)
          let count = 0
          const nextSecret = () => `${secrets[count++ % secrets.length]}-${count}`
          const wanted: { calls: string[]; turn: string[] } = { calls: [], turn: [] }
          const ask = async (round: Round, stream: boolean) => {
            backend.next(engine.answer(round, stream))
            const response = await fetch(`${test.url}/v1/${history.path}`, {
              method: 'POST',
              headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
              body: JSON.stringify(history.body(stream)),
            })
            expect(response.status).toBe(200)
            const sent = backend.requests.at(-1)?.body ?? {}
            expect(engine.returned(sent)).toEqual(wanted[engine.wants])
            return history.take(response, stream)
          }
          for (const { rounds, stream } of turns) {
            history.say('Look.')
            wanted.turn = []
            for (const { calls, text } of rounds) {
              const round = {
                ...{ secret: nextSecret(), text },
                calls: Array.from({ length: calls }, () => ({ id: `call_${count}`, secret: nextSecret() })),
              }
              const ids = await ask(round, stream)
              expect(ids).toEqual(round.calls.map(({ id }) => id))
              for (const id of ids) history.give(id, 'Nothing.')
              wanted.turn.push(round.secret)
              wanted.calls.push(...round.calls.map(call => call.secret))
            }
            await ask({ secret: nextSecret(), text: 'Done.', calls: [] }, stream)
          }
        },
      ),
      { numRuns: times(15) },
    )
  })
})
