import type { ChatOpenAI, ChatOpenAIFields, DallEAPIWrapper, OpenAIEmbeddings } from '@langchain/openai'
import type { Rig } from '../support/rig.ts'

type EmbeddingFields = NonNullable<ConstructorParameters<typeof OpenAIEmbeddings>[0]>
type PictureFields = NonNullable<ConstructorParameters<typeof DallEAPIWrapper>[0]>

/** LangChain's classes for services that speak this wire, set up as its documentation says. */
export interface LangChain {
  readonly rig: Rig
  chat(fields?: Partial<ChatOpenAIFields>): ChatOpenAI
  embeddings(fields?: Partial<EmbeddingFields>): OpenAIEmbeddings
  pictures(fields?: Partial<PictureFields>): DallEAPIWrapper
}

export async function loadLangChain(rig: Rig): Promise<LangChain> {
  const { ChatOpenAI, OpenAIEmbeddings, DallEAPIWrapper } = await import('@langchain/openai')
  const base = () => ({ apiKey: rig.key, configuration: { baseURL: rig.baseURL } })
  return {
    rig,
    chat: fields => new ChatOpenAI({ model: 'svc-core', ...base(), ...fields }),
    embeddings: fields => new OpenAIEmbeddings({ model: 'svc-embed', ...base(), ...fields }),
    pictures: fields => new DallEAPIWrapper({ model: 'svc-image', apiKey: rig.key, baseUrl: rig.baseURL, ...fields }),
  }
}

export const question = [{ role: 'user' as const, content: 'What is 6*7?' }]
