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
  ['Databricks', { error_code: 'BAD_REQUEST', message: NO }, { message: NO, code: 'BAD_REQUEST' }],
  [
    'Databricks, which quotes its provider',
    {
      error_code: 'BAD_REQUEST',
      message: JSON.stringify({
        external_model_provider: 'anthropic',
        external_model_error: { type: 'error', error: { type: 'invalid_request_error', message: NO } },
      }),
    },
    { message: NO },
  ],
  [
    'OpenRouter, the provider as an object',
    { error: { message: 'Provider returned error', code: 400, metadata: { raw: { error: { message: NO } } } } },
    { message: NO },
  ],
  [
    'OpenRouter, of moderation',
    { error: { code: 403, message: NO, metadata: { reasons: ['violence'], flagged_input: 'x', provider_name: 'P' } } },
    { message: NO, code: 403 },
  ],
  ['Apigee', { fault: { faultstring: NO, detail: { errorcode: 'x.y' } } }, { message: NO }],
  [
    'Tencent',
    { Response: { Error: { Code: 'InvalidParameter', Message: NO }, RequestId: 'r' } },
    { message: NO, code: 'InvalidParameter' },
  ],
  [
    'Volcengine at its door',
    { ResponseMetadata: { RequestId: 'r', Error: { Code: 'InvalidParameter', Message: NO } } },
    { message: NO, code: 'InvalidParameter' },
  ],
  ['MiniMax', { base_resp: { status_code: 2013, status_msg: NO } }, { message: NO, status_code: 2013 }],
  [
    'MiniMax, of its form of OpenAI',
    { type: 'error', error: { type: 'bad_request_error', message: NO, http_code: '400' }, request_id: 'r' },
    { message: NO, type: 'bad_request_error', status_code: '400' },
  ],
  ['ERNIE', { error_code: 336003, error_msg: NO, id: 'as-1' }, { message: NO, code: 336003 }],
  ['SiliconFlow', { code: 20015, message: NO, data: null }, { message: NO, code: 20015 }],
  ['iFlow', { status: '449', msg: NO, body: null }, { message: NO, status: '449' }],
  ['Spark', { code: 11200, message: NO, sid: 'cht1' }, { message: NO, code: 11200 }],
  ['Spark, of its header', { header: { code: 10013, message: NO, sid: 'x', status: 2 } }, { message: NO, code: 10013 }],
  ['DashScope', { code: 'InvalidParameter', message: NO, request_id: 'r' }, { message: NO, code: 'InvalidParameter' }],
  [
    'DashScope, of its form of OpenAI',
    { error: { code: 'invalid_parameter_error', param: null, message: NO, type: 'invalid_request_error' }, id: 'x' },
    { message: NO, code: 'invalid_parameter_error' },
  ],
  ['Z.ai', { error: { code: '1210', message: NO } }, { message: NO, code: '1210' }],
  [
    'Clarifai',
    { status: { code: 11102, description: 'Invalid request', details: NO, req_id: 'r' } },
    { message: NO, code: 11102 },
  ],
  [
    'AWS, with its type',
    { __type: 'com.amazon.coral#ValidationException', message: NO },
    { type: 'ValidationException' },
  ],
  [
    'SageMaker',
    { ErrorCode: 'CLIENT_ERROR_FROM_MODEL', Message: NO, OriginalMessage: '{}', OriginalStatusCode: 400 },
    { message: NO },
  ],
  ['Azure API Management', { statusCode: 400, message: NO }, { message: NO, status_code: 400 }],
  [
    'Azure, of a filter',
    {
      error: {
        ...{ message: NO, type: null, param: 'prompt', code: 'content_filter', status: 400 },
        innererror: { code: 'ResponsibleAIPolicyViolation', content_filter_result: {} },
      },
    },
    { message: NO, code: 'content_filter', param: 'prompt' },
  ],
  [
    'Google, of a field',
    {
      error: {
        ...{ code: 400, message: NO, status: 'INVALID_ARGUMENT' },
        details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: 'a' }] }],
      },
    },
    { message: NO, status: 'INVALID_ARGUMENT' },
  ],
  ['Google, older', { error: { code: 400, errors: [{ message: NO, reason: 'badRequest' }] } }, { message: NO }],
  ['OAuth', { error: 'invalid_request', error_description: NO }, { message: NO }],
  ['Flask', { code: 400, name: 'Bad Request', description: NO }, { message: NO, code: 400 }],
  ['Vapor', { error: true, reason: NO }, { message: NO }],
  ['a reason beside a name', { error: 'Bad Request', reason: NO }, { message: NO }],
  ['details beside a name', { error: 'Bad Request', details: NO }, { message: NO }],
  ['JSON:API', { errors: [{ status: '400', title: 'Bad Request', detail: NO }] }, { message: NO, status: '400' }],
  ['GraphQL', { data: null, errors: [{ message: NO, extensions: { code: 'BAD_USER_INPUT' } }] }, { message: NO }],
  ['Replicate', { title: 'Input validation failed', detail: NO, status: 422, invalid_fields: [] }, { message: NO }],
  ['Stability', { id: 'x', name: 'bad_request', errors: [NO] }, { message: NO }],
  ['Hugging Face, a list', { error: [NO], warnings: ['x'] }, { message: NO }],
  ['Hugging Face, an object', { error: { message: NO, type: 'x_error', http_status_code: 422 } }, { message: NO }],
  ['Cohere', { id: 'x', message: NO }, { message: NO }],
  ['watsonx', { errors: [{ code: 'invalid_input', message: NO }], trace: 't', status_code: 400 }, { message: NO }],
  ['gRPC over HTTP', { code: 3, message: NO, details: [] }, { message: NO, code: 3 }],
  ['Twirp', { code: 'invalid_argument', msg: NO }, { message: NO, code: 'invalid_argument' }],
  ['Portkey', { status: 'failure', message: NO }, { message: NO, status: 'failure' }],
  ['Helicone', { success: false, error: { message: NO } }, { message: NO }],
  ['a Response that failed', { response: { status: 'failed', error: { code: 'x_y', message: NO } } }, { code: 'x_y' }],
  ['a result', { result: { error: { message: NO } } }, { message: NO }],
  ['JSON as a text of JSON', JSON.stringify({ error: { message: NO } }), { message: NO }],
  ['XML', `<?xml version="1.0"?><Error><Code>X</Code><Message>${NO}</Message></Error>`, { message: NO }],
  ['XML without its line', `<Error><Code>X</Code><Message>${NO}</Message></Error>`, { message: NO }],
  [
    'Envoy',
    'upstream connect error or disconnect/reset before headers',
    { message: 'upstream connect error or disconnect/reset before headers' },
  ],
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
    ['an error in its choice', { choices: [{ index: 0, error: { code: 502, message: NO }, delta: {} }] }, true],
    ['a choice whose error is null', { choices: [{ index: 0, error: null, delta: {} }] }, false],
    ['a status of MiniMax', { choices: null, base_resp: { status_code: 2013, status_msg: NO } }, true],
    ['a good status of MiniMax', { choices: [], base_resp: { status_code: 0, status_msg: '' } }, false],
    ['a status of MiniMax beside an answer', { choices: [{}], base_resp: { status_code: 0 } }, false],
    ['an error of ERNIE', { error_code: 336003, error_msg: NO }, true],
    ['an error of SiliconFlow', { code: 50505, message: NO, data: null }, true],
    ['an error of iFlow', { status: '449', msg: NO, body: null }, true],
    ['a message that tells no error', { code: 0, message: 'success' }, false],
    ['a progress of a queue', { status: 'queued', message: 'position 3' }, false],
    ['a ping', { type: 'ping' }, false],
    ['errors of a part of an answer', { data: [], errors: [{ message: NO }] }, false],
    ['a list of answers', [{ index: 0 }, { error: 'x' }], false],
  ])('%s: %s', (_name, body, isError) => {
    expect(errorInAnswer(body) !== undefined).toBe(isError)
  })
})
