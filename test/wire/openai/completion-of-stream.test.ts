import { expect, it } from 'vitest'
import { completionOfStream } from '../../../src/wire/openai/completion-of-stream.ts'
import { allAtOnce } from '../../../src/wire/steps.ts'

const stream = (...chunks: readonly object[]): string =>
  `${chunks.map(chunk => `data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', object: 'chat.completion.chunk', ...chunk })}\n\n`).join('')}: a comment\n\n`
const delta = (value: object, finish: string | null = null, index = 0) => ({
  choices: [{ index, delta: value, finish_reason: finish }],
})
const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }

it('a stream amounts to the completion that the same answer would have been', () => {
  const events = stream(
    { ...delta({ role: 'assistant', content: '' }), system_fingerprint: 'fp' },
    delta({ reasoning_content: 'hm' }),
    delta({ content: 'Hel' }),
    delta({ content: 'lo.' }),
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop', stop_reason: 7 }] },
    { choices: [], usage },
  )

  expect(allAtOnce(completionOfStream(events))).toEqual({
    id: 'c',
    created: 1,
    model: 'm',
    object: 'chat.completion',
    system_fingerprint: 'fp',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hello.', refusal: null, reasoning_content: 'hm' },
        logprobs: null,
        finish_reason: 'stop',
        stop_reason: 7,
      },
    ],
    usage,
  })
})

it('calls come whole, each with its own arguments', () => {
  const part = (index: number, args: string, more: object = {}) => ({
    tool_calls: [{ index, function: { arguments: args }, ...more }],
  })
  const named = (index: number, id: string, name: string) => ({
    tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
  })
  const events = stream(
    delta({ role: 'assistant', content: null }),
    delta(named(0, 'a', 'add')),
    delta(part(0, '{"x":')),
    delta(named(1, 'b', 'sub')),
    delta(part(1, '{}')),
    delta(part(0, '1}')),
    delta({}, 'tool_calls'),
  )

  expect(allAtOnce(completionOfStream(events))).toMatchObject({
    choices: [
      {
        message: {
          content: null,
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'add', arguments: '{"x":1}' } },
            { id: 'b', type: 'function', function: { name: 'sub', arguments: '{}' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
  })
})

it('choices and their probabilities are kept apart', () => {
  const token = (text: string) => ({ token: text, logprob: -1 })
  const said = (index: number, content: string) => ({
    choices: [{ index, delta: { content }, logprobs: { content: [token(content)] }, finish_reason: null }],
  })
  const events = stream(said(1, 'b'), said(0, 'a'), said(0, 'c'), delta({}, 'stop', 1), delta({}, 'length', 0))

  expect(allAtOnce(completionOfStream(events))).toMatchObject({
    choices: [
      {
        index: 0,
        message: { content: 'ac' },
        logprobs: { content: [token('a'), token('c')] },
        finish_reason: 'length',
      },
      { index: 1, message: { content: 'b' }, logprobs: { content: [token('b')] }, finish_reason: 'stop' },
    ],
  })
})
