import { type Candidate, choose, NEAR_TOKENS, type Why } from '../../policy/balance/cost.ts'
import type { PromptSketch } from '../../policy/balance/prompt-sketch.ts'
import { weightOf } from '../../policy/balance/rendezvous.ts'
import type { Pool } from '../../policy/config.ts'
import type { PaidTokens } from '../../policy/price.ts'
import type { SaltedDomain } from './cache-domains.ts'
import type { TableBudget } from './mark-table.ts'
import type { BalanceNews, DomainMarks, Load } from './news.ts'
import { PoolMarks } from './pool-marks.ts'

/** A request, as far as the choice of a replica depends on it. */
export interface BalancedRequest {
  /** The prefixes of its prompt; undefined if the prompt is too short to be cached. */
  readonly sketch: () => PromptSketch | undefined
  readonly domainIn: (pool: Pool) => SaltedDomain
  /** A digest of the conversation that it belongs to. */
  readonly session: () => number
}

/** A replica with the load from this process, and from other processes and gateways. */
export interface LoadedReplica extends Load {
  readonly url: string
  /** A digest of its URL. */
  readonly place: number
  readonly elsewhere: Load
  /** The replicas of all pools at this URL, this one included: one engine does the work of all. */
  readonly atUrl: readonly (Load & { readonly elsewhere: Load })[]
}

/** A replica with the prompt tokens that it counted, and those that it had cached. */
interface CountedReplica {
  promptTokens: number
  cachedTokens: number
}

/** Shares what this process learns about the caches of a pool. */
export interface CacheEvents {
  /** A replica received prompts with marks that other processes may not know. */
  readonly marked: (url: string, marks: DomainMarks) => void
  /** A replica lost its cache. */
  readonly emptied: (url: string) => void
  /** A process joined that knows few marks: for a while all marks are shared, not only new ones. */
  readonly tellsAll: () => boolean
}

/** The choice of a replica for one request, and what it means for the load there. Counts are tokens of its prompt. */
export interface ReplicaPick {
  readonly why: Why
  readonly cost: number
  readonly heldTokens: number
  /** Tokens that the replica must compute. */
  readonly owedTokens: number
  /** Tokens expected in its cache, and their bytes. */
  readonly expectedTokens: number
  readonly knownBytes: number
  /** Whether the replica was idle: nothing that its cache should have was still being computed. */
  readonly wasIdle: boolean
  readonly sketch: PromptSketch
  readonly domain: SaltedDomain
}

/** Tokens of prompts, by the names that operators read. */
interface FoundTokens {
  readonly prompt_tokens: number
  readonly cached_tokens: number
  readonly expected_tokens: number
}

/**
 * After this many consecutive prompts of which a replica had cached less than half, its cache counts as lost. A single
 * one may have been evicted.
 */
const MOST_SHORT = 8
/** Fewer tokens than this fill no more than a block or two of an engine: missing them means nothing. */
const LEAST_EXPECTED = NEAR_TOKENS

/** Tracks what the replicas of a pool have cached, and chooses by it. */
export class PoolBalance {
  readonly #budget: TableBudget
  #marks: PoolMarks | undefined
  #pool: Pool | undefined
  /** Whether its backends report cached tokens. If they do, an answer without a count means none. */
  #tellsCached = false
  /** Consecutive prompts of which a replica had cached less than half of what was expected, by its URL. */
  readonly #shortInRow = new Map<string, number>()
  #found: FoundTokens = { prompt_tokens: 0, cached_tokens: 0, expected_tokens: 0 }

  readonly #events: CacheEvents | undefined

  constructor(budget: TableBudget, events?: CacheEvents) {
    this.#budget = budget
    this.#events = events
  }

  /** Weighs a request at each replica and picks one. Undefined if the prompt cannot be sketched. */
  choose<R extends LoadedReplica>(
    pool: Pool,
    replicas: readonly R[],
    request: BalancedRequest,
    bytesPerToken: number,
  ): { readonly replica: R; readonly pick: ReplicaPick } | undefined {
    const sketch = request.sketch()
    if (!sketch) return undefined
    const domain = request.domainIn(pool)
    const weighed = this.#weighed(pool, replicas, { request, sketch, domain, bytesPerToken })
    const { candidates, known, key } = weighed
    const choice = choose(candidates, index => weightOf(key, replicas[index]?.place ?? 0))
    const replica = choice && replicas[choice.index]
    const candidate = choice && candidates[choice.index]
    if (!choice || !replica || !candidate) return undefined
    const why: Why = choice.why === 'prefix' && pool.balance === 'session' ? 'session' : choice.why
    const { cost } = choice
    const knownBytes = known[choice.index] ?? 0
    const heldTokens = tokensOf(sketch.bytes, bytesPerToken)
    const expectedTokens = Math.min(heldTokens, tokensOf(knownBytes, bytesPerToken))
    const owedTokens = heldTokens - expectedTokens
    const wasIdle = candidate.owedTokens === 0
    const pick = { why, cost, heldTokens, owedTokens, expectedTokens, knownBytes, wasIdle, sketch, domain }
    return { replica, pick }
  }

  /**
   * Weighs a request at each replica for `explain`; undefined if the prompt cannot be sketched. `among` are the
   * candidates: a session belongs to one of them.
   */
  weigh(
    pool: Pool,
    replicas: readonly LoadedReplica[],
    request: BalancedRequest,
    { bytesPerToken, among }: { readonly bytesPerToken: number; readonly among: readonly LoadedReplica[] },
  ): { readonly promptTokens: number; readonly candidates: readonly Candidate[] } | undefined {
    const sketch = request.sketch()
    if (!sketch) return undefined
    const weighing = { request, sketch, domain: request.domainIn(pool), bytesPerToken }
    const { candidates } = this.#weighed(pool, replicas, weighing, among)
    return { promptTokens: tokensOf(sketch.bytes, bytesPerToken), candidates }
  }

