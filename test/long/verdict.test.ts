import { expect, it } from 'vitest'
import { piecesOf, verdictOf } from './harness/verdict.ts'

const pieces = piecesOf(7, 3)
const [one, two, three] = pieces
const right = pieces.join('')
const said = (...contents: (string | undefined)[]): string =>
  contents.map(content => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`).join('')
const error = `data: ${JSON.stringify({ error: { message: 'cut' } })}\n\n`
const done = 'data: [DONE]\n\n'

it.each([
  ['everything and [DONE]', said(one, two, three) + done, 'whole'],
  ['a comment between', `${said(one, two)}: keep-alive\n\n${said(three)}${done}`, 'whole'],
  ['a part and an error', said(one, two) + error, 'interrupted'],
  ['an error alone', error, 'exhausted'],
  ['a part and [DONE]', said(one, two) + done, 'wrong: a clean end'],
  ['a piece twice', said(one, two, two, three) + done, 'wrong: a clean end'],
  ['a piece twice and an error', said(one, one) + error, 'wrong: interrupted'],
  ['a piece of another answer', said(piecesOf(8, 1)[0]) + error, 'wrong: interrupted'],
  ['[DONE] after an error', said(one) + error + done, 'wrong: not an event'],
  ['no end', said(one, two, three), 'wrong: no end'],
  ['half an event', said(one, two, three) + done.slice(0, 8), 'wrong: not an event'],
])('a stream with %s', (_, body, verdict) => {
  expect(verdictOf({ stream: true, status: 200, ended: true, body }, right).slice(0, verdict.length)).toBe(verdict)
})

it.each([
  [200, true, JSON.stringify({ choices: [{ message: { content: right } }] }), 'whole'],
  [200, true, JSON.stringify({ choices: [{ message: { content: one } }] }), 'wrong'],
  [503, true, JSON.stringify({ error: 'no', code: 'UPSTREAMS_EXHAUSTED' }), 'refused'],
  [502, true, '<html>', 'wrong'],
  [200, false, '{"cho', 'wrong'],
  [0, false, '', 'wrong'],
])('a whole answer with %i, ended %s: %s', (status, ended, body, verdict) => {
  expect(verdictOf({ stream: false, status, ended, body }, right).split(':')[0]).toBe(verdict)
})
