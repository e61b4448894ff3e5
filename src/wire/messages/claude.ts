/** Anthropic's models take different parts of a request, by version. Other models of this API take all of it. */
export interface ModelTraits {
  /** How reasoning is asked for: by a number of tokens, or by an effort. */
  readonly thinking: 'budget' | 'adaptive'
  /** How many of `temperature`, `top_p` and `top_k` a request may have. */
  readonly sampling: 'all' | 'one' | 'none'
  /** Claude refuses some of what other models of this API take: sampling beside thinking, a stop of blanks. */
  readonly isClaude: boolean
}

/** The traits of a model by the name that its backend knows: `claude-sonnet-4-5-20250929`, `us.anthropic.claude-3-haiku…`. */
export function traitsOf(model: unknown): ModelTraits {
  if (typeof model !== 'string' || !model.includes('claude')) return OTHERS
  const [, major, minor] = VERSION.exec(model) ?? []
  const version = major === undefined ? NEWEST : 10 * Number(major) + Number(minor ?? 0)
  if (version < FIRST_ADAPTIVE) return { thinking: 'budget', sampling: 'one', isClaude: true }
  return { thinking: 'adaptive', sampling: version < FIRST_UNSAMPLED ? 'one' : 'none', isClaude: true }
}

const OTHERS: ModelTraits = { thinking: 'adaptive', sampling: 'all', isClaude: false }

/** `claude-3-5-sonnet-20241022` and `claude-opus-4-1`: a date is no minor version. */
const VERSION = /claude-(?:[a-z]+-)?(\d)(?:[-.](\d)(?!\d))?/

/** Claude 4.6 thinks by an effort, and by a budget as well; the ones before by a budget alone, the ones after by an effort alone. */
const FIRST_ADAPTIVE = 46
/** From Claude 4.7 on, `temperature`, `top_p` and `top_k` are refused. */
const FIRST_UNSAMPLED = 47
/** A name without a version is of a newer one. */
const NEWEST = 99
