import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventObjects } from '../../../src/wire/openai/event-objects.ts'
import { answer, type Backend, sse, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { type Meant, type OddStream, oddStream } from '../../support/odd-chats.ts'
import { times } from '../../support/times.ts'

const ALL = 'plans: { all: { models: all, rpm: 1M, tpm: 900M, monthly_usd: 100000 } }'

let backend: Backend
let test: TestGateway
let key: string

beforeAll(async () => {
  backend = await startBackend()
  // A suspicion of the gateway's own must not eject the replica.
  backend.answersChecks(answer({ content: 'Hi' }))
  test = await startTestGateway({ onprem: [backend], files: { 'all.yaml': ALL }, yaml: 'include: [all.yaml]' })
  key = await test.key('all')
})
afterAll(async () => {
  await test.close()
  await backend.close()
})

const weather = { name: 'get_weather', parameters: { type: 'object' } }

async function ask(path: string, body: object, { events }: OddStream): Promise<string> {
  backend.always(sse(events))
  const response = await fetch(test.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-core', stream: true, ...body }),
  })
  return response.text()
}

/** Members that answers of chats have. */
type Json = Readonly<Record<string, unknown>>
const listOf = (value: unknown): readonly Json[] => value as readonly Json[]
const FINISHES = ['stop', 'length', 'tool_calls', 'content_filter']

interface Call {
  readonly id: string
  readonly name: string
  arguments: string
}

/** A client's text from chunks, which it expects to follow the API. */
function joined(text: string) {
  const answer = { text: '', thought: '', pictures: 0, finish: undefined as unknown, calls: [] as Call[] }
  for (const [at, chunk] of [...eventObjects(text)].entries()) {
    const { delta, finish_reason: finish } = choiceIn(chunk)
    const { role, content, reasoning_content: thought, tool_calls: calls, images } = delta as Json
    if (at === 0 || role !== undefined) expect(role).toBe('assistant')
    for (const each of [content, thought]) expect(typeof (each ?? '')).toBe('string')
    answer.text += content ?? ''
    answer.thought += thought ?? ''
    answer.pictures += listOf(images ?? []).length
    for (const call of listOf(calls ?? [])) takeCall(answer.calls, call)
    answer.finish = finish ?? answer.finish
  }
  return answer
}

/** The choice of a chunk, which has all members that the API promises. */
function choiceIn(chunk: Json): Json {
  expect(chunk).toMatchObject({ id: expect.stringMatching(/./), object: 'chat.completion.chunk', model: 'test-model' })
  expect(Number.isSafeInteger(chunk.created)).toBe(true)
  expect(chunk.usage ?? null).toBeNull()
  expect(chunk.choices).toHaveLength(1)
  const [choice = {}] = listOf(chunk.choices)
  expect(choice).toMatchObject({ index: 0, delta: expect.any(Object) })
  expect([null, ...FINISHES]).toContain(choice.finish_reason)
  expect(['null', '{"content":[]}']).toContain(JSON.stringify(choice.logprobs ?? null))
  return choice
}

function takeCall(
  calls: { name: string; arguments: string; id: string }[],
  { index, id, type, function: called }: Json,
) {
  const { name, arguments: args } = called as Json
  if (index === calls.length) {
    expect({ id, type, name, args }).toEqual({
      id: expect.stringMatching(/./),
      type: 'function',
      name: expect.stringMatching(/./),
      args: expect.any(String),
    })
    calls.push({ id: String(id), name: String(name), arguments: '' })
  } else expect(name ?? undefined).toBeUndefined()
  const call = calls[Number(index)]
  if (!call) throw new Error(`calls are numbered ${index} after ${calls.length}`)
  call.arguments += args ?? ''
}

const isWhole = ({ end }: Meant) => end !== 'failed' && end !== 'cut'
const plainCalls = (calls: readonly { readonly name: string; readonly arguments: string }[]) =>
  calls.map(({ name, arguments: args }) => ({ name, input: JSON.parse(args === '' ? '{}' : args) }))
const finishOf = ({ end, calls }: Meant) => (end === 'stop' && calls.length > 0 ? 'tool_calls' : end)

describe('a stream whose members are missing, null, empty, odd or out of order', () => {
  it('reaches chat clients in the form of the API, with all that it says', async () => {
    const messages = [{ role: 'user', content: 'Hi' }]
    await fc.assert(
      fc.asyncProperty(oddStream, async stream => {
        const text = await ask(
          '/v1/chat/completions',
          { messages, tools: [{ type: 'function', function: weather }] },
          stream,
        )
        const { meant } = stream
        expect(text.includes('data: [DONE]')).toBe(isWhole(meant))
        if (!isWhole(meant)) {
          expect(text).toMatch(/UPSTREAM_INTERRUPTED|UPSTREAMS_EXHAUSTED/)
          return
        }
        const { calls, finish, ...said } = joined(text)
        // One that was cut may lack some, and no client may take it for a whole one.
        if (finish === 'tool_calls') for (const called of calls) expect(called.arguments).not.toBe('')
        expect({ ...said, finish, calls: plainCalls(calls) }).toEqual({
          text: meant.text,
          thought: meant.thought,
          pictures: meant.pictures,
          finish: finishOf(meant),
          calls: plainCalls(meant.calls),
        })
        expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
      }),
      { numRuns: times(1500) },
    )
  })

  it('never shows a truncated answer as finished to clients of Messages', async () => {
    const body = {
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ name: 'get_weather', input_schema: { type: 'object' } }],
    }
    await fc.assert(
      fc.asyncProperty(oddStream, async stream => {
        const { meant } = stream
        const text = await ask('/v1/messages', body, stream)
        const stop = /"stop_reason":"(\w+)"/.exec(text)?.[1]
        expect(stop).toBe(isWhole(meant) ? STOPS[finishOf(meant)] : undefined)
        if (isWhole(meant)) expect(textsOf(text, 'text')).toBe(meant.text)
      }),
      { numRuns: times(600) },
    )
  })

  it('never shows a truncated answer as finished to clients of Responses', async () => {
    const body = { input: 'Hi', tools: [{ type: 'function', strict: false, ...weather }] }
    await fc.assert(
      fc.asyncProperty(oddStream, async stream => {
        const { meant } = stream
        const text = await ask('/v1/responses', body, stream)
        const isDone = meant.end === 'stop'
        expect(text.includes('event: response.completed')).toBe(isDone)
        expect(text.includes('event: response.incomplete')).toBe(isWhole(meant) && !isDone)
        if (isWhole(meant)) expect(textsOf(text, 'delta', 'response.output_text.delta')).toBe(meant.text)
      }),
      { numRuns: times(600) },
    )
  })
})

const STOPS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
}

/** The texts of a stream of events, joined. */
function textsOf(text: string, name: string, type?: string): string {
  let whole = ''
  for (const event of eventObjects(text)) {
    const { delta } = event
    if (type !== undefined && event.type === type) whole += event[name]
    else if (type === undefined && typeof delta === 'object' && delta !== null && 'text' in delta) whole += delta.text
  }
  return whole
}
