import type { Account } from '../harness/client.ts'
import type { Gateway } from '../harness/fleet.ts'
import type { Masters } from '../harness/masters.ts'
import { served, until } from '../harness/until.ts'

export interface ViolenceTerms {
  /** The first one keeps its main process and its oldest worker, whose memory is watched to the end. */
  readonly gateways: readonly [Gateway, Gateway]
  readonly masters: Masters
  /** How many workers a gateway has. */
  readonly workers: number
  /** Accounts that must be served again by every gateway before the next kill. */
  readonly accounts: readonly Account[]
}

/** Kills workers, main processes, whole gateways and masters in turn, each once all is well again. */
export class Violence {
  /** From each kill to the moment when all was well again, by `performance.now()`. */
  readonly times: { readonly kind: Kind; readonly from: number; to: number }[] = []
  /** A worker, and its gateway's main process, which live on. */
  readonly spared: { readonly gateway: Gateway; readonly worker: number | undefined }
  readonly #terms: ViolenceTerms

  constructor(terms: ViolenceTerms) {
    this.#terms = terms
    const [gateway] = terms.gateways
    this.spared = { gateway, worker: gateway.workers[0] }
  }

  /** Rejects where something does not come back. */
  async next(): Promise<void> {
    const { gateways, accounts } = this.#terms
    const n = this.times.length
    const kind = ROUND[n % ROUND.length] ?? 'worker'
    const time = { kind, from: performance.now(), to: Number.POSITIVE_INFINITY }
    this.times.push(time)
    await this.#kill(kind, n)
    await Promise.all(gateways.flatMap(each => accounts.map(account => served(each, account))))
    time.to = performance.now()
    if (kind === 'master') await this.#terms.masters.heal()
  }

  /** How long it took after each kill until all was well again, in ms. */
  backMs(kind: Kind): readonly number[] {
    return this.times.filter(time => time.kind === kind).map(({ from, to }) => to - from)
  }

  /** Whether something was being killed, or not yet well again, at some time of a span. */
  isWithin(from: number, to: number): boolean {
    return this.times.some(time => time.from <= to && time.to + SETTLED_MS >= from)
  }

  async #kill(kind: Kind, n: number): Promise<void> {
    const { gateways, masters } = this.#terms
    const [spared, mortal] = gateways
    switch (kind) {
      case 'worker':
        return this.#killWorker(n % 2 === 0 ? spared : mortal)
      case 'master':
        return masters.kill(n % 3)
      case 'main':
        return this.#killAndStart(mortal, () => mortal.kill())
      case 'gateway':
        return this.#killAndStart(mortal, async () => {
          for (const pid of mortal.workers) process.kill(pid, 'SIGKILL')
          await mortal.kill()
        })
    }
  }

  /** Another one takes its slot. */
  async #killWorker(gateway: Gateway): Promise<void> {
    const mortal = gateway.workers.filter(pid => pid !== this.spared.worker)
    const pid = mortal[Math.floor(Math.random() * mortal.length)] ?? 0
    process.kill(pid, 'SIGKILL')
    await until(BACK_WITHIN_MS, async () => {
      const { workers = [] } = JSON.parse((await gateway.ask('GET', '/readyz')).body) as { workers?: Worker[] }
      const serving = workers.filter(each => each.state === 'serving' && each.pid !== pid)
      return serving.length === this.#terms.workers
    })
  }

  async #killAndStart(gateway: Gateway, kill: () => Promise<void>): Promise<void> {
    const before = gateway.workers
    await kill()
    // Workers end with their main process.
    await until(BACK_WITHIN_MS, () => before.every(pid => !isThere(pid)))
    // As a supervisor does.
    await until(BACK_WITHIN_MS, () =>
      gateway.start().then(
        () => true,
        () => false,
      ),
    )
  }
}

export const kinds = ['worker', 'main', 'gateway', 'master'] as const

export type Kind = (typeof kinds)[number]

interface Worker {
  readonly pid: number
  readonly state: string
}

export const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const ROUND: readonly Kind[] = ['worker', 'master', 'main', 'master', 'gateway', 'worker', 'master']
const BACK_WITHIN_MS = 240_000
/** Connections and caches are warm again so long after all is well. */
const SETTLED_MS = 2000
