import { afterEach, expect, it } from 'vitest'
import { builtin, closeAll, closing, Tools } from './fixture.ts'

afterEach(closeAll)

async function at(instant: string, args: unknown): Promise<unknown> {
  const tools = closing(new Tools({ time: builtin('current_time') }))
  tools.clock.advance(Date.parse(instant) - tools.clock.now())
  const { text, failed } = await tools.call('time', args)
  return failed ? text : JSON.parse(text)
}

// Advancing only: all of them lie after the fixture's own instant.
it.each([
  ['2026-11-21T13:03:20.999Z', 'UTC', '2026-11-21T13:03:20+00:00', 'Saturday'],
  ['2026-11-21T13:03:20Z', 'Europe/Berlin', '2026-11-21T14:03:20+01:00', 'Saturday'],
  ['2027-03-28T00:59:59Z', 'Europe/Berlin', '2027-03-28T01:59:59+01:00', 'Sunday'],
  ['2027-03-28T01:00:00Z', 'Europe/Berlin', '2027-03-28T03:00:00+02:00', 'Sunday'],
  ['2027-10-31T00:30:00Z', 'Europe/Berlin', '2027-10-31T02:30:00+02:00', 'Sunday'],
  ['2027-10-31T01:30:00Z', 'Europe/Berlin', '2027-10-31T02:30:00+01:00', 'Sunday'],
  ['2027-07-01T04:00:00Z', 'America/New_York', '2027-07-01T00:00:00-04:00', 'Thursday'],
  ['2027-01-01T04:59:59Z', 'America/New_York', '2026-12-31T23:59:59-05:00', 'Thursday'],
  ['2027-01-15T20:00:00Z', 'Asia/Kathmandu', '2027-01-16T01:45:00+05:45', 'Saturday'],
  ['2027-01-15T20:00:00Z', 'Asia/Tokyo', '2027-01-16T05:00:00+09:00', 'Saturday'],
  ['2027-01-15T11:00:00Z', 'Pacific/Kiritimati', '2027-01-16T01:00:00+14:00', 'Saturday'],
  ['2027-01-15T08:00:00Z', 'America/St_Johns', '2027-01-15T04:30:00-03:30', 'Friday'],
  ['2027-07-15T00:00:00Z', 'Europe/London', '2027-07-15T01:00:00+01:00', 'Thursday'],
  ['2027-01-15T00:00:00Z', 'Europe/London', '2027-01-15T00:00:00+00:00', 'Friday'],
])('at %s it is, in %s, %s', async (instant, timezone, iso, weekday) => {
  const unix = Math.floor(Date.parse(instant) / 1000)
  expect(await at(instant, { timezone })).toEqual({ iso, timezone, weekday, unix })
  expect(Date.parse(iso) / 1000).toBe(unix)
})

it('without a time zone it is UTC', async () => {
  expect(await at('2026-11-21T13:03:20Z', {})).toMatchObject({ iso: '2026-11-21T13:03:20+00:00', timezone: 'UTC' })
})

it.each(['Mars/Olympus', '', 'Europe/Berlin; rm', 7, null])('%j is no time zone', async timezone => {
  expect(await at('2026-11-21T13:03:20Z', { timezone })).toMatch(/^timezone must be the name of an IANA time zone/)
})
