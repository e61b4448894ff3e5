import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, type Ask, ask, type Outcome } from './client.ts'
import type { Gateway } from './fleet.ts'
import type { Verdict } from './verdict.ts'

export interface LoadTerms {
  readonly gateways: readonly Gateway[]
  readonly accounts: readonly Account[]
  /** Running requests at a time. */
  readonly workers: number
  /** The request of a worker; `n` counts its requests. */
  readonly asks?: (account: Account, n: number) => Ask
  /** How long a worker rests after an answer, and after anything else. */
  readonly restMs?: { readonly served: number; readonly refused: number }
}

/** Whole answers, short streams, and streams that live long enough to be checkpointed, in turn. */
export const mixed = (account: Account, n: number): Ask => {
  const maxTokens = 4 + (n % 17)
  switch (n % 4) {
    case 0:
      return { account, maxTokens, script: { pauseMs: 15 } }
    case 1:
      return { account, maxTokens, stream: true, script: { chunks: 4, gapMs: 5 } }
    case 2:
      return { account, maxTokens, script: {} }
    default:
      return { account, maxTokens, stream: true, script: { chunks: 6, gapMs: 110 } }
  }
}

/** Clients that ask one gateway after the other, without end. */
export class Load {
  /** Every request that is over. */
  readonly outcomes: Outcome[] = []
  readonly #terms: LoadTerms
  #workers: Promise<void>[] = []
  #running = false
  #turn = 0

  constructor(terms: LoadTerms) {
    this.#terms = terms
  }

  start(): void {
    this.#running = true
    this.#workers = Array.from({ length: this.#terms.workers }, (_, number) => this.#work(number))
  }

  /** Resolves once no request is under way. */
  async stop(): Promise<void> {
    this.#running = false
    await Promise.all(this.#workers)
  }

  async runFor(ms: number): Promise<void> {
    this.start()
    await sleep(ms)
    await this.stop()
  }

  async #work(number: number): Promise<void> {
    const { gateways, accounts, asks = mixed, restMs = { served: 0, refused: 20 } } = this.#terms
    for (let n = number; this.#running; n++) {
      const turn = this.#turn++
      const gateway = gateways[turn % gateways.length]
      const account = accounts[(turn + n) % accounts.length]
      if (!gateway || !account) throw new Error('a load needs gateways and accounts')
      const outcome = await ask(gateway, asks(account, n))
      this.outcomes.push(outcome)
      await sleep(outcome.status === 200 ? restMs.served : restMs.refused)
    }
  }
}

/** How often each outcome came: `{ 200: 812, '503 STORE_UNAVAILABLE': 3, broken: 16 }`. */
export function tallyOf(outcomes: readonly Outcome[]): Record<string, number> {
  const tally: Record<string, number> = {}
  for (const outcome of outcomes) {
    const name = nameOf(outcome)
    tally[name] = (tally[name] ?? 0) + 1
  }
  return tally
}

function nameOf({ status, code, whole }: Outcome): string {
  if (status === 0) return 'broken'
  if (status === 200) return whole ? '200' : '200 cut'
  return `${status} ${code}`
}

/** How often each verdict came. */
export function verdictsOf(outcomes: readonly Outcome[]): Partial<Record<Verdict, number>> {
  const tally: Partial<Record<Verdict, number>> = {}
  for (const { verdict } of outcomes) if (verdict) tally[verdict] = (tally[verdict] ?? 0) + 1
  return tally
}
