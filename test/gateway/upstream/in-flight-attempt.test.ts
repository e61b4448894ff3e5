import { describe, expect, it } from 'vitest'
import { failed } from '../../../src/gateway/attempt/outcome.ts'
import { Replica } from '../../../src/gateway/pools/replica.ts'
import { PoolState } from '../../../src/gateway/pools/state.ts'
import { InFlightAttempt } from '../../../src/gateway/upstream/in-flight-attempt.ts'
import { ZERO_USD } from '../../../src/policy/nano-usd.ts'
import { VirtualClock } from '../../support/clock.ts'

/** A second attempt in its pool, and what it holds and reports. */
function newAttempt() {
  const pool = { name: 'onprem' }
  const state = new PoolState({ changed: () => {} })
  state.slots.takeNow({ queueTimeout: 0 })
  const replica = new Replica('http://127.0.0.1:1/v1', { changed: () => {} })
  const reports: string[] = []
  const ports = {
    pools: { of: () => state, failed: () => {} },
    clock: new VirtualClock(0),
    client: { gone: false },
    alarm: () => {},
    expenses: { costOf: () => ZERO_USD },
    checkHealth: () => {},
  }
  let settled = 0
  const room = { reservation: { settle: () => settled++ } }
  const report = { failed: () => reports.push('failed'), over: (how: string) => reports.push(how) }
  const destination = { pool, replica, isRetry: true }
  const attempt = new InFlightAttempt(ports as never, destination as never, {} as never, room, report as never)
  const held = () => ({ inFlight: replica.inFlight, slots: state.slots.taken, retrying: state.retrying, settled })
  const events = {
    answers: () => attempt.answers(),
    failed: () => attempt.failed({ ...failed('status 409'), blame: 'none' }),
    end: () => attempt.end('left', {}),
  }
  return { events, held, reports }
}

type Event = keyof ReturnType<typeof newAttempt>['events']
const everyEvent: readonly Event[] = ['answers', 'failed', 'end']

const trying = { inFlight: 1, slots: 1, retrying: 1, settled: 0 }
const answering = { inFlight: 1, slots: 1, retrying: 0, settled: 0 }
const ended = { inFlight: 0, slots: 0, retrying: 0, settled: 1 }

/** The attempt's state after each event; `!` where the event is a programming error. */
const table: [state: string, path: Event[], holds: object, next: Record<Event, object | '!'>][] = [
  ['trying', [], trying, { answers: answering, failed: ended, end: '!' }],
  ['answering', ['answers'], answering, { answers: '!', failed: '!', end: ended }],
  ['ended', ['answers', 'end'], ended, { answers: '!', failed: ended, end: ended }],
  ['ended', ['failed'], ended, { answers: '!', failed: ended, end: ended }],
]

describe.each(table)('an attempt that is %s (%j)', (_state, path, holds, next) => {
  it.each(everyEvent)('holds after `%s` what the table says, and is reported once at the most', event => {
    const one = newAttempt()
    for (const before of path) one.events[before]()
    expect(one.held()).toEqual(holds)

    const after = next[event]
    if (after === '!') expect(one.events[event]).toThrow('an attempt that is')
    else one.events[event]()

    expect(one.held()).toEqual(after === '!' ? holds : after)
    expect(one.reports).toHaveLength(one.held().settled)
  })
})
