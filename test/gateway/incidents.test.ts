import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { FIXED_MESSAGES, meaningOf } from '../../src/gateway/alarm-messages.ts'
import { INCIDENT_KINDS } from '../../src/gateway/incident-kinds.ts'
import { type Failures, Incidents } from '../../src/gateway/incidents.ts'
import { VirtualClock } from '../support/clock.ts'

const MINUTE = 60_000
const EJECTED = 'a replica is ejected'
const BACK = 'a replica is back'
const EAST = { pool: 'onprem', replica: 'http://east' }
const WEST = { pool: 'onprem', replica: 'http://west' }

let clock: VirtualClock
let incidents: Incidents
let failures: Failures

beforeEach(() => {
  clock = new VirtualClock(Date.UTC(2026, 10, 21, 10))
  incidents = new Incidents(clock)
  failures = { requests: 0, attempts: new Map() }
  incidents.count(async () => failures)
})

const hear = (message: string, fields: Record<string, string | number> = {}, process?: string) =>
  incidents.hear({ at: clock.now(), message, fields }, process)

it('an incident is open from its first alarm to the one that says it is over', async () => {
  hear(EJECTED, EAST)
  const openedAt = clock.now()
  clock.advance(MINUTE)
  expect(await incidents.newest(9)).toMatchObject([
    { kind: 'replica-ejected', subject: EAST, openMs: MINUTE, times: 1 },
  ])
  expect((await incidents.newest(9))[0]).not.toHaveProperty('endedAt')

  hear(BACK, EAST)
  clock.advance(MINUTE)
  expect(await incidents.newest(9)).toMatchObject([{ openedAt, endedAt: openedAt + MINUTE, openMs: MINUTE }])
  expect(incidents.openCount).toBe(0)
})

it('two replicas are two incidents, and each ends by itself', async () => {
  hear(EJECTED, EAST)
  hear(EJECTED, WEST)
  hear(BACK, EAST)

  expect((await incidents.newest(9)).map(({ subject, endedAt }) => [subject, endedAt !== undefined])).toEqual([
    [WEST, false],
    [EAST, true],
  ])
})

it('one that comes and goes is one incident, which says how often and how long in all', async () => {
  for (let time = 0; time < 3; time++) {
    hear(EJECTED, EAST)
    clock.advance(1000)
    hear(BACK, EAST)
    clock.advance(MINUTE)
  }
  expect(await incidents.newest(9)).toMatchObject([{ times: 3, alarms: 3, openMs: 3000 }])

  clock.advance(11 * MINUTE)
  hear(EJECTED, EAST)
  expect(await incidents.newest(9)).toMatchObject([{ times: 1, openMs: 0 }])
})

it('one whose end no alarm tells is over ten minutes after its last alarm', async () => {
  hear('unexpected error', { requestId: 'req_1' })
  clock.advance(9 * MINUTE)
  hear('unexpected error', { requestId: 'req_2' })
  clock.advance(9 * MINUTE)
  expect(incidents.openCount).toBe(1)
  clock.advance(2 * MINUTE)

  expect(incidents.openCount).toBe(0)
  expect(await incidents.newest(9)).toMatchObject([{ kind: 'gateway-fault', alarms: 2, openMs: 9 * MINUTE }])
})

it('an incident of several processes ends once all of them report its end, or are gone', () => {
  for (const worker of ['worker 0', 'worker 1', 'worker 2']) hear('overloaded: guests are refused', {}, worker)
  hear('no longer overloaded: everybody is served', {}, 'worker 0')
  incidents.processEnded('worker 1')
  expect(incidents.openCount).toBe(1)

  hear('no longer overloaded: everybody is served', {}, 'worker 2')
  expect(incidents.openCount).toBe(0)
})

it('a replica that one worker ejected is back when another one says so', () => {
  hear(EJECTED, EAST, 'worker 0')
  hear(BACK, EAST, 'worker 1')

  expect(incidents.openCount).toBe(0)
})

