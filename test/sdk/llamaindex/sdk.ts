import type { OpenAI, OpenAIEmbedding } from '@llamaindex/openai'
import type { Rig } from '../support/rig.ts'

type ChatFields = NonNullable<ConstructorParameters<typeof OpenAI>[0]>
type EmbeddingFields = NonNullable<ConstructorParameters<typeof OpenAIEmbedding>[0]>

/** LlamaIndex's classes for services that speak this wire, set up as its documentation says. */
export interface LlamaIndex {
  readonly rig: Rig
  llm(fields?: Partial<ChatFields>): OpenAI
  embedding(fields?: Partial<EmbeddingFields>): OpenAIEmbedding
}

export async function loadLlamaIndex(rig: Rig): Promise<LlamaIndex> {
  const { OpenAI, OpenAIEmbedding } = await import('@llamaindex/openai')
  const base = () => ({ apiKey: rig.key, baseURL: rig.baseURL })
  return {
    rig,
    llm: fields => new OpenAI({ model: 'svc-core', ...base(), ...fields }),
    embedding: fields => new OpenAIEmbedding({ model: 'svc-embed', ...base(), ...fields }),
  }
}

export const messages = [{ role: 'user' as const, content: 'What is 6*7?' }]
