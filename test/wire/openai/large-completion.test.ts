import { expect, it } from 'vitest'
import type { Model } from '../../../src/policy/config.ts'
import { readCompletion, readLargeCompletion } from '../../../src/wire/openai/answer.ts'
import { allAtOnce } from '../../../src/wire/steps.ts'

const terms = { model: {} as Model, backendModel: 'm', inputTokens: 7, id: 'ours', created: 5 }
const logprobs = {
  content: Array.from({ length: 1200 }, (_, i) => ({ token: `t"${i}`, logprob: -i, bytes: [1, 2], top_logprobs: [] })),
}
const choice = { index: 0, message: { role: 'assistant', content: 'é "hi"' }, logprobs, finish_reason: 'stop' }
const padding = 'x'.repeat(300_000)
const whole = {
  padding,
  id: 'a',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [choice, { ...choice, index: 1 }, { ...choice, index: 2 }, { ...choice, index: 3 }],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
}
const { id: _id, created: _created, ...anonymous } = whole
const { usage: _usage, ...unmetered } = whole

it.each<[string, unknown, string?]>([
  ['what a backend leaves out nothing of', whole],
  ['another model', { ...whole, model: 'other' }],
  ['no id and no time', anonymous],
  ['no usage', unmetered],
  ['a name twice', whole, ',"model":"twice"}'],
  ['an escaped name', whole, ',"mod\\u0065l":"escaped"}'],
  ['no choices', { ...whole, choices: [], padding }],
  ['a choice without a message', { ...whole, choices: [choice, { index: 1, logprobs }], padding }],
  ['choices that are no list', { ...whole, choices: { 0: choice }, padding }],
  ['an end that is missing', whole, ''],
  ['more behind its end', whole, '}]'],
])('a large chat with %s is read as a parser reads it', (_, answer, end = '}') => {
  const bytes = Buffer.from(JSON.stringify(answer).slice(0, -1) + end)
  const read = allAtOnce(readLargeCompletion(bytes, terms))
  const parsed = readCompletion(bytes, terms)

  expect(bytes.length).toBeGreaterThan(262_144)
  expect(read && { ...read, bytes: JSON.parse(read.bytes.toString()) }).toEqual(
    parsed && { ...parsed, bytes: JSON.parse(parsed.bytes.toString()) },
  )
})
