import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readSocketRequest } from '../../../src/wire/session/socket-request.ts'
import { times } from '../../support/times.ts'

const HEADERS = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version': '13' }
const read = (url: string, headers: Record<string, string> = {}) =>
  readSocketRequest({ url, headers: { ...HEADERS, ...headers } })

it('a request for a WebSocket names its model and its subprotocols, and no key that is among them', () => {
  expect(read('/v1/realtime')).toEqual({ protocols: [] })
  expect(read('/v1/realtime?')).toEqual({ protocols: [] })
  expect(read('/v1/realtime?model=gpt%2Drealtime')).toEqual({ protocols: [], model: 'gpt-realtime' })
  const offered = 'realtime, openai-insecure-api-key.svc_x=,openai-beta.realtime-v1'
  expect(read('/v1/realtime', { 'sec-websocket-protocol': offered })).toEqual({
    protocols: ['realtime', 'openai-beta.realtime-v1'],
  })
})

it.each<[string, string, Record<string, string>, string]>([
  ['another key', '/x', { 'sec-websocket-key': 'short' }, 'sec-websocket-key'],
  ['two keys', '/x', { 'sec-websocket-key': `${HEADERS['sec-websocket-key']}, x` }, 'sec-websocket-key'],
  ['another version', '/x', { 'sec-websocket-version': '8' }, 'sec-websocket-version'],
  ['a subprotocol twice', '/x', { 'sec-websocket-protocol': 'a, a' }, 'sec-websocket-protocol'],
  ['an empty subprotocol', '/x', { 'sec-websocket-protocol': 'a,,b' }, 'sec-websocket-protocol'],
  ['a subprotocol that is no token', '/x', { 'sec-websocket-protocol': 'a b' }, 'sec-websocket-protocol'],
  [
    'too many',
    '/x',
    { 'sec-websocket-protocol': Array.from({ length: 17 }, (_, i) => `p${i}`).join() },
    'sec-websocket-protocol',
  ],
  ['another parameter', '/x?intent=transcription', {}, 'query'],
  ['a parameter beside the model', '/x?model=a&call_id=b', {}, 'query'],
  ['a model twice', '/x?model=a&model=b', {}, 'query'],
  ['an empty model', '/x?model=', {}, 'model'],
  ['a model that is too long', `/x?model=${'a'.repeat(257)}`, {}, 'model'],
])('%s is refused, and named', (_name, url, headers, field) => {
  expect(read(url, headers)).toMatchObject({ denial: { code: 'VALIDATION_ERROR', field } })
})

it('whatever is asked for, subprotocols are tokens of which none is a key', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (query, header) => {
      const asked = read(`/x?${query}`, { 'sec-websocket-protocol': header })
      if ('denial' in asked) return
      for (const protocol of asked.protocols) expect(protocol).toMatch(/^(?!openai-insecure-api-key\.)[!-~]{1,64}$/)
      expect(new Set(asked.protocols).size).toBe(asked.protocols.length)
    }),
    { numRuns: times(500) },
  )
})
