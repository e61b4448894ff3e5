import { describe, expect, it } from 'vitest'
import type { Denial } from '../../../src/policy/denial.ts'
import { CLIENT_DIALECTS } from '../../../src/wire/client-dialects.ts'
import { renderDenial } from '../../../src/wire/errors/denial.ts'
import { overflowIn, saysTooLong } from '../../../src/wire/errors/overflow.ts'
import { OTHERWISE, TOO_LONG } from '../../support/overflow-words.ts'

describe('overflowIn', () => {
  it.each<[string, object]>([
    [
      "This model's maximum context length is 32768 tokens. However, you requested 60000 tokens (28000 in the messages, 32000 in the completion).",
      { limit: 32768, input: 28000, output: 32000 },
    ],
    [
      "This model's maximum context length is 4096 tokens and your request has 4000 input tokens (4000 > 4096 - 100). 200 tokens for the completion",
      { limit: 4096, input: 4000, output: 200 },
    ],
    [
      '60000 tokens from the input messages and 32000 tokens for the completion; the maximum context length is 65536',
      { limit: 65536, input: 60000, output: 32000 },
    ],
    [
      "You passed 28001 input tokens and requested 32000 output tokens. However, the model's context length is only 32768 tokens.",
      { limit: 32768, input: 28001, output: 32000 },
    ],
    ["The input (5000 tokens) is longer than the model's context length (4096 tokens).", { limit: 4096, input: 5000 }],
    ['The decoder prompt (length 5000) is longer than the maximum model length of 4096.', { limit: 4096, input: 5000 }],
    [
      'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
      { limit: 8192, input: 9000 },
    ],
    ['prompt is too long: 205000 tokens > 200000 maximum', { limit: 200000, input: 205000 }],
    [
      'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length',
      { limit: 200000, input: 190000, output: 20000 },
    ],
    [
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
      { limit: 8192, input: 9001 },
    ],
    ['exceeds the context window', {}],
  ])('reads %s', (text, numbers) => {
    expect(overflowIn(text)).toEqual(numbers)
  })
})

describe('a text that a backend answers with', () => {
  it.each(TOO_LONG)('says that the prompt is too long in the words of %s', (_who, text, numbers) => {
    expect(saysTooLong(text)).toBe(true)
    expect(overflowIn(text)).toEqual(numbers)
  })

  it.each(OTHERWISE)('says something else in the words of %s', (_who, text) => {
    expect(saysTooLong(text)).toBe(false)
  })

  it('is looked at for its first 4,096 characters: the rest may be the prompt', () => {
    expect(saysTooLong(`${'x'.repeat(4096)} prompt is too long`)).toBe(false)
  })
})

describe('a prompt that is too long', () => {
  const terms = { brand: 'svc', links: { docs: 'https://gw/docs/errors' }, requestId: 'req_1' }
  const denial = (input: number, output: number): Denial => ({
    code: 'VALIDATION_ERROR',
    field: '',
    problem: 'the backend refused the request: no',
    reason: 'context_length_exceeded',
    param: 'messages',
    overflow: { input, output, limit: 32768 },
  })
  const messageIn = (of: Denial) =>
    (renderDenial(of, terms, CLIENT_DIALECTS.messages.errors).body as { error: { message: string } }).error.message

  it('is said in the words by which Claude Code asks for less', () => {
    expect(messageIn(denial(28000, 32000))).toBe(
      'input length and `max_tokens` exceed context limit: 28000 + 32000 > 32768, decrease input length or `max_tokens` and try again',
    )
  })

  it('is said in the words by which Claude Code makes its history shorter', () => {
    expect(messageIn(denial(40000, 10))).toBe('prompt is too long: 40000 tokens > 32768 maximum')
  })

  it('is of the input in Responses', () => {
    expect(renderDenial(denial(1, 1), terms, CLIENT_DIALECTS.responses.errors).body).toMatchObject({
      error: { param: 'input', code: 'context_length_exceeded', message: 'the backend refused the request: no' },
    })
  })
})
