import { describe, expect, it } from 'vitest'
import { errorIn, ofAnswer, ofError } from '../../../src/gateway/attempt/outcome.ts'

const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message }, request_id: 'req_1' })

describe('an error of Messages', () => {
  const outcome = (status: number, type: string, message: string, retryAfter?: string) =>
    ofAnswer(
      {
        status,
        body: Buffer.from(JSON.stringify(anthropic(type, message))),
        isCut: false,
        ...(retryAfter !== undefined && { retry: { 'retry-after': retryAfter } }),
      },
      0,
    )

  it('that calls the request wrong is passed on in its words', () => {
    expect(outcome(400, 'invalid_request_error', 'messages: roles must alternate')).toMatchObject({
      kind: 'rejected',
      problem: 'messages: roles must alternate',
      tooLong: false,
    })
  })

  it.each([
    'prompt is too long: 210000 tokens > 200000 maximum',
    'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length',
  ])('that calls the prompt too long leaves the pools that take more: %s', message => {
    expect(outcome(400, 'invalid_request_error', message)).toMatchObject({ kind: 'rejected', tooLong: true })
  })

  it('that lacks the account blames the pool, whatever the status', () => {
    const low = 'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.'
    const poor = { kind: 'failed', blame: 'pool', next: 'pool', lacks: 'account' }
    expect(outcome(400, 'invalid_request_error', low)).toMatchObject(poor)
    expect(outcome(402, 'billing_error', 'x')).toMatchObject(poor)
    expect(outcome(401, 'authentication_error', 'invalid x-api-key')).toMatchObject(poor)
  })

  it('that lacks the model blames the pool, and one that does not name it may mean the path', () => {
    expect(outcome(404, 'not_found_error', 'model: claude-9')).toMatchObject({ blame: 'pool', lacks: 'model' })
    expect(outcome(404, 'not_found_error', 'Not Found')).toMatchObject({ blame: 'pool', lacks: 'unnamed' })
  })

  it('that asks to wait is waited for, and blames nobody', () => {
    expect(outcome(429, 'rate_limit_error', 'x', '7')).toMatchObject({
      blame: 'none',
      next: 'replica',
      pause: { time: 7000, asked: true },
    })
  })

  it('that it is overloaded blames the replica, which did not work', () => {
    const overloaded = outcome(529, 'overloaded_error', 'Overloaded')
    expect(overloaded).toMatchObject({ kind: 'failed', blame: 'replica', next: 'replica' })
    expect(overloaded).not.toHaveProperty('work')
  })
})

describe('an error within an answer', () => {
  it.each([
    [
      { type: 'overloaded_error', message: 'Overloaded' },
      { blame: 'replica', cause: 'error event overloaded_error' },
    ],
    [
      { type: 'rate_limit_error', message: 'x' },
      { blame: 'none', next: 'replica' },
    ],
    [
      { type: 'authentication_error', message: 'x' },
      { blame: 'pool', lacks: 'account' },
    ],
    [
      { type: 'api_error', message: 'x' },
      { blame: 'replica', isOfRequest: true },
    ],
    [
      { code: 'rate_limit_exceeded', message: 'x' },
      { blame: 'none', next: 'replica' },
    ],
    [
      { code: 'server_error', message: 'x' },
      { blame: 'replica', isOfRequest: true },
    ],
    [
      { code: 'invalid_prompt', message: 'x' },
      { kind: 'rejected', problem: 'x' },
    ],
  ])('means what its status would: %j', (error, outcome) => {
    expect(ofError(error, {})).toMatchObject(outcome)
  })

  it('is found in a whole answer of either form', () => {
    const found = (body: object) => errorIn(Buffer.from(JSON.stringify(body)))
    expect(found(anthropic('api_error', 'x'))).toEqual({ type: 'api_error', message: 'x' })
    const failed = { object: 'response', status: 'failed', error: { code: 'server_error', message: 'x' } }
    expect(found(failed)).toEqual({ code: 'server_error', message: 'x' })
  })
})
