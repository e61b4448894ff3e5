import { describe, expect, it } from 'vitest'
import type { AdmittedCall } from '../../../src/gateway/admission/admit.ts'
import { settlementOf } from '../../../src/gateway/admission/settlement.ts'
import { type AnswerStream, attemptStream } from '../../../src/gateway/answer/stream.ts'
import type { EndedAnswer } from '../../../src/gateway/attempt/outcome.ts'
import { TokenSurplus } from '../../../src/gateway/attempt/token-surplus.ts'
import type { BackendListener } from '../../../src/gateway/ports.ts'
import { UNKNOWN } from '../../../src/policy/providers/profile.ts'
import { claimsOf, NOON } from '../../adapters/store/fixtures.ts'
import { chunk, MODEL } from '../../support/backend.ts'
import { VirtualClock } from '../../support/clock.ts'
import { randomInt, seeded } from '../../support/random.ts'
import { randomAnswer } from '../../support/spoken-answers.ts'
import { times } from '../../support/times.ts'

const ANSWERS = times(200)
const MOST_OUTPUT = 500

/** How a backend tells its usage. */
const REPORTS = ['at the end', 'never', 'with every chunk', 'as zero until the end'] as const
type Report = (typeof REPORTS)[number]

/** Ways in which a backend says the same. */
const FIELDS = ['content', 'reasoning_content', 'tool arguments'] as const

const settings = { connectTimeout: 1000, headersTimeout: 15_000, firstContentTimeout: 60_000, idleTimeout: 60_000 }
const pool = { name: 'onprem', model: MODEL, speaks: ['chat'], provider: { facts: UNKNOWN } }
const tick = () => new Promise(setImmediate)

/** A random answer as a backend streams it, and what a client has got after each event. */
function streamOf(random: () => number, report: Report, together: number) {
  const { deltas, tokens, script } = randomAnswer(random, together)
  const field = FIELDS[randomInt(random, 0, 2)] ?? 'content'
  const bound = randomInt(random, 40, 4000)
  // No fewer than the estimate takes for granted, of which a prompt of many bytes per token has more.
  const prompt = randomInt(random, Math.ceil(bound / 4), Math.ceil(bound / 2))
  const usageOf = (completion: number) => ({
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  })
  const sent = (index: number) => Math.round((tokens * (index + 1)) / deltas.length)
  const events = deltas.map((text, index) => {
    const event = chunk(MODEL, deltaOf(field, text, index), null)
    if (report === 'with every chunk') return withUsage(event, usageOf(Math.max(index + 1, sent(index) - 1)))
    return report === 'as zero until the end' ? withUsage(event, { ...usageOf(0), prompt_tokens: 0 }) : event
  })
  const usage = report === 'never' ? [] : [withUsage(chunk(MODEL, {}, null), usageOf(tokens), [])]
  const end = [chunk(MODEL, {}, 'stop'), ...usage, 'data: [DONE]\n\n']
  return { events, end, bound, script, tokens }
}

function deltaOf(field: (typeof FIELDS)[number], text: string, index: number) {
  if (field !== 'tool arguments') return { [field]: text }
  if (index > 0) return { tool_calls: [{ index: 0, function: { arguments: text } }] }
  return { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: text } }] }
}

function withUsage(event: string, usage: object, choices?: readonly unknown[]): string {
  const data = JSON.parse(event.slice('data: '.length))
  return `data: ${JSON.stringify({ ...data, ...(choices && { choices }), usage })}\n\n`
}

/** Sends some events of a stream to a client. */
async function begin(events: readonly string[]) {
  let listener: BackendListener | undefined
  const send = (_request: unknown, to: BackendListener) => {
    listener = to
    return { pause: () => {}, resume: () => {}, abort: () => {} }
  }
  const target = {
    pool,
    settings,
    requestId: 'req_1',
    commit: 'first_content',
    streamTime: 600_000,
    surplus: new TokenSurplus(),
    dispatched: () => {},
  }
  const client = { gone: false, wasCut: false, onGone: () => () => {} }
  const clock = new VirtualClock(0)
  const attempt = attemptStream({ send, clock }, target as never, { usageWanted: false, choices: 1 }, client)
  listener?.connected()
  listener?.head({ status: 200, contentType: 'text/event-stream' })
  listener?.data(Buffer.from(events.join('')))
  const outcome = await attempt
  if (outcome.kind !== 'answered') throw new Error(outcome.kind)
  const ended = new Promise<EndedAnswer>(end => outcome.answer.attach({ write: () => {}, end }))
  await tick()
  return {
    stream: outcome.answer,
    ended,
    comes: (more: readonly string[]) => listener?.data(Buffer.from(more.join(''))),
    clock,
  }
}

