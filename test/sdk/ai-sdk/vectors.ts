import { describe, expect, it } from 'vitest'
import { PNG, vectorOf } from '../support/models.ts'
import type { AiSdk } from './sdk.ts'

export function vectorScenarios({ rig, ai, provider }: AiSdk): void {
  const { embed, embedMany, generateImage } = ai

  describe('embeddings', () => {
    it('of one text are its vector, with the usage', async () => {
      const { embedding, usage } = await embed({ model: provider().embeddingModel('svc-embed'), value: 'one text' })

      expect(embedding).toEqual(vectorOf('one text'))
      expect(usage).toEqual({ tokens: 4 })
    })

    it('of many texts are their vectors in order', async () => {
      const values = ['one text', 'and another', 'and a third']

      const { embeddings } = await embedMany({ model: provider().embeddingModel('svc-embed'), values })

      expect(embeddings).toEqual(values.map(vectorOf))
      expect(await rig.calls()).toHaveLength(1)
    })
  })

  describe('images', () => {
    it('are the PNG that was made, in the size that was asked for', async () => {
      const model = provider().imageModel('svc-image')

      const { image } = await generateImage({ model, prompt: 'A fjord', size: '1024x1024' })

      expect({ base64: image.base64, mediaType: image.mediaType }).toEqual({ base64: PNG, mediaType: 'image/png' })
      expect(rig.sent).toMatchObject({ prompt: 'A fjord', size: '1024x1024', model: 'test-model' })
    })
  })
}
