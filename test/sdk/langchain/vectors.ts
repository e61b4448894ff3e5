import { describe, expect, it } from 'vitest'
import { PNG, vectorOf } from '../support/models.ts'
import type { LangChain } from './sdk.ts'

const texts = ['one text', 'and another', 'and a third']

export function vectorScenarios(sdk: LangChain): void {
  const { rig } = sdk

  describe('embeddings', () => {
    it.each([
      ['by default', {}],
      ['as floats', { encodingFormat: 'float' as const }],
    ])('asked for %s are the vectors, in the order of the texts', async (_name, fields) => {
      expect(await sdk.embeddings(fields).embedDocuments(texts)).toEqual(texts.map(vectorOf))
      expect(await rig.calls()).toHaveLength(1)
    })

    it('of a query are its vector', async () => {
      expect(await sdk.embeddings().embedQuery('one text')).toEqual(vectorOf('one text'))
    })

    it('asked for in other dimensions are refused by the name of the field', async () => {
      const asked = sdk.embeddings({ dimensions: 256 }).embedQuery('one text')

      await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining('dimensions') })
    })
  })

  describe('images', () => {
    // The wrapper always sends style `vivid` and quality `standard`, and no setting of it leaves them out.
    it('are PNGs as base64', async () => {
      expect(await sdk.pictures({ dallEResponseFormat: 'b64_json' }).invoke('A fjord')).toBe(PNG)
      expect(rig.sent).toMatchObject({ prompt: 'A fjord', model: 'test-model' })
    })
  })
}
