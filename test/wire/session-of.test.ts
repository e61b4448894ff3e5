import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { sessionNameOf, sessionNamesIn, sessionOf } from '../../src/wire/session-of.ts'

const UUID = '6fbd3c4e-3a8f-4f43-9d2e-0f8c5d2b7a10'
const byBody = (body: object) => sessionNameOf({}, sessionNamesIn({ ...body }))

describe('a conversation is known by', () => {
  it.each<[string, string | undefined, string]>([
    ['the header of Claude Code', sessionNameOf({ 'x-claude-code-session-id': 'cc-1' }), 'cc-1'],
    ['the header of Codex', sessionNameOf({ session_id: 'codex-1' }), 'codex-1'],
    ['the header for it', sessionNameOf({ 'x-session-affinity': 'mine' }), 'mine'],
    ['the key of a cache', byBody({ prompt_cache_key: 'key-1' }), 'key-1'],
    ['the user of Claude Code', byBody({ metadata: { user_id: `user_ab12_account__session_${UUID}` } }), UUID],
    [
      'the same as newer versions write it',
      byBody({ metadata: { user_id: `{"device_id":"ab","session_id":"${UUID}"}` } }),
      UUID,
    ],
    ['an agent before a header of its client', sessionNameOf({ session_id: 'a', 'x-session-affinity': 'b' }), 'a'],
  ])('%s', (_what, name, expected) => {
    expect(name).toBe(expected)
  })

  it.each([
    ['nothing', {}, {}],
    ['an empty header', { 'x-session-affinity': '' }, {}],
    ['headers that come twice', { 'x-session-affinity': ['a', 'b'] }, {}],
    ['a user who names no session', {}, { metadata: { user_id: 'ada@example.com' } }],
    ['names that are no texts', {}, { prompt_cache_key: 7, metadata: { user_id: {} } }],
  ])('its prompt where the request says %s', (_what, headers, body) => {
    expect(sessionNameOf(headers, sessionNamesIn(body))).toBeUndefined()
    expect(sessionOf({ headers, named: sessionNamesIn(body), account: 'a' })).toBeUndefined()
  })
})

describe('the digest of a conversation', () => {
  const of = (name: string, account: string) => sessionOf({ headers: { session_id: name }, account })

  it('is another one for each account, whatever its clients call it', () => {
    expect(of('main', 'acct_1')).toBe(of('main', 'acct_1'))
    expect(of('main', 'acct_1')).not.toBe(of('main', 'acct_2'))
  })

  it('looks at 256 characters of a name', () => {
    expect(of('x'.repeat(256), 'a')).toBe(of(`${'x'.repeat(256)}${'y'.repeat(1_000_000)}`, 'a'))
  })
})

it('the session in a user of 4 MB keeps none of the rest in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  const before = process.memoryUsage().heapUsed
  const sessions = Array.from({ length: 10 }, (_, number) => {
    const user = `{"session_id":"${UUID}","device_id":"${number.toString().repeat(4_000_000)}"}`
    return sessionNamesIn(JSON.parse(JSON.stringify({ metadata: { user_id: user } })))?.ofUser
  })
  await new Promise(setImmediate)
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000)
  expect(sessions).toEqual(Array(10).fill(UUID))
})
