/** Tokens of a prompt that one token of an answer costs: answers are decoded one token after the other. */
const ANSWER_WEIGHT = 4
/** Where nothing is known of an account's answers. */
const FIRST_GUESS = 256
/** The share of a new answer in the mean. */
const NEW_SHARE = 0.2
const MOST_ACCOUNTS = 10_000

/** Tokens as the counters of a backend have them. */
interface CountedTokens {
  readonly inputTokens: number
  readonly cachedTokens?: number
  readonly outputTokens: number
}

/** The work of a prompt and an answer, in tokens of prompts that are not cached; at least 1. */
export const workOf = (prompt: number, answer: number): number => Math.max(1, prompt + ANSWER_WEIGHT * answer)

/** The work that a backend has counted. */
export const countedWork = ({ inputTokens, cachedTokens = 0, outputTokens }: CountedTokens): number =>
  workOf(Math.max(0, inputTokens - cachedTokens), outputTokens)

/** How long the answers of accounts are, as far as they have come: the mean of each account, and of all. */
export class AnswerLengths {
  readonly #means = new Map<string, number>()
  #all = FIRST_GUESS

  /** The tokens to expect of an answer of at most `cap`. */
  expected(account: string, cap: number): number {
    return Math.min(cap, Math.round(this.#means.get(account) ?? this.#all))
  }

  learn(account: string, tokens: number): void {
    const mean = this.#means.get(account)
    // Behind all others: the first is the one that was heard of longest ago.
    this.#means.delete(account)
    this.#means.set(account, mean === undefined ? tokens : mean + NEW_SHARE * (tokens - mean))
    this.#all += NEW_SHARE * (tokens - this.#all)
    const [oldest] = this.#means.keys()
    if (this.#means.size > MOST_ACCOUNTS && oldest !== undefined) this.#means.delete(oldest)
  }
}
