import { type Candidate, choose, NEAR_TOKENS, type Why } from '../../policy/balance/cost.ts'
import type { PromptSketch } from '../../policy/balance/prompt-sketch.ts'
import { weightOf } from '../../policy/balance/rendezvous.ts'
import type { Pool } from '../../policy/config.ts'
import type { PaidTokens } from '../../policy/price.ts'
import type { SaltedDomain } from './cache-domains.ts'
import type { TableBudget } from './mark-table.ts'
import type { BalanceNews, DomainMarks, Load } from './news.ts'
import { PoolMarks } from './pool-marks.ts'

/** A request as a pool chooses one of its replicas for it. */
export interface BalancedRequest {
  /** The beginnings of its prompt; undefined where there are none to be found again. */
  readonly sketch: () => PromptSketch | undefined
  readonly domainIn: (pool: Pool) => SaltedDomain
  /** A digest of the conversation that it belongs to. */
  readonly session: () => number
}

/** A replica with what this process has under way there, and what other processes and gateways have. */
export interface LoadedReplica extends Load {
  readonly url: string
  /** A digest of its URL. */
  readonly place: number
  readonly elsewhere: Load
  /** This one and those of other pools at its URL: one engine has the work of all. */
  readonly atUrl: readonly (Load & { readonly elsewhere: Load })[]
}

/** A replica with the prompt tokens that it counted, and those that it had cached. */
interface CountedReplica {
  promptTokens: number
  cachedTokens: number
}

/** Passes on to other processes what becomes known of the caches of a pool. */
export interface CacheEvents {
  /** A replica was sent prompts with marks that others may not know. */
  readonly marked: (url: string, marks: DomainMarks) => void
  /** A replica lost its cache. */
  readonly emptied: (url: string) => void
  /** Others that know little have joined: all marks are told, not new ones alone. */
  readonly tellsAll: () => boolean
}

/** The choice of a replica for one request, and what it means for the load there. Counts are tokens of its prompt. */
export interface ReplicaPick {
  readonly why: Why
  readonly cost: number
  readonly heldTokens: number
  /** Those that the replica is not expected to have. */
  readonly owedTokens: number
  /** Those that it is expected to have, and their bytes. */
  readonly expectedTokens: number
  readonly knownBytes: number
  /** Whether nothing was being computed there: what it is expected to have cannot still be on its way. */
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

/** So many prompts in a row of which a replica had less than half: it has lost its cache. One alone was only evicted. */
const MOST_SHORT = 8
/** Fewer tokens than this are less than a block or two of an engine: their absence says nothing. */
const LEAST_EXPECTED = NEAR_TOKENS

/** A pool's knowledge of what its replicas have cached, and the choice by it. */
export class PoolBalance {
  readonly #budget: TableBudget
  #marks: PoolMarks | undefined
  #pool: Pool | undefined
  /** Its backends tell how much of a prompt they had cached: where they tell nothing it is none. */
  #tellsCached = false
  /** Prompts in a row of which a replica had less than half of what was expected, by its URL. */
  readonly #shortInRow = new Map<string, number>()
  #found: FoundTokens = { prompt_tokens: 0, cached_tokens: 0, expected_tokens: 0 }

  readonly #events: CacheEvents | undefined

  constructor(budget: TableBudget, events?: CacheEvents) {
    this.#budget = budget
    this.#events = events
  }

  /** The cost of a request at each replica, and the one that it goes to. Undefined where nothing is known of its prompt. */
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
    const why = choice.why === 'prefix' && pool.balance === 'session' ? 'session' : choice.why
    const { cost } = choice
    const knownBytes = known[choice.index] ?? 0
    const heldTokens = tokensOf(sketch.bytes, bytesPerToken)
    const expectedTokens = Math.min(heldTokens, tokensOf(knownBytes, bytesPerToken))
    const owedTokens = heldTokens - expectedTokens
    const wasIdle = loadOf(replica).owedTokens === 0
    const load = { heldTokens, owedTokens, expectedTokens, knownBytes, wasIdle }
    return { replica, pick: { why, cost, ...load, sketch, domain } }
  }

  /**
   * The cost of a request at each replica, for `explain`; undefined where nothing is known of its prompt. `among` are
   * those that it may go to: a session belongs to one of them.
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

  /** A replica counted the prompt of a chat. */
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

  /** A replica is sent the prompt. */
  sent({ sketch, domain }: ReplicaPick, { url }: LoadedReplica): void {
    const marks = this.#marks?.remember(sketch, domain, url, this.#events?.tellsAll())
    if (marks) this.#events?.marked(url, marks)
  }

  /** A replica has the beginning of a prompt, as a scenario gives it. */
  assume(pool: Pool, sketch: PromptSketch, domain: SaltedDomain, url: string): void {
    this.#marksOf(pool).remember(sketch, domain, url)
  }

  /** An answer came, and its usage with it: `cachedTokens` is what the replica had of the prompt, where it says so. */
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
    // It has computed this one just now.
    const marks = this.#marks?.remember(sketch, domain, url)
    if (marks) this.#events?.marked(url, marks)
  }

  /** The cache of a replica is gone. */
  forget({ url }: { readonly url: string }): void {
    this.#marks?.forget(url)
    this.#events?.emptied(url)
  }

  /** Takes in what another process did at a replica of the pool. */
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
    const urls = replicas.map(({ url }) => url)
    const known = this.#marksOf(pool).knownBytes(sketch, domain, urls)
    const all = tokensOf(sketch.bytes, bytesPerToken)
    const key = pool.balance === 'session' ? request.session() : sketch.anchor
    const home = pool.balance === 'session' ? homeOf(key, among) : undefined
    const candidates = replicas.map((replica, index) => {
      const miss = home ? (replica === home ? 0 : all) : Math.max(0, all - tokensOf(known[index] ?? 0, bytesPerToken))
      return { ...loadOf(replica), miss }
    })
    return { candidates, known, key }
  }

  /** Those of the pool as it is declared now: another model, or other domains, have nothing cached. */
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

/** All that is under way at a replica, in whichever pool, process or gateway. */
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