function admittedOf(bound: number): AdmittedCall {
  const claims = claimsOf({ input: bound, want: MOST_OUTPUT })
  const hold = { requestId: 'req_1', at: NOON, tokens: bound + MOST_OUTPUT, output: MOST_OUTPUT }
  const model = { kind: 'chat', name: 'svc-core', imageTokens: 0 }
  return {
    caller: { account: 'acct_1' },
    request: { kind: 'chat', images: 0, textBytes: bound },
    decision: { plan: { name: 'pro' }, model, claims },
    hold,
    revision: 'r1',
  } as unknown as AdmittedCall
}

const billOf = (bound: number, work: EndedAnswer | ReturnType<AnswerStream['work']>) =>
  settlementOf(admittedOf(bound), pool as never, work).bill

describe.each(REPORTS)('with a backend that reports its usage %s', report => {
  it.each([1, 8])(
    `${ANSWERS} random answers of up to %i tokens a delta, cut at each event, cost what came at the least and all of them at the most`,
    async together => {
      const random = seeded(together)
      for (let answer = 0; answer < ANSWERS; answer++) {
        const { events, end, bound, script } = streamOf(random, report, together)
        const all = await begin([...events, ...end])
        const whole = billOf(bound, await all.ended)
        let before = 0
        for (let received = 1; received <= events.length; received++) {
          const { stream } = await begin(events.slice(0, received))
          const checkpoint = billOf(bound, stream.work())
          const cut = billOf(bound, await stream.clientLeft())

          const told = `answer ${answer} in ${script}, ${received} of ${events.length} deltas`
          expect(checkpoint, told).toEqual(cut)
          expect(cut.outputTokens, told).toBeGreaterThanOrEqual(Math.max(received, before))
          expect(cut.outputTokens, told).toBeLessThanOrEqual(whole.outputTokens)
          expect(cut.inputTokens, told).toBeLessThanOrEqual(whole.inputTokens)
          expect(cut.cost, told).toBeLessThanOrEqual(whole.cost)
          before = cut.outputTokens
        }
      }
    },
  )
})

it('980 digits that were received are 980 tokens', async () => {
  const digits = Array.from({ length: 980 }, (_, index) => chunk(MODEL, { content: String(index % 10) }, null))

  const { stream } = await begin(digits)

  expect(billOf(40, await stream.clientLeft())).toMatchObject({ outputTokens: 500, estimated: true })
  expect(stream.work().tokens).toBe(980)
})

it('a client that leaves once all was said is charged the usage that follows', async () => {
  const { events, end, bound, tokens } = streamOf(seeded(1), 'at the end', 1)
  const [finish = '', ...usage] = end
  const { stream, comes } = await begin([...events, finish])

  const leaving = stream.clientLeft()
  comes(usage)

  expect(billOf(bound, await leaving)).toMatchObject({ outputTokens: tokens, estimated: false })
})

it('a client that leaves once all was said waits five seconds for the usage at the most', async () => {
  const { events, end, bound } = streamOf(seeded(1), 'at the end', 1)
  const { stream, clock } = await begin([...events, end[0] ?? ''])

  const leaving = stream.clientLeft()
  clock.advance(5000)

  expect(billOf(bound, await leaving)).toMatchObject({ estimated: true })
})

it('a usage that came before the last delta is not taken for all of the answer', async () => {
  const [first = '', ...rest] = Array.from({ length: 30 }, () => chunk(MODEL, { content: 'x' }, null))
  const early = withUsage(first, { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 })
  const { ended } = await begin([early, ...rest, chunk(MODEL, {}, 'stop'), 'data: [DONE]\n\n'])

  expect(billOf(40, await ended)).toMatchObject({ inputTokens: 9, outputTokens: 30, estimated: true })
})
