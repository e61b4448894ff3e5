import { describe, expect, it } from 'vitest'
import { vectorOf } from '../support/models.ts'
import type { LlamaIndex } from './sdk.ts'

const texts = ['one text', 'and another', 'and a third']

export function vectorScenarios({ rig, embedding }: LlamaIndex): void {
  describe('embeddings', () => {
    it('of many texts are their vectors in order, batch by batch', async () => {
      const vectors = await embedding({ embedBatchSize: 2 }).getTextEmbeddingsBatch(texts)

      expect(vectors.map(vector => [...vector])).toEqual(texts.map(vectorOf))
      expect(await rig.calls()).toHaveLength(2)
    })

    it('of a query are its vector', async () => {
      const vector = await embedding().getQueryEmbedding({ type: 'text', text: 'one text' })

      expect([...(vector ?? [])]).toEqual(vectorOf('one text'))
    })

    it('asked for in other dimensions are refused by the name of the field', async () => {
      const asked = embedding({ dimensions: 256 }).getTextEmbedding('one text')

      await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining('dimensions') })
    })
  })
}
