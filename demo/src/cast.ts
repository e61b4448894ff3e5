import { createRequire } from 'node:module'
import { EMBEDDER_PACKAGES } from './embeddings/embedder.ts'

/** One backend of the demo. */
export interface Part {
  readonly name: string
  /** The arguments of backend-main that say what it serves. */
  readonly serves: readonly string[]
  /** The variables of the policies that hold its address. */
  readonly variables: readonly string[]
  /** Whether it asks for a key. */
  readonly keyed?: true
}

const EMBEDDING: Part = {
  name: 'onprem-embed',
  // One process for both, since the model behind the names is the same and takes some 200 MB.
  serves: ['--embeddings', 'BAAI/bge-base-en-v1.5,nomic-ai/nomic-embed-text-v1.5'],
  variables: ['ONPREM_EMBED', 'ONPREM_EMBED_FAST'],
}
const CAST: readonly Part[] = [
  { name: 'onprem-core-1', serves: ['--models', 'Qwen/Qwen3-8B'], variables: ['ONPREM_CORE_1'] },
  { name: 'onprem-core-2', serves: ['--models', 'Qwen/Qwen3-8B'], variables: ['ONPREM_CORE_2'] },
  { name: 'onprem-pro', serves: ['--models', 'Qwen/Qwen3-32B'], variables: ['ONPREM_PRO'] },
  { name: 'onprem-ultra', serves: ['--models', 'Qwen/Qwen3-235B-A22B'], variables: ['ONPREM_ULTRA'] },
  EMBEDDING,
  { name: 'onprem-image', serves: ['--images', 'black-forest-labs/FLUX.1-schnell'], variables: ['ONPREM_IMAGE'] },
  { name: 'cloud', serves: ['--models', 'small-chat,large-chat'], variables: ['CLOUD'], keyed: true },
]

/** The backends that can run where the script is, and a sentence about each that cannot. */
export function castFor(script: string): { readonly parts: readonly Part[]; readonly missing: readonly string[] } {
  const absent = EMBEDDER_PACKAGES.find(name => !isInstalled(name, script))
  if (absent === undefined) return { parts: CAST, missing: [] }
  const missing = [`no embedding models: the package ${absent} is not installed`]
  return { parts: CAST.filter(part => part !== EMBEDDING), missing }
}

function isInstalled(name: string, script: string): boolean {
  try {
    createRequire(script).resolve(name)
    return true
  } catch {
    // A package that cannot be resolved here cannot be loaded by the script either.
    return false
  }
}
