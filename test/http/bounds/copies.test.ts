import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { AnswerMemory, HeldAnswer } from '../../../src/gateway/answer/memory.ts'
import type { Turns } from '../../../src/http/ingress/turns.ts'
import { type Behaviour, hang, SSE_HEADERS } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { type Answered, Answering, keptAnswer, longStream, WHOLE_ANSWERS } from './fixture.ts'

const WAYS: Readonly<Record<string, Answered>> = {
  ...WHOLE_ANSWERS,
  '/v1/responses that is kept': keptAnswer(false),
  '/v1/responses that is kept, as a stream': keptAnswer(true),
}

let site: Answering
beforeAll(async () => {
  site = await Answering.start('', true)
})
afterAll(() => site.close())
afterEach(() => vi.restoreAllMocks())

const app = () => site.test.gateway.app

async function ask({ path, body, behaviours }: Answered, signal?: AbortSignal): Promise<Response> {
  const key = await site.key()
  // An answer that is dropped leaves the behaviours of its later rounds.
  const queue = [...behaviours]
  site.backend.always(exchange => (queue.shift() ?? hang)(exchange))
  return fetch(`${site.test.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}

/** For each turn in which the answer is worked on: what was counted then, and what it took before room for its copy was asked. */
async function turnsOf(way: Answered) {
  let answerBytes = Number.POSITIVE_INFINITY
  const { copies } = HeldAnswer.prototype
  vi.spyOn(HeldAnswer.prototype, 'copies').mockImplementation(function (this: HeldAnswer, ...asked) {
    answerBytes = this.bytes
    copies.apply(this, asked)
  })
  const { turns, answers } = app()
  const begin: Turns['beginSteps'] = turns.beginSteps.bind(turns)
  const seen: { readonly counted: number; readonly answerBytes: number }[] = []
  vi.spyOn(turns, 'beginSteps').mockImplementation((account, steps) => {
    seen.push({ counted: answers.total, answerBytes })
    return begin(account, steps)
  })
  const response = await ask(way)
  expect([response.status, (await response.arrayBuffer()).byteLength > 20_000]).toEqual([200, true])
  vi.restoreAllMocks()
  await eventually(() => expect(answers.total).toBe(0))
  return seen
}

/** Has the answer lose its room while it waits for a turn, which never comes. */
async function losingRoomAt(turn: number, way: Answered) {
  const { turns } = app()
  const opened: HeldAnswer[] = []
  const { open } = AnswerMemory.prototype
  vi.spyOn(AnswerMemory.prototype, 'open').mockImplementation(function (this: AnswerMemory, holder) {
    const answer = open.call(this, holder)
    opened.push(answer)
    return answer
  })
  const begin: Turns['beginSteps'] = turns.beginSteps.bind(turns)
  const drop = vi.fn()
  let count = 0
  vi.spyOn(turns, 'beginSteps').mockImplementation((account, steps) => {
    if (++count !== turn) return begin(account, steps)
    setImmediate(() => opened.findLast(({ bytes }) => bytes > 0)?.end('account_answers'))
    return { done: new Promise(() => {}), drop }
  })
  const response = await ask(way)
  const text = await response.text().catch(() => 'cut')
  return { status: response.status, text, isDropped: drop.mock.calls.length === 1, turns: count }
}

describe.each(Object.entries(WAYS))('%s', (_, way) => {
  it('counts with its copy in every turn in which it is worked on', async () => {
    const seen = await turnsOf(way)

    expect(seen.length).toBeGreaterThan(0)
    for (const { counted, answerBytes } of seen) {
      expect(answerBytes).toBeGreaterThan(16_384)
      expect(counted).toBeGreaterThanOrEqual(2 * answerBytes)
    }
  })

  it('is dropped at once where it loses its room while it waits for any of these turns', async () => {
    const { length } = await turnsOf(way)
    for (let turn = 1; turn <= length; turn++) {
      const { status, text, ...lost } = await losingRoomAt(turn, way)
      vi.restoreAllMocks()

      // A stream that has begun can only be cut.
      if (status === 200) expect(text).toBe('cut')
      else expect([status, text]).toEqual([503, expect.stringContaining('together take too much memory')])
      expect(lost).toEqual({ isDropped: true, turns: turn })
      expect(app().answers.total).toBe(0)
    }
  })
})

const messages = [{ role: 'user', content: 'Hi' }]
it.each([
  ['/v1/responses', { input: 'Hi', max_output_tokens: 30_000 }],
  ['/v1/messages', { messages, max_tokens: 30_000 }],
  ['/v1/chat/completions', { messages, max_tokens: 30_000, tools: [{ type: 'hosted', name: 'calculator' }] }],
])('a stream of %s counts what it keeps until its end, however fast its client reads', async (path, body) => {
  const { count } = AnswerMemory.prototype
  let most = 0
  vi.spyOn(AnswerMemory.prototype, 'count').mockImplementation(function (this: AnswerMemory, answer, change) {
    count.call(this, answer, change)
    most = Math.max(most, this.total)
  })
  const response = await ask({
    path,
    body: { model: 'svc-core', stream: true, ...body },
    behaviours: [longStream(300_000)],
  })

  expect((await response.text()).length).toBeGreaterThan(300_000)
  expect(most).toBeGreaterThan(300_000 - 16_384)
  await eventually(() => expect(app().answers.total).toBe(0))
})

/** An event of which a part has come. */
const begun: Behaviour = ({ response }) => {
  response.writeHead(200, SSE_HEADERS)
  response.write(`data: {"padding":"${'x'.repeat(5_000_000)}`)
}

it.each([
  ['/v1/chat/completions', 'svc-core', { messages }],
  ['/v1/chat/completions', 'svc-native', { messages }],
  ['/v1/responses', 'svc-core', { input: 'Hi' }],
  ['/v1/responses', 'svc-native', { input: 'Hi' }],
  ['/v1/messages', 'svc-core', { messages, max_tokens: 100 }],
  ['/v1/messages', 'svc-native', { messages, max_tokens: 100 }],
])('an event of a stream of %s at %s counts for its account and address while it comes', async (path, model, body) => {
  const counted = vi.spyOn(AnswerMemory.prototype, 'count')
  const left = new AbortController()
  const asked = ask({ path, body: { model, stream: true, ...body }, behaviours: [begun] }, left.signal)

  await eventually(() => expect(app().answers.total).toBeGreaterThan(5_000_000))
  const holders = counted.mock.calls.map(([{ owner, address }]) => `${owner.slice(0, 5)} ${address}`)
  expect(new Set(holders)).toEqual(new Set(['acct_ 127.0.0.1']))
  left.abort()
  await expect(asked).rejects.toThrow()
  await site.test.clock.during(
    eventually(() => expect(app().answers.total).toBe(0)),
    100,
  )
})
