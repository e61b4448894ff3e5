import type { LedgerRow } from '../../../src/records/ledger-row.ts'
import { startTestGateway, type TestGateway, type TestPools } from '../../support/gateway.ts'
import type { RedisServer } from '../../support/redis/redis.ts'
import { type Generation, Generator, PATHS, type Script, type Spoken } from './generator.ts'

export const PROMPTS = { '4 KB': 'lorem ipsum '.repeat(340), '400 KB': 'lorem ipsum '.repeat(34_000) }

export interface Asking {
  readonly client: Spoken
  readonly model: string
  readonly streams?: boolean
  readonly prompt?: string
  readonly cap?: number
  readonly account?: string
  readonly script: Script
  /** In place of the endpoint of its dialect. */
  readonly path?: string
  /** More members of the body. */
  readonly more?: object
}

/** One request, and its client. */
export interface Asked {
  /** The backend's output; of several rounds, the first. */
  readonly generation: Generation
  /** Resolves once its client has read all of the answer, or left. */
  readonly reading: Promise<void>
  /** Resolves once its client has read these words. */
  until(wanted: string): Promise<void>
  /** Has the client leave. Resolves once the gateway knows. */
  leave(): Promise<void>
}

/** A gateway before a generator, and clients that leave it. */
export class LeftSite {
  readonly generator: Generator
  readonly gateway: TestGateway
  readonly key: string
  /** Requests so far. */
  asked = 0
  readonly #redis: RedisServer | undefined

  private constructor(generator: Generator, gateway: TestGateway, key: string, redis: RedisServer | undefined) {
    this.generator = generator
    this.gateway = gateway
    this.key = key
    this.#redis = redis
  }

  /** `yaml` has models, pools and routes; `URL` stands for the generator. */
  static async start(redis: RedisServer | undefined, yaml: string, pools: Partial<TestPools> = {}): Promise<LeftSite> {
    const generator = await Generator.start()
    const gateway = await startTestGateway({
      onprem: [generator.backend],
      ...pools,
      yaml: `include: [left.yaml]\n${pools.yaml ?? ''}`,
      files: { 'left.yaml': yaml.replaceAll('URL', JSON.stringify(generator.backend.url)) },
      ...(redis && { redis }),
    })
    return new LeftSite(generator, gateway, await gateway.key('pro'), redis)
  }

  async close(): Promise<void> {
    await this.gateway.close()
    await this.generator.backend.close()
    await this.#redis?.stop()
  }

  /** Sends a request, and has its client read what comes. Resolves once the backend has it. */
  async ask(asking: Asking): Promise<Asked> {
    const { client, script, path = PATHS[client], account = this.key } = asking
    const { gateway, generator } = this
    generator.script = script
    // Ids go by time: the last row is that of the last request.
    gateway.clock.advance(1)
    const place = ++this.asked
    const rounds = generator.generations.length
    const leave = new AbortController()
    const answering = fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf(asking)),
      signal: leave.signal,
    })
    let text = ''
    const reading = answering
      .then(async response => {
        for await (const piece of response.body ?? []) text += Buffer.from(piece as Uint8Array).toString()
      })
      .catch(() => {})
    await generator.backend.received(rounds + 1)
    return {
      generation: generator.last,
      reading,
      until: async wanted => {
        while (!text.includes(wanted)) await tick()
      },
      leave: async () => {
        leave.abort()
        await gateway.closed(place)
        await ticks()
      },
    }
  }

  /** The row of the last request, once it is settled. */
  async charged(): Promise<LedgerRow> {
    await this.gateway.logged(this.asked)
    const rows = (await this.gateway.ledger()).filter(({ kind }) => kind !== 'waste')
    const last = rows.at(-1)
    if (!last || rows.length !== this.asked) throw new Error(`${rows.length} of ${this.asked} requests have a row`)
    return last
  }

  /** Has a client leave before the step of this number. Undefined once the answer has no such step. */
  async leftBefore(step: number, asking: Asking): Promise<Generation | undefined> {
    const request = await this.ask(asking)
    const { generation } = request
    if (generation.left <= step) {
      generation.finish()
      await request.reading
      await this.gateway.logged(this.asked)
      return undefined
    }
    for (let made = 0; made < step; made++) generation.step()
    const said = Math.min(asking.script.words, generation.generated - (step > 1 ? asking.script.hidden : 0))
    if (said > 0 && asking.streams !== false) await request.until(`word${said - 1} `)
    await ticks()
    await request.leave()
    return generation
  }

  /** Time passes in which a backend makes 50 tokens a second. */
  think(generation: Generation, ms: number): void {
    generation.think((ms * 50) / 1000)
    this.gateway.clock.advance(ms)
  }
}

function bodyOf({ client, model, streams = true, prompt = PROMPTS['4 KB'], cap = 3000, more }: Asking): object {
  const said =
    client === 'responses'
      ? { input: prompt, max_output_tokens: cap, store: false }
      : { messages: [{ role: 'user', content: prompt }], max_tokens: cap }
  return { model, stream: streams, ...said, ...more }
}

const tick = () => new Promise(setImmediate)

/** Lets bytes between sockets of this process arrive. */
export async function ticks(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await tick()
}
