import { type Backend, type Behaviour, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway, type TestPools } from '../../support/gateway.ts'
import { fine } from '../failover/fixture.ts'

export async function until(met: () => boolean): Promise<void> {
  while (!met()) await new Promise(setImmediate)
}

/** The prompt of a request; `more` are other fields of its body. */
export const say = (content: string, more: object = {}) => ({ messages: [{ role: 'user', content }], ...more })

/** A backend that answers one request after the other, each when a test lets it. */
export class Gate {
  /** The first words of the prompts that have come, in order. */
  readonly asked: string[] = []
  #open: (() => void)[] = []
  readonly behaviour: Behaviour = async exchange => {
    const messages = exchange.seen.body.messages as readonly { readonly content: string }[]
    this.asked.push(messages.at(-1)?.content.split(' ')[0] ?? '')
    await new Promise<void>(resolve => this.#open.push(resolve))
    await fine(exchange)
  }

  /** Requests that it has not answered. */
  get open(): number {
    return this.#open.length
  }

  letOne(): void {
    this.#open.shift()?.()
  }

  async letAllUntil(isOver: () => boolean): Promise<void> {
    await until(() => {
      this.letOne()
      return isOver()
    })
  }
}

/** A gateway with one pool, `onprem`, that has a queue, before one backend. */
export class Queued {
  readonly gate = new Gate()
  readonly backend: Backend
  readonly test: TestGateway
  readonly key: string

  private constructor(backend: Backend, test: TestGateway, key: string) {
    this.backend = backend
    this.test = test
    this.key = key
    backend.always(this.gate.behaviour)
  }

  /** `onprem` are the fields of the pool. */
  static async start(onprem: string, more: Partial<TestPools> = {}): Promise<Queued> {
    const backend = await startBackend()
    const test = await startTestGateway({ onprem: [backend], ...more, fields: { onprem, ...more.fields } })
    return new Queued(backend, test, await test.key('pro'))
  }

  get slots() {
    return this.test.gateway.app.pools.of('onprem').slots
  }

  /** Requests that run and wait. */
  get load(): readonly [number, number] {
    return [this.slots.taken, this.slots.waiting]
  }

  async waits(count: number): Promise<void> {
    await until(() => this.slots.waiting === count)
  }

  ask(content: string, { key = this.key, signal, ...more }: AskOptions = {}): Promise<Response> {
    return this.test.chat(key, say(content, more), { ...(signal && { signal }) })
  }

  /** Nano-USD that an account has spent, with all that it has reserved. */
  async usedBy(key: string): Promise<number> {
    const response = await fetch(`${this.test.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
    const quota = (await response.json()) as { readonly used: number; readonly held: number }
    return Math.round((quota.used + quota.held) * 1e9)
  }

  /** Nano-USD in the settled rows of the ledger. */
  async charged(): Promise<number> {
    return (await this.test.ledger()).reduce((sum, row) => sum + (row.kind === 'settle' ? row.cost : 0), 0)
  }

  async close(): Promise<void> {
    await this.test.close()
    await this.backend.close()
  }
}

interface AskOptions {
  readonly key?: string
  readonly signal?: AbortSignal
  readonly [field: string]: unknown
}
