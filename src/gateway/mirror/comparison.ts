import type { EpochMs, Millis } from '../../policy/config.ts'
import type { ComparedSide, Comparison } from '../../records/comparison.ts'
import { type AnswerFacts, readMirrorTexts } from '../../records/mirror-facts.ts'
import type { LedgerStore } from '../store/ledger-store.ts'

export interface ComparisonQuery {
  /** The pool that served the requests. */
  readonly pool: string
  /** The pool that got the copies. */
  readonly to: string
  readonly since: EpochMs
  readonly until?: EpochMs
}

/** Rows of all kinds that one comparison looks at, newest first. */
const MOST_ROWS = 500_000

/** Compares the answers of two pools to the same requests, by the rows of the copies. */
export async function comparePools(
  ledger: Pick<LedgerStore, 'readRecent'>,
  { pool, to, since, until = Number.POSITIVE_INFINITY }: ComparisonQuery,
): Promise<Comparison> {
  const [original, copy] = [new Side(), new Side()]
  let [rows, pairs, left, oldest] = [0, 0, 0, Number.POSITIVE_INFINITY]
  for await (const { mirror, pool: copied, admittedAt } of ledger.readRecent({ since, most: MOST_ROWS })) {
    rows++
    oldest = Math.min(oldest, admittedAt)
    if (!mirror || copied !== to || admittedAt >= until) continue
    const facts = readMirrorTexts(mirror)
    if (facts.pool !== pool) continue
    if (facts.original.end === 'left' || facts.copy.end === 'left') {
      left++
      continue
    }
    pairs++
    original.add(facts.original)
    copy.add(facts.copy)
  }
  const reached = rows < MOST_ROWS ? since : Math.max(since, oldest)
  return { pairs, left, original: original.figures, copy: copy.figures, since: reached }
}

/** Adds up one side. */
class Side {
  #errors = 0
  #inputTokens = 0
  #outputTokens = 0
  #json = 0
  #validJson = 0
  readonly #finish = new Map<string, number>()
  readonly #firstTokens: Millis[] = []
  readonly #speeds: number[] = []

  add({ end, firstMs, ms, inputTokens = 0, outputTokens = 0, finish, isJson }: AnswerFacts): void {
    if (end === 'failed') this.#errors++
    this.#inputTokens += inputTokens
    this.#outputTokens += outputTokens
    if (finish !== undefined) this.#finish.set(finish, (this.#finish.get(finish) ?? 0) + 1)
    if (isJson !== undefined) this.#json++
    if (isJson) this.#validJson++
    if (firstMs !== undefined) this.#firstTokens.push(firstMs)
    const time = (ms ?? 0) - (firstMs ?? 0)
    if (outputTokens > 0 && time > 0) this.#speeds.push((outputTokens * 1000) / time)
  }

  get figures(): ComparedSide {
    const firstTokenP50Ms = quantile(this.#firstTokens, 0.5)
    const firstTokenP95Ms = quantile(this.#firstTokens, 0.95)
    const speed = quantile(this.#speeds, 0.5)
    return {
      errors: this.#errors,
      ...(firstTokenP50Ms !== undefined && { firstTokenP50Ms }),
      ...(firstTokenP95Ms !== undefined && { firstTokenP95Ms }),
      ...(speed !== undefined && { tokensPerSecond: Math.round(speed * 10) / 10 }),
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      finish: Object.fromEntries([...this.#finish].sort(([, a], [, b]) => b - a)),
      json: this.#json,
      validJson: this.#validJson,
    }
  }
}

/** The least value that so much of all values do not exceed. */
function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]
}
