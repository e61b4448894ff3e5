import { expect, it } from 'vitest'
import { filesOf, foundOfPools } from '../cli/doctor/site.ts'
import { eventually } from '../support/eventually.ts'
import { engineSuite, startLlama } from './support/engines.ts'

engineSuite('xllamacpp', () => {
  it('a pool of an engine that counts one of two choices is told to say so, and no more once it does', async () => {
    const llama = await startLlama()
    const hintsFor = async (pool: string) => {
      const files = filesOf([llama.url], { pool })['config.yaml']
      const found = await foundOfPools({ 'config.yaml': files.replace('model: test-model', 'model: tiny') })
      return found.map(({ hint }) => hint).join('\n')
    }
    try {
      // The model may end a text before the cap does, which shows nothing.
      await eventually(async () => expect(await hintsFor('')).toContain('choices_usage: one'))
      expect(await hintsFor(', provider: llamacpp')).not.toContain('choices_usage')
    } finally {
      await llama.kill()
    }
  })
})
