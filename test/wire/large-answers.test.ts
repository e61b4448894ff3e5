import { expect, it } from 'vitest'
import type { Model } from '../../src/policy/config.ts'
import { dialectOf, publicAnswer } from '../../src/wire/dialects.ts'
import { likelyJson, withoutLikelihoods } from '../../src/wire/fast/likelihoods.ts'
import { readSomeMembers } from '../../src/wire/fast/some-members.ts'
import { readNative } from '../../src/wire/native/dialect.ts'
import { readLargeCompletion, readRound } from '../../src/wire/openai/answer.ts'
import { readImages } from '../../src/wire/openai/images.ts'
import { readVectors } from '../../src/wire/openai/vectors.ts'
import { tokenOf } from '../../src/wire/responses/client/output.ts'
import { responsesNative } from '../../src/wire/responses/native.ts'
import type { Steps } from '../../src/wire/steps.ts'

const BYTES = 12_000_000
/** All of these read this much in about 10 ms, most of them in one. */
const STEP_BYTES = 4_194_304

const terms = { model: { name: 'svc' } as Model, backendModel: 'm', inputTokens: 7, id: 'ours', created: 5 }
const json = (value: unknown) => Buffer.from(JSON.stringify(value))

const likely = {
  content: Array.from({ length: BYTES / 4 / 2000 }, (_, n) => ({ token: `t${n}`, padding: 'x'.repeat(1950) })),
}
const chat = json({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [0, 1, 2, 3].map(index => ({ index, message: { content: 'Hi' }, logprobs: likely, finish_reason: 'stop' })),
})

const unnumbered = Buffer.from(chat.toString().replace(/"index":\d,/g, ''))
const escaped = Buffer.from(chat.toString().replaceAll('logprobs"', 'l\\u006fgprobs"'))

/** As an answer is written for a client of Responses. */
function* spokenWhole(bytes: Buffer): Steps<Buffer | undefined> {
  const light = yield* withoutLikelihoods(bytes)
  return light && (yield* light.restored(light.bytes, tokenOf))
}

const START = '\x89PNG\r\n\x1a\n\0\0\0'
const picture = Buffer.concat([Buffer.from(START, 'latin1'), Buffer.alloc(BYTES / 4, 0xff)]).toString('base64')
const pictures = json({ created: 1, data: Array(3).fill({ b64_json: picture }) })
const escapedPictures = Buffer.from(pictures.toString().replaceAll('/', '\\/'))
function images(body: object, answer = pictures): Steps<unknown> {
  const asked = readImages(json({ prompt: 'a cat', n: 3, ...body }))
  if ('denial' in asked || !asked.readInSteps) throw new Error('pictures are not read in steps')
  return asked.readInSteps(answer, terms)
}

const SIZE = 1000
const numbers = Array.from({ length: SIZE }, (_, n) => Math.sin(n))
const base64 = Buffer.from(Float32Array.from(numbers).buffer).toString('base64')
function vectors(embedding: unknown, encoding: 'float' | 'base64', isEscaped = false): Steps<unknown> {
  const inputs = Math.ceil(BYTES / JSON.stringify(embedding).length)
  const data = Array.from({ length: inputs }, (_, index) => ({ object: 'embedding', index, embedding }))
  const text = JSON.stringify({ data })
  const bytes = Buffer.from(isEscaped ? text.replaceAll('embedding"', '\\u0065mbedding"').replaceAll('/', '\\/') : text)
  const model = { kind: 'embedding', name: 'svc-embed', dimensions: SIZE } as Model
  return readVectors(bytes, { ...terms, model, encoding, inputs })
}

const part = { type: 'output_text', text: 'Hi', annotations: [], logprobs: likely.content }
const response = json({
  id: 'r',
  object: 'response',
  status: 'completed',
  output: [1, 2, 3, 4].map(id => ({ type: 'message', id: `m${id}`, role: 'assistant', content: [part] })),
})

const passed = json({
  results: Array.from({ length: BYTES / 100 }, (_, n) => ({ n, text: 'y'.repeat(80) })),
  usage: {},
})

it.each<[string, () => Steps<unknown>]>([
  ['a chat with alternatives and likelihoods', () => readLargeCompletion(chat, terms)],
  ['a chat whose choices have no index', () => readLargeCompletion(unnumbered, terms)],
  ['a chat with escaped names', () => readLargeCompletion(escaped, terms)],
  ['a round of a chat with hosted tools', () => readRound(chat, terms, new Map())],
  ['a chat that was put together of a stream', () => likelyJson(JSON.parse(chat.toString()))],
  ['a chat for a client of Responses', () => spokenWhole(chat)],
  ['a response that is translated', () => publicAnswer(dialectOf({ speaks: ['responses'] }), 'chat', response)],
  ['a response that goes on as it is', () => readNative(response, responsesNative)],
  ['pictures', () => images({})],
  ['pictures as URLs', () => images({ response_format: 'url' })],
  ['pictures in base64 with escapes', () => images({}, escapedPictures)],
  ['pictures in base64 with escapes as URLs', () => images({ response_format: 'url' }, escapedPictures)],
  ['vectors of numbers', () => vectors(numbers, 'float')],
  ['vectors of numbers that are wanted in base64', () => vectors(numbers, 'base64')],
  ['vectors with escaped names', () => vectors(numbers, 'float', true)],
  ['vectors in base64 with escapes', () => vectors(base64, 'base64', true)],
  ['vectors in base64 with escapes that are wanted as numbers', () => vectors(base64, 'float', true)],
  ['vectors in base64', () => vectors(base64, 'base64')],
  ['vectors in base64 that are wanted as numbers', () => vectors(base64, 'float')],
  ['an answer that passes through', () => readSomeMembers(passed, new Set(['usage']))],
])('%s, where they are large, are read in steps', (_, begin) => {
  const steps = begin()
  let count = 1
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) count++

  expect(step.value).toBeDefined()
  expect(count).toBeGreaterThanOrEqual(BYTES / STEP_BYTES)
})
