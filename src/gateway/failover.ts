import type { Pool } from '../policy/config.ts'
import type { ExhaustedDenial } from '../policy/denial.ts'
import type { Failed, Outcome, Target } from './attempt.ts'
import type { Alarm, Client, Clock } from './ports.ts'
import type { Ejection, Replicas } from './replicas.ts'

const MAX_ATTEMPTS = 3
const MAX_ATTEMPTS_IN_POOL = 2

export interface FailoverPorts {
  readonly replicas: Replicas
  readonly clock: Clock
  /** Gives numbers in [0, 1). */
  readonly chance: () => number
  readonly alarm: Alarm
  readonly ejection: (pool: Pool) => Ejection
  /** Hears of each attempt before it is made. */
  readonly trying: (pool: Pool) => void
}

/** How the attempts at one request ended. */
export type Attempted<A> =
  | {
      readonly kind: 'answered'
      readonly answer: A
      readonly pool: Pool
      readonly failures: readonly Failure[]
      /** To be called once the answer has ended. */
      readonly over: (end: AnswerEnd) => void
    }
  | { readonly kind: 'rejected'; readonly problem: string; readonly failures: readonly Failure[] }
  | { readonly kind: 'exhausted'; readonly denial: ExhaustedDenial; readonly failures: readonly Failure[] }
  /** The client left; `dispatched` is the pool that may have worked for it. */
  | { readonly kind: 'left'; readonly dispatched?: Pool; readonly failures: readonly Failure[] }

/** How an answer ended: a client that leaves blames no replica. */
export type AnswerEnd = 'well' | 'failed' | 'left'

/** One attempt that failed before anything of it reached the client. */
export interface Failure {
  readonly pool: string
  readonly cause: string
}

/** Tries the pools in order until one answers. The body of the loop is exactly one attempt. */
export async function failover<A>(
  ports: FailoverPorts,
  pools: readonly Pool[],
  client: Client,
  attempt: (place: Pick<Target, 'pool' | 'replica'>) => Promise<Outcome<A>>,
): Promise<Attempted<A>> {
  const { replicas, clock, chance } = ports
  const course = new Course(pools)
  const failures: Failure[] = []
  for (;;) {
    const next = course.next((pool, tried) => replicas.pick(pool, tried, clock.now(), chance))
    if (!next) return { kind: 'exhausted', denial: course.denial(), failures }
    const { pool, replica } = next

    ports.trying(pool)
    const end = replicas.begin(pool.name, replica)
    const outcome = await attempt(next)
    if (outcome.kind === 'answered') {
      const over = (how: AnswerEnd) => {
        end()
        if (how === 'well') replicas.succeeded(pool.name, replica)
        else if (how === 'failed') replicas.failed(pool.name, replica, ports.ejection(pool), clock.now())
      }
      return { kind: 'answered', answer: outcome.answer, pool, failures, over }
    }
    end()
    if (outcome.kind === 'rejected') return { kind: 'rejected', problem: outcome.problem, failures }
    if (outcome.kind === 'left') return { kind: 'left', ...(outcome.dispatched && { dispatched: pool }), failures }

    failures.push({ pool: pool.name, cause: outcome.cause })
    blame(ports, pool, replica, outcome)
    if (client.gone) return { kind: 'left', failures }
    if (outcome.blame === 'pool') course.leave(pool)
  }
}

function blame({ replicas, clock, alarm, ejection }: FailoverPorts, pool: Pool, replica: string, failed: Failed): void {
  if (failed.blame === 'nobody') return
  replicas.failed(pool.name, replica, ejection(pool), clock.now())
  if (failed.blame === 'pool')
    alarm('a pool refuses us: are its key, model and address right?', { pool: pool.name, cause: failed.cause })
}

/** Which replica comes next, and how often a pool was tried. */
class Course {
  readonly #pools: readonly Pool[]
  readonly #tried = new Map<string, Set<string>>()
  readonly #left = new Set<string>()
  #attempts = 0

  constructor(pools: readonly Pool[]) {
    this.#pools = pools
  }

  next(
    pick: (pool: Pool, tried: ReadonlySet<string>) => string | undefined,
  ): { pool: Pool; replica: string } | undefined {
    if (this.#attempts >= MAX_ATTEMPTS) return undefined
    for (const pool of this.#pools) {
      const tried = this.#tried.get(pool.name) ?? new Set()
      if (this.#left.has(pool.name) || tried.size >= MAX_ATTEMPTS_IN_POOL) continue
      const replica = pick(pool, tried)
      if (replica === undefined) continue
      this.#tried.set(pool.name, tried.add(replica))
      this.#attempts++
      return { pool, replica }
    }
    return undefined
  }

  leave(pool: Pool): void {
    this.#left.add(pool.name)
  }

  denial(): ExhaustedDenial {
    const attempted = [...this.#tried.keys()]
    const last = this.#pools.findLast(pool => attempted.includes(pool.name))
    return { code: 'UPSTREAMS_EXHAUSTED', tier: last?.site ?? '', attempted }
  }
}
