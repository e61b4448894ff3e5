import { expect } from 'vitest'
import type { Behaviour } from '../../support/backend.ts'
import { json, streamThenReset } from '../../support/backend.ts'
import { SSE_HEADERS } from '../../support/behaviours.ts'
import { type Feature, featureScenarios } from '../support/features.ts'
import { clientSuite } from '../support/installed.ts'
import { PNG } from '../support/trouble.ts'

for (const name of ['openai', 'openai-7'])
  clientSuite({ registry: 'npm', name }, () => {
    const program = 'test/agents/clients/node/features/openai.mjs'
    featureScenarios([process.execPath, program, name, PNG.toString('base64')], FEATURES)
  })

const returns = (expected: unknown): Feature => ({ check: value => expect(value).toEqual(expected) })
const isRefused = (expected: object): Feature => ({ check: value => expect(value).toMatchObject(expected) })

const REFUSAL = 'I do not say that.'

/** A model that does not want to answer. */
const refuses: Behaviour = exchange => {
  const envelope = { id: 'chatcmpl-refusing', created: 1_700_000_000, model: 'test-model' }
  const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 }
  if (exchange.seen.body.stream !== true) {
    const message = { role: 'assistant', content: null, refusal: REFUSAL }
    const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }]
    return json({ ...envelope, object: 'chat.completion', choices, usage })(exchange)
  }
  const choices = [
    [{ index: 0, delta: { role: 'assistant', refusal: REFUSAL }, finish_reason: null }],
    [{ index: 0, delta: {}, finish_reason: 'stop' }],
    [],
  ]
  exchange.response.writeHead(200, SSE_HEADERS)
  for (const some of choices) {
    const chunk = { ...envelope, object: 'chat.completion.chunk', choices: some, ...(some.length === 0 && { usage }) }
    exchange.response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  exchange.response.end('data: [DONE]\n\n')
}

const town = {
  check: (value: unknown) => expect(value).toEqual({ city: expect.any(String), population: expect.any(Number) }),
}
const summary: Feature = {
  check: value =>
    expect(value).toEqual([
      expect.objectContaining({
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: expect.stringContaining('I follow rules') }],
      }),
      expect.objectContaining({ type: 'message' }),
    ]),
}
const refusal: Feature = {
  backend: refuses,
  check: value => expect(value).toMatchObject([{ type: 'refusal', refusal: REFUSAL }]),
}

const FEATURES: Readonly<Record<string, Feature>> = {
  'returns a text': returns('Paris'),
  'returns a text that it collects': returns('Paris'),
  'parses an answer by a schema': town,
  'parses a stream by a schema': town,
  'calls a custom tool, and takes its result': {
    check: value =>
      expect(value).toMatchObject({
        call: { type: 'custom_tool_call', name: 'note', input: expect.any(String) },
        text: expect.any(String),
      }),
  },
  'tells thoughts in summaries': summary,
  'tells thoughts of a stream in summaries': summary,
  'has a refusal as a part': refusal,
  'has a refusal of a stream as a part': refusal,
  'is incomplete at its cap': returns({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
  'says that a stream failed': {
    backend: streamThenReset({ chunks: ['Par', 'is'] }),
    check: value => expect(value).toMatchObject({ type: 'response.failed', response: { status: 'failed' } }),
  },
  'has log probabilities': {
    check: value => expect(value).toMatchObject([{ token: 'Paris', logprob: -0.25 }]),
  },
  'shows an image': {
    check: (value, { backend }) => {
      expect(value).toBe('Paris')
      expect(backend.requests[0]?.rawBody).toContain('data:image/png;base64,')
    },
  },
  'is told that responses are not kept': isRefused({ name: 'BadRequestError', param: 'previous_response_id' }),
  'is told that nothing runs in the background': isRefused({ name: 'BadRequestError', param: 'background' }),
  'is told that conversations are not kept': isRefused({ name: 'BadRequestError', param: 'conversation' }),
  'is told that files are not kept': isRefused({ name: 'BadRequestError', status: 400 }),
  'is told that a model is not there': isRefused({ name: 'NotFoundError', code: 'model_not_found', param: 'model' }),
  'is told which field is wrong': isRefused({ name: 'BadRequestError', param: 'temperature' }),
}
