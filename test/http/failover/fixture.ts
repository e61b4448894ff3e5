import type { Breaker } from '../../../src/gateway/pools/breaker.ts'
import type { LedgerRow } from '../../../src/records/ledger-row.ts'
import { answer, type Backend, type Behaviour, startBackend, stream } from '../../support/backend.ts'
import { startTestGateway, type TestGateway, type TestPools } from '../../support/gateway.ts'

/** Two replicas on premises that cost 1 and 2 USD a million tokens, one in the cloud, and what became of a request. */
export class Failover {
  readonly onprem: readonly [Backend, Backend]
  readonly cloud: Backend
  readonly test: TestGateway
  readonly key: string

  private constructor(onprem: readonly [Backend, Backend], cloud: Backend, test: TestGateway, key: string) {
    this.onprem = onprem
    this.cloud = cloud
    this.test = test
    this.key = key
  }

  static async start({ fields, yaml }: Pick<TestPools, 'fields' | 'yaml'> = {}): Promise<Failover> {
    const onprem = [await startBackend(), await startBackend()] as const
    const cloud = await startBackend()
    // Equal prompts would all go to one replica.
    const costs = 'balance: busy, cost_usd_per_1m: { input: 1, output: 2 }, cost_usd_per_image: 0.01'
    const test = await startTestGateway({
      onprem,
      cloud: [cloud],
      fields: { ...fields, onprem: [costs, fields?.onprem].filter(Boolean).join(', ') },
      ...(yaml !== undefined && { yaml }),
    })
    return new Failover(onprem, cloud, test, await test.key('pro'))
  }

  async close(): Promise<void> {
    await this.test.close()
    await Promise.all([...this.onprem, this.cloud].map(backend => backend.close()))
  }

  /** The first request that comes to either replica on premises, and whatever the gateway asks there for itself. */
  firstOnprem(behaviour: Behaviour): void {
    let met = false
    for (const backend of this.onprem) {
      backend.answersChecks(behaviour)
      backend.always(exchange => {
        const first = !met
        met = true
        return (first ? behaviour : fine)(exchange)
      })
    }
  }

  everyOnprem(behaviour: Behaviour): void {
    for (const backend of this.onprem) backend.always(behaviour)
  }

  /** Requests that came on premises, and to the cloud. */
  get calls(): readonly [number, number] {
    return [this.onprem[0].requests.length + this.onprem[1].requests.length, this.cloud.requests.length]
  }

  breaker(pool: 'onprem' | 'cloud', index = 0): Breaker {
    const url = pool === 'cloud' ? this.cloud.url : (this.onprem[index]?.url ?? '')
    return this.test.gateway.app.pools.of(pool).replica(url).breaker
  }

  /** Failures that the breakers on premises count, the larger number first. */
  get failures(): readonly number[] {
    return [this.breaker('onprem', 0).failures, this.breaker('onprem', 1).failures].sort((a, b) => b - a)
  }

  /** The replicas on premises that asked for a pause. */
  get cooling(): number {
    const { pools, clock } = this.test.gateway.app
    return this.onprem.filter(({ url }) => pools.of('onprem').replica(url).cooling(clock.now()) > 0).length
  }

  /** Rows of the ledger, kind and pool, in the order of their kinds. */
  async rows(): Promise<readonly string[]> {
    const rows: readonly LedgerRow[] = await this.test.ledger()
    return rows.map(({ kind, pool, cause }) => [kind, pool, cause].filter(Boolean).join(' ')).sort()
  }

  chat(streamed = false): Promise<Response> {
    return this.test.chat(this.key, { stream: streamed })
  }
}

/** The answer of a healthy backend, with the requested model's name. */
export const fine: Behaviour = exchange => {
  const model = String(exchange.seen.body.model)
  return exchange.seen.body.stream === true
    ? stream({ chunks: ['Fi', 'ne.'], model })(exchange)
    : answer({ content: 'Fine.', model })(exchange)
}
