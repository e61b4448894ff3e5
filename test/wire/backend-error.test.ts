import { describe, expect, it, test } from 'vitest'
import { errorInAnswer, readBackendError } from '../../src/wire/backend-error.ts'

const NO = 'temperature is too high'

/** Each way in which backends have been seen to write an error, and what is to be read of it. */
const SHAPES: readonly (readonly [whose: string, body: unknown, read: object])[] = [
  [
    'OpenAI',
    { error: { message: NO, type: 'invalid_request_error', param: 'temperature', code: 'x_y' } },
    { message: NO, type: 'invalid_request_error', param: 'temperature', code: 'x_y' },
  ],
  [
    'Anthropic',
    { type: 'error', error: { type: 'invalid_request_error', message: NO } },
    { message: NO, type: 'invalid_request_error' },
  ],
  ["Google's list", [{ error: { code: 400, message: NO, status: 'INVALID_ARGUMENT' } }], { message: NO, code: 400 }],
  [
    'older vLLM',
    { object: 'error', message: NO, type: 'BadRequestError', param: null, code: 400 },
    { message: NO, type: 'BadRequestError' },
  ],
  ['an error in an error', { error: { error: { message: NO, code: 'x_y' } } }, { message: NO, code: 'x_y' }],
  ['a list of errors', { errors: [{ message: NO, code: 7009 }] }, { message: NO, code: 7009 }],
  ['Cloudflare', { success: false, result: null, errors: [{ code: 5006, message: NO }] }, { message: NO }],
  ['a list of texts', { errors: [NO] }, { message: NO }],
  [
    'ASP.NET',
    { title: 'One or more validation errors occurred.', status: 400, errors: { temperature: ['too high'] } },
    { message: 'temperature: too high' },
  ],
  ['AWS', { Message: NO }, { message: NO }],
  ['Bedrock', { message: NO }, { message: NO }],
  ['a message in a message', { message: { message: NO } }, { message: NO }],
  [
    'Mistral',
    {
      object: 'error',
      message: { detail: [{ type: 'missing', loc: ['body', 'messages'], msg: 'Field required' }] },
      type: 'invalid_request_error',
    },
    { message: 'body.messages: Field required', type: 'invalid_request_error' },
  ],
  [
    'FastAPI',
    { detail: [{ type: 'missing', loc: ['body', 'seed'], msg: 'Field required' }] },
    { message: 'body.seed: Field required' },
  ],
  ['FastAPI, a text', { detail: NO }, { message: NO }],
  ['FastAPI, an object', { detail: { error: { message: NO, code: 'x_y' } } }, { message: NO, code: 'x_y' }],
  ['xAI and Ollama', { code: 'Client specified an invalid argument', error: NO }, { message: NO }],
  ['TGI', { error: NO, error_type: 'validation' }, { message: NO, type: 'validation' }],
  ['Spring and Fastify', { status: 400, error: 'Bad Request', message: NO, path: '/v1' }, { message: NO }],
  ['RFC 9457', { type: 'about:blank', title: 'Bad Request', status: 400, detail: NO }, { message: NO }],
  [
    "OpenRouter, the provider's JSON",
    {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: { raw: JSON.stringify({ error: { message: NO, code: 'x_y' } }), provider_name: 'P' },
      },
    },
    { message: NO, code: 'x_y' },
  ],
  [
    "OpenRouter, the provider's text",
    { error: { message: 'Provider returned error', code: 400, metadata: { raw: NO } } },
    { message: NO, code: 400 },
  ],
  [
    'LiteLLM, which quotes',
    {
      error: {
        message: `litellm.BadRequestError: XException - ${JSON.stringify({ error: { message: NO, code: 'x' } })}`,
        code: '400',
      },
    },
    { message: NO, code: '400' },
  ],
  ['JSON as a text', { message: JSON.stringify({ detail: NO }) }, { message: NO }],
  ['a text', `  ${NO}\n`, { message: NO }],
  [
    'a page',
    '<html><head><title>413 Request Entity Too Large</title></head><body>…</body></html>',
    { message: '413 Request Entity Too Large' },
  ],
]

test.each(SHAPES)('the words of an error are read as %s writes it', (_whose, body, read) => {
  expect(readBackendError(body)).toMatchObject(read)
})

describe('of what is no error', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an empty object', {}],
    ['an empty list', []],
    ['an empty text', ' '],
    ['a page without a title', '<html><body>no</body></html>'],
    ['nesting without an end', Array.from({ length: 30 }).reduce(error => ({ error }), NO)],
  ])('%s, no words are read', (_name, body) => {
    expect(readBackendError(body).message).toBeUndefined()
  })
})

it("a code that only stands in a text may be a client's, and is not read", () => {
  const text = `cannot read ${JSON.stringify({ error: { message: 'x', code: 'insufficient_quota' } })}`

  expect(readBackendError({ error: { message: text } })).toEqual({ message: 'x' })
})

it('JSON of a client that a text ends with is no error', () => {
  const text = `cannot read ${JSON.stringify({ name: 'f', message: 'hello' })}`

  expect(readBackendError({ error: { message: text } })).toEqual({ message: text })
})

it('a text of a megabyte is read as it is', () => {
  const message = `bad: {${'"a":'.repeat(250_000)}}`

  expect(readBackendError({ error: { message } })).toEqual({ message })
})

describe('in place of an answer', () => {
  it.each<[string, unknown, boolean]>([
    ['an error', { error: { message: NO } }, true],
    ["Google's list", [{ error: { message: NO } }], true],
    ['an error that is itself the answer', { object: 'error', message: NO }, true],
    ['errors of an answer that failed', { success: false, errors: [{ message: NO }] }, true],
    ['an answer whose error is null', { choices: [], error: null }, false],
    ['errors of a part of an answer', { data: [], errors: [{ message: NO }] }, false],
    ['a list of answers', [{ index: 0 }, { error: 'x' }], false],
  ])('%s: %s', (_name, body, isError) => {
    expect(errorInAnswer(body) !== undefined).toBe(isError)
  })
})
