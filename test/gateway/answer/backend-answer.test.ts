import { describe, expect, it } from 'vitest'
import { BackendAnswer } from '../../../src/gateway/answer/backend-answer.ts'
import { attemptBuffered } from '../../../src/gateway/answer/buffered.ts'
import { type EndedAnswer, failed, type Outcome, type Work } from '../../../src/gateway/attempt/outcome.ts'
import type { BackendListener } from '../../../src/gateway/ports.ts'
import { oneStep } from '../../../src/wire/steps.ts'
import { VirtualClock } from '../../support/clock.ts'

const settings = { connectTimeout: 1000, answerTimeout: 60_000, idleTimeout: 60_000 } as never
const WORK: Work = { outputBytes: 5 }

/** An answer that reads nothing, so that only its life is left. */
class Bare extends BackendAnswer<string> {
  readonly endings: EndedAnswer[] = []

  is() {
    return this.state
  }

  readonly events = {
    sent: () => this.sent(),
    headed: () => this.head({ status: 200, contentType: 'text/plain' }),
    refused: () => this.head({ status: 503, contentType: 'text/plain' }),
    commit: () => this.commit('answer'),
    complete: () => this.complete('answer'),
    fail: () => this.fail(failed('a fault', WORK)),
    leave: () => this.leave(),
    conclude: () => this.conclude('well'),
  }

  data(): void {}
  end(): void {}
  broken(): void {}
  work(): Work {
    return WORK
  }
  protected onSent(): void {}
  protected override onConcluded(ending: EndedAnswer): void {
    this.endings.push(ending)
  }
}

type Event = keyof Bare['events']
const everyEvent = ['sent', 'headed', 'refused', 'commit', 'complete', 'fail', 'leave', 'conclude'] as const

async function arrive(path: readonly Event[]) {
  const seen: { outcomes: Outcome<string>[]; aborted: boolean } = { outcomes: [], aborted: false }
  const answer = new Bare(new VirtualClock(0), settings)
  const exchange = {
    pause: () => {},
    resume: () => {},
    abort: () => {
      seen.aborted = true
    },
  }
  void answer
    .start(exchange, { gone: false, wasCut: false, onGone: () => () => {} })
    .then(one => seen.outcomes.push(one))
  for (const event of path) answer.events[event]()
  return { answer, seen }
}

const answered = { kind: 'answered', answer: 'answer' }
const failure = failed('a fault', WORK)
const left = { kind: 'left' }
const leftAtWork = { kind: 'left', work: WORK }
const ended = (how: string, cause: string) => ({ ...WORK, how, cause })

/** The result of an event: the next state with its outcome or ending, `–` for nothing, `!` for an Error. */
type Cell = '–' | '!' | readonly [state: string, what?: object]

const table: [state: string, path: Event[], next: Record<Event, Cell>][] = [
  [
    'connecting',
    [],
    {
      sent: ['sent'],
      headed: ['headed'],
      refused: ['refused'],
      commit: '!',
      complete: '!',
      fail: ['over', failure],
      leave: ['over', left],
      conclude: '!',
    },
  ],
  [
    'sent',
    ['sent'],
    {
      sent: '–',
      headed: ['headed'],
      refused: ['refused'],
      commit: '!',
      complete: '!',
      fail: ['over', failure],
      leave: ['over', leftAtWork],
      conclude: '!',
    },
  ],
  [
    'headed',
    ['sent', 'headed'],
    {
      sent: '–',
      headed: '–',
      refused: '–',
      commit: ['passing', answered],
      complete: ['over', answered],
      fail: ['over', failure],
      leave: ['over', leftAtWork],
      conclude: '!',
    },
  ],
  [
    'refused',
    ['sent', 'refused'],
    {
      sent: '–',
      headed: '–',
      refused: '–',
      commit: '!',
      complete: '!',
      fail: ['over', failure],
      leave: ['over', left],
      conclude: '!',
    },
  ],
  [
    'passing',
    ['sent', 'headed', 'commit'],
    {
      sent: '–',
      headed: '–',
      refused: '–',
      commit: '–',
      complete: '!',
      fail: ['over', ended('failed', 'a fault')],
      leave: ['over', ended('left', 'client gone')],
      conclude: ['over', ended('well', '')],
    },
  ],
  ...(['complete', 'fail', 'leave'] as const).map((last): [string, Event[], Record<Event, Cell>] => [
    'over',
    ['sent', 'headed', last],
    {
      sent: '–',
      headed: '–',
      refused: '–',
      commit: '–',
      complete: '–',
      fail: '–',
      leave: '–',
      conclude: '–',
    },
  ]),
]

describe.each(table)('an answer that is %s (%j)', (state, path, next) => {
  it.each(everyEvent)('comes by `%s` to what the table says', async event => {
    const { answer, seen } = await arrive(path)
    await Promise.resolve()
    const before = seen.outcomes.length
    const cell = next[event]

    if (cell === '!') {
      expect(() => answer.events[event]()).toThrow(`an answer that is ${state} cannot ${event}`)
      return
    }
    answer.events[event]()
    await Promise.resolve()

    const [to, what] = cell === '–' ? [state] : cell
    expect(answer.is()).toBe(to)
    const heard = state === 'passing' ? answer.endings : seen.outcomes.slice(before)
    expect(heard).toEqual(what ? [what] : [])
  })
})

it('an answer that is left aborts its exchange, and keeps the ending that it had', async () => {
  const { answer, seen } = await arrive(['sent', 'headed', 'commit', 'conclude'])

  expect(answer.abort()).toEqual(ended('well', ''))
  expect(seen.aborted).toBe(true)
  expect(answer.endings).toEqual([ended('well', '')])
})

it('a refusal of a whole answer is judged by its status, also where the time for an answer passes while its reason comes', async () => {
  const clock = new VirtualClock(0)
  let listener: BackendListener | undefined
  const send = (_request: unknown, to: BackendListener) => {
    listener = to
    return { pause: () => {}, resume: () => {}, abort: () => {} }
  }
  const target = { pool: { name: 'onprem', speaks: ['chat'] }, kind: 'chat', settings, dispatched: () => {} } as never
  const client = { gone: false, wasCut: false, onGone: () => () => {} }
  const attempt = attemptBuffered({ send, clock }, target, client, () => oneStep(() => 'answer'))
  listener?.connected()
  clock.advance(58_000)
  listener?.head({ status: 400, contentType: 'application/json' })

  clock.advance(3000)
  listener?.data(Buffer.from('{"error": {"message": "no"}}'))
  listener?.end()

  expect(await attempt).toMatchObject({ kind: 'rejected', cause: 'status 400', problem: 'no' })
})
