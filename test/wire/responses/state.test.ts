import { describe, expect, it } from 'vitest'
import { responseNotFound } from '../../../src/wire/responses/state.ts'
import { denialOf, read } from './support.ts'

describe('what would have to be stored', () => {
  it.each([
    ['an earlier response', { previous_response_id: 'resp_1' }, 'previous_response_id', 'previous_response_not_found'],
    ['a conversation', { conversation: 'conv_1' }, 'conversation', 'unsupported_parameter'],
    ['an answer for later', { background: true }, 'background', 'unsupported_parameter'],
  ])('refuses %s, with the code that clients know', (_name, fields, field, reason) => {
    expect(denialOf({ input: 'x', ...fields })).toMatchObject({ field, reason })
  })

  it('takes null and what is done anyway for nothing', () => {
    const body = { previous_response_id: null, conversation: null, background: false, store: true }

    expect(read({ input: 'x', ...body }).chat).toEqual({ messages: [{ role: 'user', content: 'x' }] })
  })

  it('answers a request for an earlier response in one sentence', () => {
    expect(responseNotFound('resp_1').denial).toMatchObject({
      code: 'NOT_FOUND',
      problem: "Response with id 'resp_1' not found: nothing is stored here.",
    })
  })
})