it('says how many attempts at its pool failed while it was open, all times together', async () => {
  failures = { requests: 7, attempts: new Map([['onprem', 5]]) }
  hear(EJECTED, EAST)
  await settled()
  failures = {
    requests: 7,
    attempts: new Map([
      ['onprem', 8],
      ['cloud', 4],
    ]),
  }
  expect(await incidents.newest(9)).toMatchObject([{ affected: { attempts: 3 } }])
  hear(BACK, EAST)
  await settled()
  failures = { requests: 9, attempts: new Map([['onprem', 20]]) }
  hear(EJECTED, EAST)
  await settled()
  failures = { requests: 9, attempts: new Map([['onprem', 21]]) }

  expect(await incidents.newest(9)).toMatchObject([{ affected: { attempts: 4 } }])
})

it('says how many requests failed while it was open, where it is about no pool', async () => {
  failures = { requests: 2, attempts: new Map() }
  hear('the store is down')
  await settled()
  failures = { requests: 12, attempts: new Map() }

  expect(await incidents.newest(9)).toMatchObject([{ affected: { requests: 10 } }])
})

it('begins and ends where nobody says what failed', async () => {
  const rejected: unknown[] = []
  const note = (reason: unknown) => rejected.push(reason)
  process.on('unhandledRejection', note)
  incidents.count(async () => {
    throw new Error('a worker is gone')
  })
  hear(EJECTED, EAST)
  await settled()
  hear(BACK, EAST)
  await settled()
  process.off('unhandledRejection', note)

  expect(rejected).toEqual([])
  expect(incidents.openCount).toBe(0)
})

it('files that serve end the incident of files that did not', () => {
  hear('the configuration was not reloaded: the previous one stays in force', { problems: 1 })
  incidents.served()

  expect(incidents.openCount).toBe(0)
})

it('good news and what an operator did are no incidents', async () => {
  hear('settlements that waited for the store were written to it', { count: 3 })
  hear('an operator drained the pool onprem', { by: 'operator ada' })
  hear('the store is back')

  expect(await incidents.newest(9)).toEqual([])
})

it('keeps 200, and open ones longest', async () => {
  hear('the store is down')
  for (let n = 0; n < 300; n++) {
    hear(EJECTED, { pool: 'onprem', replica: `http://${n}` })
    hear(BACK, { pool: 'onprem', replica: `http://${n}` })
  }
  const kept = await incidents.newest(1000)

  expect(kept).toHaveLength(200)
  expect(kept[0]).toMatchObject({ kind: 'store-down' })
})

describe('messages of alarms', () => {
  it('each that is listed is said somewhere', () => {
    const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts') && !file.endsWith('alarm-messages.ts'))
      .map(file => readFileSync(join('src', file), 'utf8'))
      .join('\n')
    const parts = (message: string) => message.split(/(?:guests are|everybody is) refused|: requests get 503/)[0] ?? ''

    expect(
      FIXED_MESSAGES.filter(
        message => !sources.includes(parts(message).replace(/^(a part of )?the store is (down|back)$/, 'the store ')),
      ),
    ).toEqual([])
  })

  it('one of another build counts as a fault, so that it is seen', () => {
    expect(meaningOf('what no build of today says')).toEqual({ happens: 'gateway-fault' })
  })

  it('every kind of incident is opened by a message, and every end has a beginning', () => {
    const meanings = FIXED_MESSAGES.map(meaningOf).filter(meaning => meaning !== 'note')
    const begun = new Set(
      meanings.flatMap(each => ('opens' in each ? [each.opens] : 'happens' in each ? [each.happens] : [])),
    )
    const ended = meanings.flatMap(each => ('resolves' in each ? [each.resolves] : []))

    expect(ended.filter(kind => !begun.has(kind))).toEqual([])
    // The title names what Redis lacks.
    expect(Object.keys(INCIDENT_KINDS).filter(kind => !begun.has(kind as never))).toEqual(['store-unsafe'])
  })
})

const settled = () => new Promise(resolve => setImmediate(resolve))
