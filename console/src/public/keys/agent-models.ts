/** The fields of GET /v1/models by which a model suits an agent. */
export interface ModelFacts {
  readonly id: string
  readonly kind: string
  readonly alias_of?: string
  readonly context_length?: number
  readonly max_output_tokens?: number
  /** US dollars for one token. */
  readonly pricing?: { readonly prompt?: string; readonly completion?: string }
}

/** The models that an agent is set up with: one for its work, one for errands such as titles; and the cap of an answer, in tokens. */
export interface AgentModels {
  readonly main: string
  readonly small: string
  /** Tokens of prompt and answer that the main model takes. */
  readonly context: number
  /** Tokens of an answer that leave room for the prompts of an agent. */
  readonly cap: number
  /** Whether a session of an agent fits into the context. */
  readonly isLarge: boolean
}

/** Claude Code's prompts begin at 21,000 tokens and grow with each file that it reads. */
export const AGENT_CONTEXT = 64_000
/** The output cap that Claude Code asks for by itself. */
const MOST_OUTPUT = 32_000
/** Errands have short prompts. */
const ERRAND_CONTEXT = 16_000

/** The chat models for agents among those that may be asked for; undefined where there is none. `usual` wins a tie. */
export function agentModelsOf(
  catalog: readonly ModelFacts[],
  allowed: readonly string[] | undefined,
  usual: string,
): AgentModels | undefined {
  const targetOf = (name: string) => catalog.find(({ id }) => id === name)?.alias_of ?? name
  const targets = allowed && new Set(allowed.map(targetOf))
  const chats = catalog.filter(
    ({ id, kind, alias_of }) => kind === 'chat' && alias_of === undefined && (targets?.has(id) ?? true),
  )
  const meant = targetOf(usual)
  const context = Math.max(...chats.map(contextOf))
  const largest = chats.filter(each => contextOf(each) === context)
  const main = largest.find(({ id }) => id === meant) ?? largest[0]
  if (!main) return undefined
  const errands = chats.filter(each => contextOf(each) >= ERRAND_CONTEXT)
  const small = errands.reduce((least, each) => (usdOf(each) < usdOf(least) ? each : least), main)
  const cap = Math.min(MOST_OUTPUT, main.max_output_tokens ?? MOST_OUTPUT, Math.floor(context / 8))
  return { main: main.id, small: small.id, context, cap, isLarge: context >= AGENT_CONTEXT }
}

const contextOf = ({ context_length = 0 }: ModelFacts): number => context_length

/** For a token in and one out: good enough to compare. */
const usdOf = ({ pricing = {} }: ModelFacts): number => Number(pricing.prompt ?? 0) + Number(pricing.completion ?? 0)
