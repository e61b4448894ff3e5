/** The providers and engines that have a row in the table of profiles. */
export const PROVIDER_NAMES = [
  ...(['openai', 'azure', 'anthropic', 'gemini', 'vertex', 'bedrock', 'xai', 'deepseek', 'mistral', 'groq'] as const),
  ...(['cerebras', 'together', 'fireworks', 'openrouter', 'dashscope', 'moonshot', 'zai'] as const),
  ...(['vllm', 'sglang', 'llamacpp', 'tgi', 'ollama', 'transformers', 'litellm'] as const),
] as const

export type ProviderName = (typeof PROVIDER_NAMES)[number]

/** The request goes without them, and its answer names them; or it does not go. */
export type UnknownFields = 'drop' | 'refuse'

/** How whole answers are fetched from a pool: whole, as streams where they may be long, or always as streams. */
export type Fetch = 'whole' | 'long' | 'stream'

/** Names of the output cap in chat completions. */
export type CapField = 'max_tokens' | 'max_completion_tokens'

/** The field, or the fields, by which chat completions tell the cap of an answer. */
export type Cap = CapField | 'both'

/** Whether a stream of chunks needs a finish reason to be whole: where it is optional, `[DONE]` alone is a good end. */
export type FinishReason = 'required' | 'optional'

/** The choices whose output the usage of a whole answer counts, for a request with several choices. */
export type ChoicesUsage = 'all' | 'one'

/** The forms of tool call ids: any text, or nine letters and digits. */
export type CallIds = 'any' | 'nine_alphanumeric'

/** How an engine orders its requests by `priority`: it does not take it, or those with a low, or a high one, go first. */
export type EnginePriority = 'none' | 'low_first' | 'high_first'

/** Where the thoughts of earlier answers stand in messages: in the member that an answer had them in, or in parts of the content. */
export type Thoughts = 'member' | 'parts'

/**
 * Facts enforced by the code that reads `pool.provider.facts`. A new fact needs its value for unknown providers in
 * `UNKNOWN`; showing, explaining and comparing it follow.
 */
export interface PoolFacts {
  /** Fields of a chat that are left out, since the backend refuses them or does not know them. */
  readonly drops: readonly string[]
  /** Whether messages may have the role `developer`; where they may not, they are sent as `system`. */
  readonly developerRole: boolean
  /** Whether streams may be asked for with `stream_options`; without it, the backend reports usage unasked. */
  readonly streamOptions: boolean
  readonly finishReason: FinishReason
  /** Ids of another form, which other providers made, are sent as some of this one, calls and results alike. */
  readonly callIds: CallIds
  /** Whether messages, parts and tools of a chat may be marked for a cache, as Anthropic has it. */
  readonly cacheMarks: boolean
  /** Whether requests may say by `cache_salt` whose cached prompts they may find. */
  readonly cacheSalt: boolean
  /** Whether requests say by `priority` where they come in the order of the engine. */
  readonly priority: EnginePriority
  /** Where it counts one choice, whole answers of several are fetched as streams, whose tokens are counted as they come. */
  readonly choicesUsage: ChoicesUsage
  /** Thoughts that come back in a member are sent as Mistral's parts of the type `thinking`. */
  readonly thoughts: Thoughts
}

/** All facts about a provider: those above, and a pool's defaults where the pool does not say otherwise. */
export interface Facts extends PoolFacts {
  readonly cap: Cap
  readonly fetch: Fetch
  readonly unknownFields: UnknownFields
  /** Milliseconds that the backend may think before its first content. */
  readonly firstContentTimeout: number
}

/** The name of a fact in the files. */
export const writtenName = (fact: string): string => fact.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** The facts where no row says otherwise: a chat goes as it was asked for. */
export const UNKNOWN: PoolFacts = {
  drops: [],
  developerRole: true,
  streamOptions: true,
  finishReason: 'required',
  callIds: 'any',
  cacheMarks: false,
  cacheSalt: false,
  priority: 'none',
  choicesUsage: 'all',
  thoughts: 'member',
}

/** Facts that hold for requests in every dialect; all others are about chat completions. */
export const OF_ALL_DIALECTS: ReadonlySet<keyof PoolFacts> = new Set(['drops', 'cacheSalt', 'priority'])

/** The provider or engine of a pool. */
export interface PoolProvider {
  /** Its row in the table of profiles; absent where none is written or implied. */
  readonly name?: ProviderName
  /** Set where the addresses of the pool imply the row. */
  readonly isImplied?: true
  readonly facts: PoolFacts
}

/** One sourced value of a fact. */
export interface Cell<T> {
  readonly is: T
  /**
   * Names of models that it holds for; a `*` stands for any characters. They are compared with the backend's name of
   * the model, and with what follows its last slash. Absent: all.
   */
  readonly models?: readonly string[]
  /** Exceptions among those names. */
  readonly but?: readonly string[]
  /** URLs and issues (`owner/repository#number`) as evidence. */
  readonly source: readonly [string, ...string[]]
}

/** The facts about one provider or engine. A fact without a cell is unknown, and changes nothing. */
export interface Profile {
  /** A service validates what its many customers send; an engine trusts every caller. */
  readonly kind: 'service' | 'engine'
  /**
   * Hosts that imply the row, with all names below them. A `*` stands for letters, digits and dashes; a host with one
   * is compared as a whole.
   */
  readonly hosts?: readonly string[]
  /** The first cell of a fact that fits holds; lists of all that fit are joined. */
  readonly facts: { readonly [Fact in keyof Facts]?: readonly Cell<Facts[Fact]>[] }
}

/** The cells of a fact that hold for a model, in their order. */
export function cellsFor<Fact extends keyof Facts>(
  { facts }: Pick<Profile, 'facts'>,
  fact: Fact,
  model: string,
): readonly Cell<Facts[Fact]>[] {
  const cells: readonly Cell<Facts[Fact]>[] = facts[fact] ?? []
  return cells.filter(cell => holdsFor(cell, model))
}

/** The facts of a profile for a model. */
export function factsFor(profile: Pick<Profile, 'facts'>, model: string): Partial<Facts> {
  const known = Object.keys(profile.facts).flatMap(fact => {
    const values = cellsFor(profile, fact as keyof Facts, model).map(({ is }): unknown => is)
    if (values.length === 0) return []
    return [[fact, Array.isArray(values[0]) ? [...new Set(values.flat())] : values[0]]]
  })
  return Object.fromEntries(known)
}

function holdsFor({ models = ['*'], but = [] }: Pick<Cell<unknown>, 'models' | 'but'>, model: string): boolean {
  const names = [model, model.slice(model.lastIndexOf('/') + 1)].map(name => name.toLowerCase())
  const isOneOf = (patterns: readonly string[]) => patterns.some(pattern => names.some(name => fits(name, pattern)))
  return isOneOf(models) && !isOneOf(but)
}

const fits = (name: string, pattern: string): boolean => patternOf(pattern, '.*').test(name)

/** A pattern in which a `*` stands for something, as an expression for all of a text. */
export const patternOf = (pattern: string, any: string): RegExp =>
  new RegExp(`^${pattern.split('*').map(escaped).join(any)}$`)

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
