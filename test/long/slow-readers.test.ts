import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { SseSplitter, sseEvent } from '../../src/wire/sse.ts'
import { compileProgram, type Program } from '../cli/program.ts'
import { sumOf } from './harness/books.ts'
import type { Account } from './harness/client.ts'
import { Fleet, MEASURED } from './harness/fleet.ts'
import { Hose } from './harness/hose.ts'
import { sizeOf, spread } from './harness/size.ts'

const READERS = sizeOf('READERS', 500, 50)
/** How much a slow reader reads at a time, and how often. */
const SIP_EVERY_MS = 2000
const MAX_SIP_MS = 100
/** The kernel takes megabytes a stream before anyone is held back; so much more in a span says that it is full. */
const FULL = { spanMs: 3000, growth: 0.05, withinMs: 120_000 }
const BYTES_PER_STREAM = 131_072
const plans = { pro: 'rpm: 1M, tpm: 900M, monthly_usd: 500' }

let program: Program

beforeAll(() => {
  program = compileProgram()
})

afterAll(() => program.end())

it(`${READERS} slow readers of a fast backend cost at most 128 KB each and hold it back, and get every byte`, async () => {
  const hose = await Hose.open()
  onTestFinished(() => hose.close())
  const fleet = new Fleet({ program, plans, site: hose, flags: MEASURED })
  onTestFinished(() => fleet.close())
  await fleet.start()
  const ada = await fleet.mint('ada', 'pro')
  const agent = new Agent({ connections: READERS, headersTimeout: 0, bodyTimeout: 0 })
  onTestFinished(() => agent.destroy())
  const readerOf = (name: string) => new Reader({ url: fleet.first.url, account: ada, agent, name })
  await warmUp(hose, readerOf('warm'))
  const base = await fleet.first.memory()

  hose.start()
  const readers = Array.from({ length: READERS }, (_, n) => readerOf(`reader ${n}`))
  const bodies = readers.map(reader => reader.drink())
  const waitedMs = await full(hose, READERS)
  const loaded = await fleet.first.memory()
  const flows = readers.flatMap(({ name }) => hose.flows.get(name) ?? [])
  const sent = flows.map(flow => flow.sent)
  const heldMs = flows.map(({ waits }) => performance.now() - waits)
  const read = readers.map(reader => reader.read)
  hose.stop()
  for (const reader of readers) reader.thirsty = true
  const hashes = await Promise.all(bodies)

  const perStream = (of: (memory: NodeJS.MemoryUsage) => number) => Math.round((of(loaded) - of(base)) / READERS)
  const kept = perStream(({ heapUsed, external }) => heapUsed + external)
  const rss = perStream(memory => memory.rss)
  console.log(
    `${READERS} slow readers: ${kept} bytes kept a stream (heap ${perStream(({ heapUsed }) => heapUsed)}, external ${perStream(({ external }) => external)}), RSS ${rss} a stream over ${base.rss}; held back after ${Math.round(waitedMs)} ms when clients had read ${spread(read)} and backends sent ${spread(sent)}, whose writes waited for ms ${spread(heldMs)}`,
  )
  expect(hashes).toEqual(flows.map(({ hash }) => hash))
  expect(kept).toBeLessThanOrEqual(BYTES_PER_STREAM)
  expect(fleet.faults()).toEqual([])
})

/** Memory that the first stream allocates for good is not a cost of a stream. */
async function warmUp(hose: Hose, reader: Reader): Promise<void> {
  reader.thirsty = true
  const body = reader.drink()
  await sleep(1000)
  hose.stop()
  await body
}

/** Resolves, with how long that took, once the backends hardly send more. */
async function full(hose: Hose, streams: number): Promise<number> {
  const start = performance.now()
  const sent = () => sumOf([...hose.flows.values()].map(flow => flow.sent))
  for (;;) {
    const before = sent()
    await sleep(FULL.spanMs)
    if (hose.flows.size > streams && sent() < before * (1 + FULL.growth)) return performance.now() - start
    if (performance.now() - start > FULL.withinMs) throw new Error(`the backends are not held back: ${sent()} bytes`)
  }
}

interface ReaderTerms {
  readonly url: string
  readonly account: Account
  readonly agent: Agent
  /** The prompt. */
  readonly name: string
}

/** A client that sips at its stream until it is thirsty. */
class Reader {
  readonly name: string
  /** Bytes of the body so far. */
  read = 0
  thirsty = false
  readonly #terms: ReaderTerms

  constructor(terms: ReaderTerms) {
    this.#terms = terms
    this.name = terms.name
  }

  /** Resolves with the hash of all events. */
  async drink(): Promise<string> {
    const { url, account, agent } = this.#terms
    const { body } = await request(`${url}/v1/chat/completions`, {
      method: 'POST',
      dispatcher: agent,
      headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ stream: true, max_tokens: 20, messages: [{ role: 'user', content: this.name }] }),
    })
    const hash = createHash('sha1')
    const splitter = new SseSplitter()
    for await (const bytes of body) {
      // Without comments, which a silence may bring.
      for (const data of splitter.push(bytes)) hash.update(sseEvent(data))
      this.read += bytes.length
      for (let waited = 0; !this.thirsty && waited < SIP_EVERY_MS; waited += MAX_SIP_MS) await sleep(MAX_SIP_MS)
    }
    return hash.digest('hex')
  }
}
