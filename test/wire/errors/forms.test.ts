import { describe, expect, it } from 'vitest'
import type { Denial } from '../../../src/policy/denial.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { CHAT_FORMS, chooseForm } from '../../../src/wire/chosen-form.ts'
import { CLIENT_DIALECTS } from '../../../src/wire/client-dialects.ts'
import { denialEvent, renderDenial, streamErrorOf } from '../../../src/wire/errors/denial.ts'

const terms = { brand: 'svc', links: { docs: 'https://gw/docs/errors' }, requestId: 'req_1' }
const FORMS = {
  ...CHAT_FORMS,
  responses: CLIENT_DIALECTS.responses.errors,
  messages: CLIENT_DIALECTS.messages.errors,
}
const noModel: Denial = {
  code: 'VALIDATION_ERROR',
  field: 'model',
  problem: 'no such model `x`',
  reason: 'model_not_found',
}

describe('chooseForm', () => {
  it.each([
    ['/v1/responses', 'responses'],
    ['/v1/responses/resp_1/cancel', 'responses'],
    ['/v1/responsesx', 'spec'],
    ['/v1/messages', 'messages'],
    ['/v1/messages/count_tokens', 'messages'],
    ['/v1/messagesx', 'spec'],
    ['/v1/chat/completions', 'spec'],
  ] as const)('of %s is %s', (path, form) => {
    expect(chooseForm('auto', path, {}).form).toBe(FORMS[form])
  })

  it.each(['spec', 'openai'] as const)('of the newer dialects is their own where the files say %s', setting => {
    expect(chooseForm(setting, '/v1/messages', {})).toEqual({ form: FORMS.messages })
    expect(chooseForm(setting, '/v1/responses', {})).toEqual({ form: FORMS.responses })
  })
})

describe('the form of Responses', () => {
  it('has the fields that OpenAI names for what is refused before a backend sees it', () => {
    const problem = "Item with id 'msg_1' not found: items are not persisted here."
    const { status, body } = renderDenial(
      { code: 'NOT_FOUND', field: 'input[0]', problem, reason: 'item_not_found' },
      terms,
      FORMS.responses,
    )

    expect(status).toBe(404)
    expect(body).toEqual({
      error: { message: problem, type: 'invalid_request_error', param: 'input[0]', code: 'item_not_found' },
      code: 'NOT_FOUND',
    })
  })

  it('calls a model that is not there a 404', () => {
    expect(renderDenial(noModel, terms, FORMS.responses)).toMatchObject({
      status: 404,
      body: { error: { param: 'model', code: 'model_not_found' } },
    })
    expect(renderDenial(noModel, terms, FORMS.openai).status).toBe(400)
  })

  it('ends a stream with an event of its own', () => {
    expect(denialEvent(noModel, terms, FORMS.responses)).toBe(
      'event: error\ndata: {"type":"error","code":"model_not_found","message":"model: no such model `x`","param":"model","sequence_number":0}\n\n',
    )
  })
})

describe('the form of Messages', () => {
  it.each<[Denial, number, string]>([
    [{ code: 'VALIDATION_ERROR', field: 'max_tokens', problem: 'Field required' }, 400, 'invalid_request_error'],
    [{ code: 'INVALID_KEY' }, 401, 'authentication_error'],
    [
      { code: 'quota_exceeded', resetAt: 0, overageEnabled: false, worst: nanoUsd(1), left: nanoUsd(1), fits: 0 },
      402,
      'billing_error',
    ],
    [{ code: 'FORBIDDEN', problem: 'No.' }, 403, 'permission_error'],
    [noModel, 404, 'not_found_error'],
    [{ code: 'NOT_FOUND', problem: 'No.' }, 404, 'not_found_error'],
    [{ code: 'PAYLOAD_TOO_LARGE', limitBytes: 1 }, 413, 'request_too_large'],
    [{ code: 'UNSUPPORTED_MEDIA_TYPE' }, 415, 'invalid_request_error'],
    [{ code: 'rate_limit_exceeded', type: 'requests', limit: 1, retryAfterMs: 1 }, 429, 'rate_limit_error'],
    [{ code: 'INTERNAL' }, 500, 'api_error'],
    [{ code: 'DRAINING' }, 503, 'overloaded_error'],
  ])('$code is one of its types', (denial, status, type) => {
    const answer = renderDenial(denial, terms, FORMS.messages)

    expect(answer.status).toBe(status)
    expect(answer.headers['request-id']).toBe('req_1')
    expect(answer.body).toEqual({
      type: 'error',
      error: { type, message: expect.any(String) },
      request_id: 'req_1',
    })
  })

  it('begins every text with its field', () => {
    const denial: Denial = { code: 'VALIDATION_ERROR', field: 'max_tokens', problem: 'Field required' }

    expect(renderDenial(denial, terms, FORMS.messages).body).toMatchObject({
      error: { message: 'max_tokens: Field required' },
    })
    expect(renderDenial(denial, terms, FORMS.openai).body).toMatchObject({
      error: { message: 'Field required', param: 'max_tokens' },
    })
  })

  it("says what Anthropic's library sends whole conversations after", () => {
    const reason = 'thread_unsupported_request'
    const denial: Denial = { code: 'VALIDATION_ERROR', field: 'thread', problem: 'send it whole', reason }

    expect(renderDenial(denial, terms, FORMS.messages).body).toMatchObject({
      error: { type: 'invalid_request_error', details: { error_code: reason, unsupported: ['thread'] } },
    })
  })

  it('ends a stream with an event of its own', () => {
    expect(denialEvent({ code: 'DRAINING' }, terms, FORMS.messages)).toMatch(
      /^event: error\ndata: \{"type":"error","error":\{"type":"overloaded_error",.*"request_id":"req_1"\}\n\n$/,
    )
  })
})

describe('streamErrorOf', () => {
  it('has what any dialect says of a stream that failed', () => {
    expect(streamErrorOf({ code: 'DRAINING' }, terms)).toEqual({
      message: 'This gateway is shutting down. Retry in 1 s.',
      type: 'server_error',
      code: 'DRAINING',
    })
  })
})
