import { expect, it } from 'vitest'
import { SessionUsage } from '../../../src/wire/session/usage.ts'

it('a response of a session counts what was cached, and its part the context that the one before had', () => {
  const session = new SessionUsage()
  const delta = { type: 'response.output_text.delta', delta: 'Hi' }
  const usage = { input_tokens: 50, output_tokens: 9, input_token_details: { text_tokens: 50, cached_tokens: 40 } }

  expect(session.least).toBeUndefined()
  expect(session.read(delta)).toBeUndefined()
  expect(session.least).toEqual({ outputTokens: 1 })
  const reported = session.read({ type: 'response.done', response: { usage } })
  expect(reported).toEqual({ usage: { inputTokens: 50, outputTokens: 9, cachedTokens: 40 } })
  expect(session.least).toBeUndefined()
  session.read(delta)
  expect(session.least).toEqual({ inputTokens: 50, outputTokens: 1 })
})

const TRANSCRIPTION = 'conversation.item.input_audio_transcription'

it('a transcription without usage costs what was said of it, and nothing of what its session had', () => {
  const session = new SessionUsage()
  session.read({ type: 'response.done', response: { usage: { input_tokens: 50, output_tokens: 9 } } })

  session.read({ type: `${TRANSCRIPTION}.delta`, item_id: 'a', delta: 'Hello' })
  session.read({ type: `${TRANSCRIPTION}.delta`, item_id: 'a', delta: ' there' })
  expect(session.least).toEqual({ inputTokens: 0, outputTokens: 2 })
  expect(session.read({ type: `${TRANSCRIPTION}.completed`, item_id: 'a', transcript: 'Hello there' })).toEqual({
    least: { inputTokens: 0, outputTokens: 2 },
  })
  expect(session.least).toBeUndefined()
  expect(
    session.read({ type: `${TRANSCRIPTION}.completed`, item_id: 'b', transcript: 'One two three four five' }),
  ).toEqual({ least: { inputTokens: 0, outputTokens: 5 } })
  expect(session.read({ type: `${TRANSCRIPTION}.failed`, item_id: 'c', error: {} })).toBeUndefined()
})

it('a translation, which has no responses, costs a token for each delta', () => {
  const session = new SessionUsage()

  session.read({ type: 'session.output_transcript.delta', delta: 'Hallo' })
  session.read({ type: 'session.output_audio.delta', delta: 'UklGRg==' })

  expect(session.least).toEqual({ outputTokens: 2 })
})
