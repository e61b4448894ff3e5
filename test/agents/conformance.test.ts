import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Models } from '../sdk/support/models.ts'
import { conformanceFaults } from './conformance/recorded.ts'
import { playGauges } from './model/gauges.ts'
import { clientSuite } from './support/installed.ts'
import { PUBLISHED } from './support/recorder.ts'
import { MODEL, type Rig, startRig } from './support/rig.ts'

clientSuite(PUBLISHED, () => {
  let rig: Rig
  const models = new Models()

  beforeEach(async () => {
    await models.start()
    rig = await startRig('translated', playGauges())
  })
  afterEach(async () => {
    await models.stop()
    // Fails where an answer was not as published.
    await rig.close()
  })

  /** As OpenAI's library asks. */
  const ask = async (path: string, body?: object, key = rig.key) => {
    const response = await fetch(`${rig.baseURL}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-stainless-lang': 'js' },
      ...(body && { body: JSON.stringify(body) }),
    })
    await response.text()
    return response.status
  }
  const messages = [{ role: 'user', content: 'Hello' }]

  describe('as OpenAI publishes them', () => {
    it('are embeddings, as floats and as base64', async () => {
      rig.backend.always(models.answer)
      const request = { model: 'svc-embed', input: ['a', 'b'] }

      expect(await ask('/embeddings', request)).toBe(200)
      expect(await ask('/embeddings', { ...request, encoding_format: 'base64' })).toBe(200)
    })

    it('are images', async () => {
      rig.backend.always(models.answer)

      expect(await ask('/images/generations', { model: 'svc-image', prompt: 'A fjord' })).toBe(200)
    })

    it('are models', async () => {
      expect(await ask('/models')).toBe(200)
      expect(await ask(`/models/${MODEL}`)).toBe(200)
    })

    it.each<[number, object]>([
      [400, { model: MODEL, messages: 'none' }],
      [400, { model: 'no-such-model', messages }],
      [401, { model: MODEL, messages }],
    ])('is a refusal with %i', async (status, body) => {
      expect(await ask('/chat/completions', body, status === 401 ? 'svc_wrong' : rig.key)).toBe(status)
    })
  })

  describe('what is checked', () => {
    const exchange = (path: string, type: string, body: string) => ({
      method: 'POST',
      path,
      requestBody: Buffer.from('{}'),
      status: 200,
      headers: { 'content-type': type },
      body: Buffer.from(body),
      complete: true,
    })
    const json = (path: string, value: object) => exchange(path, 'application/json', JSON.stringify(value))
    const events = (path: string, ...values: object[]) =>
      exchange(path, 'text/event-stream', values.map(value => `data: ${JSON.stringify(value)}\n\n`).join(''))

    it.each([
      [
        'a chat without choices',
        json('/v1/chat/completions', { id: 'a', object: 'chat.completion', created: 1, model: 'a' }),
      ],
      ['a chunk whose delta is a text', events('/v1/chat/completions', { choices: [{ index: 0, delta: 'a' }] })],
      ['a response that is none', json('/v1/responses', { id: 'a', object: 'response' })],
      ['an event that nobody publishes', events('/v1/responses', { type: 'response.sung', sequence_number: 0 })],
      ['a delta without its item', events('/v1/responses', { type: 'response.output_text.delta', delta: 'a' })],
      ['a message without content', json('/v1/messages', { id: 'a', type: 'message', role: 'assistant', model: 'a' })],
      ['a block without an index', events('/v1/messages', { type: 'content_block_stop' })],
    ])('finds %s', (_name, faulty) => {
      expect(conformanceFaults(faulty)).not.toEqual([])
    })
  })
})
