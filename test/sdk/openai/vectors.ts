import { describe, expect, it } from 'vitest'
import { json } from '../../support/backend.ts'
import { DIMENSIONS, PNG, vectorOf } from '../support/models.ts'
import type { Sdk } from './sdk.ts'

const texts = ['one text', 'and another']

export function embeddingScenarios({ rig, OpenAI, client }: Sdk): void {
  describe('embeddings', () => {
    it.each([
      ['by default', {}],
      ['as floats', { encoding_format: 'float' as const }],
    ])('asked for %s are the vectors, in the order of the texts', async (_name, format) => {
      const answer = await client().embeddings.create({ model: 'svc-embed', input: texts, ...format })

      expect(answer.data.map(({ index, embedding }) => ({ index, embedding: [...embedding] }))).toEqual(
        texts.map((text, index) => ({ index, embedding: vectorOf(text) })),
      )
      expect(answer).toMatchObject({ object: 'list', model: 'svc-embed', usage: { prompt_tokens: 8, total_tokens: 8 } })
    })

    it('asked for as base64 stay text, little-endian floats of 32 bits', async () => {
      const request = { model: 'svc-embed', input: 'one text', encoding_format: 'base64' as const }
      const { data } = await client().embeddings.create(request)

      const text = data[0]?.embedding as unknown
      if (typeof text !== 'string') throw new Error('no text')
      const bytes = Buffer.from(text, 'base64')
      expect(Array.from({ length: DIMENSIONS }, (_, i) => bytes.readFloatLE(i * 4))).toEqual(vectorOf('one text'))
      expect(bytes).toHaveLength(DIMENSIONS * 4)
    })

    it('are right even when the backend only speaks floats', async () => {
      const data = [{ object: 'embedding', index: 0, embedding: vectorOf('one text') }]
      rig.backend.next(
        json({ object: 'list', data, model: 'test-model', usage: { prompt_tokens: 4, total_tokens: 4 } }),
      )

      const answer = await client().embeddings.create({ model: 'svc-embed', input: 'one text' })

      expect([...(answer.data[0]?.embedding ?? [])]).toEqual(vectorOf('one text'))
    })

    it.each([
      ['other dimensions', { dimensions: 256 }, /dimensions/],
      ['tokens for text', { input: [1, 2, 3] }, /input/],
      ['a chat model', { model: 'svc-core' }, /model/],
    ])('with %s are a BadRequestError that names the field', async (_name, body, text) => {
      const request = client().embeddings.create({ model: 'svc-embed', input: 'one text', ...body })

      await expect(request).rejects.toBeInstanceOf(OpenAI.BadRequestError)
      await expect(request).rejects.toThrow(text)
    })
  })
}

export function imageScenarios({ rig, client }: Sdk): void {
  describe('images', () => {
    it('are PNGs as base64, with their usage', async () => {
      const request = { model: 'svc-image', prompt: 'A fjord', size: '1024x1024' as const }
      const answer = await client().images.generate(request)

      expect(answer.data).toMatchObject([{ b64_json: PNG }])
      expect(answer).toMatchObject({ usage: { input_tokens: 4, output_tokens: 256, total_tokens: 260 } })
      expect(rig.sent).toMatchObject({ prompt: 'A fjord', size: '1024x1024', model: 'test-model' })
    })

    // Each says what is done anyway, and costs nothing.
    it.each([
      ['the form they have', { output_format: 'png' }],
      ['the quality that is free', { quality: 'auto' }],
      ['no stream', { stream: false }],
    ])('may be asked for with %s', async (_name, body) => {
      await client().images.generate({ model: 'svc-image', prompt: 'A fjord', ...body } as never)
    })

    it('asked for as URLs come as data: URLs', async () => {
      const request = { model: 'svc-image', prompt: 'A fjord', response_format: 'url' as const }

      const { data } = await client().images.generate(request)

      expect(data?.[0]?.url).toMatch(/^data:image\/png;base64,/)
    })
  })
}