  /** The prompt tokens of chats that backends counted since the start of the process. */
  get found(): FoundTokens {
    return this.#found
  }

  /** Counts the prompt of a chat, as a replica reported it. */
  count(
    { inputTokens, cachedTokens = 0 }: PaidTokens,
    pick: Pick<ReplicaPick, 'expectedTokens'> | undefined,
    replica: CountedReplica,
  ): void {
    const { prompt_tokens, cached_tokens, expected_tokens } = this.#found
    const cached = Math.min(cachedTokens, inputTokens)
    this.#found = {
      prompt_tokens: prompt_tokens + inputTokens,
      cached_tokens: cached_tokens + cached,
      expected_tokens: expected_tokens + Math.min(pick?.expectedTokens ?? 0, inputTokens),
    }
    replica.promptTokens += inputTokens
    replica.cachedTokens += cached
  }

  /** Records that a replica receives the prompt. */
  sent({ sketch, domain }: ReplicaPick, { url }: LoadedReplica): void {
    const marks = this.#marks?.remember(sketch, domain, url, this.#events?.tellsAll())
    if (marks) this.#events?.marked(url, marks)
  }

  /** Puts a prefix into a replica's cache, for scenarios. */
  assume(pool: Pool, sketch: PromptSketch, domain: SaltedDomain, url: string): void {
    this.#marksOf(pool).remember(sketch, domain, url)
  }

  /** Learns from the usage of an answer. `cachedTokens` is what the replica had of the prompt, if it reports that. */
  answered(pick: ReplicaPick, { url }: { readonly url: string }, cachedTokens: number | undefined): void {
    if (cachedTokens !== undefined && cachedTokens > 0) this.#tellsCached = true
    if (!this.#tellsCached || !pick.wasIdle) return
    const { expectedTokens, sketch, domain } = pick
    if (expectedTokens < LEAST_EXPECTED) return
    const isShort = (cachedTokens ?? 0) * 2 < expectedTokens
    const inRow = isShort ? (this.#shortInRow.get(url) ?? 0) + 1 : 0
    this.#shortInRow.set(url, inRow % MOST_SHORT)
    if (inRow < MOST_SHORT) return
    this.forget({ url })
    // The replica has just computed this prompt, so it is cached now.
    const marks = this.#marks?.remember(sketch, domain, url)
    if (marks) this.#events?.marked(url, marks)
  }

  /** Forgets what a replica had cached. */
  forget({ url }: { readonly url: string }): void {
    this.#marks?.forget(url)
    this.#events?.emptied(url)
  }

  /** Applies news from another process about a replica of the pool. */
  adopt(pool: Pool, url: string, { isEmptied, marks = [] }: Pick<BalanceNews, 'isEmptied' | 'marks'>): void {
    if (!isEmptied && marks.length === 0) return
    const known = this.#marksOf(pool)
    if (isEmptied) known.forget(url)
    for (const each of marks) known.adopt(each, url)
  }

  #weighed(
    pool: Pool,
    replicas: readonly LoadedReplica[],
    { request, sketch, domain, bytesPerToken }: Weighing,
    among = replicas,
  ): { readonly candidates: readonly Candidate[]; readonly known: readonly number[]; readonly key: number } {
    const known = this.#marksOf(pool).knownBytes(sketch, domain, replicas)
    const all = tokensOf(sketch.bytes, bytesPerToken)
    const key = pool.balance === 'session' ? request.session() : sketch.anchor
    const home = pool.balance === 'session' ? homeOf(key, among) : undefined
    const candidates: Candidate[] = []
    for (const replica of replicas) {
      const there = tokensOf(known[candidates.length] ?? 0, bytesPerToken)
      const miss = home ? (replica === home ? 0 : all) : Math.max(0, all - there)
      const { inFlight, heldTokens, owedTokens } = loadOf(replica)
      candidates.push({ inFlight, heldTokens, owedTokens, miss })
    }
    return { candidates, known, key }
  }

  /** The marks of the pool as declared now. Another model, or other cache domains, start with empty caches. */
  #marksOf(pool: Pool): PoolMarks {
    const before = this.#pool
    if (this.#marks && before === pool) return this.#marks
    if (this.#marks && before?.model === pool.model && before.caches === pool.caches) this.#marks.keep(pool.replicas)
    else {
      this.#marks?.close()
      this.#marks = new PoolMarks(this.#budget)
    }
    this.#pool = pool
    return this.#marks
  }
}

/** The load of a replica over all pools, processes and gateways. */
export function loadOf({ atUrl }: Pick<LoadedReplica, 'atUrl'>): Load {
  const load = { inFlight: 0, heldTokens: 0, owedTokens: 0 }
  for (const each of atUrl) {
    load.inFlight += each.inFlight + each.elsewhere.inFlight
    load.heldTokens += each.heldTokens + each.elsewhere.heldTokens
    load.owedTokens += each.owedTokens + each.elsewhere.owedTokens
  }
  return load
}

interface Weighing {
  readonly request: BalancedRequest
  readonly sketch: PromptSketch
  readonly domain: SaltedDomain
  readonly bytesPerToken: number
}

const tokensOf = (bytes: number, bytesPerToken: number): number => Math.ceil(bytes / bytesPerToken)

/** The replica that a session belongs to. */
function homeOf(session: number, replicas: readonly LoadedReplica[]): LoadedReplica | undefined {
  let [home, most]: [LoadedReplica | undefined, number] = [undefined, -1]
  for (const replica of replicas) {
    const weight = weightOf(session, replica.place)
    if (weight > most) [home, most] = [replica, weight]
  }
  return home
}
