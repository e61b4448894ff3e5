import { expect, it } from 'vitest'
import type { Config } from '../../../src/policy/config.ts'
import { nanoUsd, ZERO_USD } from '../../../src/policy/nano-usd.ts'
import { alarmLine, logLine } from '../../../src/server/log/line.ts'
import { jsonLine, jsonText } from '../../../src/wire/printable.ts'

const config = { defaultModel: { name: 'svc-auto' } } as Config
const KEY = `A1b2${'x'.repeat(38)}`
const entry = { at: 0, requestId: 'req_1', method: 'GET', path: '/', status: 404, ms: 1 }

it.each([
  [{}, 'GET /  1 ms'],
  [{ asked: 'a', model: 'a', pool: 'p', plan: 'pro' }, 'a  p  1 ms'],
  [{ asked: '', model: 'b', rule: 'r', pool: 'p' }, 'svc-auto → b (r)  p  1 ms'],
  [{ asked: 'a', tools: { search: 1, sum: 3 }, pool: 'p' }, 'a  search  sum ×3  p  1 ms'],
  [{ asked: 'a', inputTokens: 9, outputTokens: 4, cost: nanoUsd(17_000) }, 'a  1 ms  9+4 tok  $0.000017'],
  [{ asked: 'a', inputTokens: 9, outputTokens: 4, cachedTokens: 6 }, 'a  1 ms  9+4 tok  6 cached'],
  [{ asked: 'a', inputTokens: 9, outputTokens: 4, estimated: true, cost: ZERO_USD }, 'a  1 ms  ~9+4 tok  $0'],
  [{ asked: 'a', code: 'c', type: 't', failures: [{ pool: 'p', cause: 'x' }] }, 'a  p ✗ x  1 ms  c t'],
  [{ asked: 'a', type: 't', pool: 'q', failures: [{ pool: 'p', cause: 'x' }] }, 'a  p ✗ x → q  1 ms  t'],
  [{ asked: 'a', code: 'c', interrupted: 'i' }, 'a  1 ms  c  interrupted: i'],
])('a line has what there is to say of %o', (more, said) => {
  expect(logLine({ ...entry, at: 1_795_255_329_999, ...more }, config)).toBe(`10:02:09  404  ${said}`)
})

it.each([`svc_${KEY}`, `another-brand_${KEY}`, `svc%5F${KEY}`, `_${KEY}`])('a full key %s in a path is masked', key => {
  const line = logLine({ ...entry, path: `/v1/models/${key}/x` }, config)

  expect(line).toMatch(/(_|%5F)A1b2…\/x/)
  expect(line).not.toContain('xxxx')
})

it('a full key in place of a model is masked', () => {
  expect(logLine({ ...entry, asked: `svc_${KEY}` }, config)).toContain('svc_A1b2…')
})

it('a value of an alarm writes no line of its own and does not move the cursor', () => {
  const line = alarmLine('a claim', { claimed: 'pro\n▲ all is well\u001b[2J\u202e\u2028' })

  expect(line).toBe('▲ a claim claimed=pro ▲ all is well [2J ')
})

it('a list in an alarm is on its line too', () => {
  expect(alarmLine('keys', { kids: ['a\nb'] })).toBe('▲ keys kids=a b')
})

it('a stack keeps its lines, and nothing else that controls a terminal', () => {
  expect(alarmLine('unexpected error', { stack: 'Error: \u001b[2Jx\n    at y' })).toBe(
    '▲ unexpected error stack=Error:  [2Jx\n    at y',
  )
})

it('a line of JSON says all of what a client wrote, and nothing of it controls a terminal', () => {
  const value = { asked: 'svc\n\u001b[2J\u009b2J\u007f\u202e\u2028 "\\é😀', path: '/\u0085\u0090\u0091' }
  const line = jsonLine(value)

  expect(JSON.parse(line)).toEqual(value)
  expect(line).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+\n$/u)
})

it('JSON on many lines has the lines that it is laid out on, and no other', () => {
  const text = jsonText({ a: ['\u001b[2J\n\u202e'] }, 2)

  expect(text).toBe('{\n  "a": [\n    "\\u001b[2J\\n\\u202e"\n  ]\n}')
})
