import type { BackendSettings, Settings } from '../../config/settings.ts'
import type {
  ChatModel,
  Config,
  EmbeddingModel,
  ImageModel,
  Model,
  PassthroughModel,
  Pool,
} from '../../policy/config.ts'
import { LEAST_OUTPUT } from '../../policy/sizing.ts'

/** The policy's promises about the replicas of a pool. */
export interface Promised {
  readonly pool: Pool
  readonly settings: BackendSettings
  /** The models that it serves, each kind in the order of the files. */
  readonly chats: readonly ChatModel[]
  readonly embeddings: readonly EmbeddingModel[]
  readonly images: readonly ImageModel[]
  /** Requests for these pass through unread, so that the doctor has no question for them. */
  readonly passed: readonly PassthroughModel[]
  /** Whether a plan has one of its models together with tools. */
  readonly tools: boolean
  /** Output tokens of a chat that asks for as few as the gateway ever does. */
  readonly output: number
  /** The cap where the answer is a call: higher, since a model that thinks does so first. */
  readonly callOutput: number
  /** The longest context there is, and who promises it. */
  readonly context?: { readonly tokens: number; readonly by: string }
}

/** Enough for a call of a function with one argument. */
const CALL_OUTPUT = 128

export function promisedOf(config: Config, settings: Settings, pool: Pool): Promised {
  const backend = settings.backends.get(pool.name)
  if (!backend) throw new Error(`pool ${pool.name} has no settings`)
  const models = [...config.models.values()].filter(({ serve }) => serve.includes(pool))
  const chats = models.filter(model => model.kind === 'chat')
  const least = Math.min(...chats.map(thinkingLeast))
  const context = contextOf(models, backend.context)
  return {
    pool,
    settings: backend,
    chats,
    embeddings: models.filter(model => model.kind === 'embedding'),
    images: models.filter(model => model.kind === 'image'),
    passed: models.filter(model => model.kind === 'passthrough'),
    tools: chats.some(model => hasTools(config, model)),
    output: Math.max(LEAST_OUTPUT, Number.isFinite(least) ? least : 0),
    callOutput: Math.max(CALL_OUTPUT, ...chats.map(thinkingLeast)),
    ...(context && { context }),
  }
}

/** Backends may refuse to think in less. */
const thinkingLeast = ({ thinking }: ChatModel): number => (thinking?.default ? thinking.minMaxTokens : 0)

const hasTools = ({ plans }: Config, { name }: Model): boolean =>
  [...plans.values()].some(({ models, tools }) => models.has(name) && tools.size > 0)

/** A pool that declares its own context is given nothing longer. */
function contextOf(models: readonly Model[], declared: number | undefined): Promised['context'] {
  if (declared !== undefined) return { tokens: declared, by: 'its `context`' }
  let longest: Promised['context']
  for (const model of models)
    if ('context' in model && model.context > (longest?.tokens ?? 0))
      longest = { tokens: model.context, by: model.name }
  return longest
}
