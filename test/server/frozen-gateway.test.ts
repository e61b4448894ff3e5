import { beforeAll, expect, it, onTestFinished } from 'vitest'
import type { ShownStanding } from '../../src/wire/admin/event.ts'
import type { LedgerRecord } from '../../src/wire/admin/ledger-record.ts'
import { type Backend, type Behaviour, startBackend, stream, USAGE, writeChunks } from '../support/backend.ts'
import { eventually } from '../support/eventually.ts'
import { describeRedis, useRedis } from '../support/redis/redis.ts'
import { startTree, type Tree } from './workers/tree.ts'
import { yamlOf } from './workers/tree-yaml.ts'

/** The account's max_concurrent. */
const LIMIT = 3
/** A lease of 30 s has to run out. */
const LONG = { timeout: 120_000, interval: 250 }

/** Streams that began, and go on until the test ends them, in the order of their requests. */
class OpenStreams {
  readonly #ends: (() => void)[] = []
  running = 0
  most = 0

  readonly behaviour: Behaviour = async exchange => {
    this.most = Math.max(this.most, ++this.running)
    await writeChunks(exchange, { chunks: ['Hel'] })
    await new Promise<void>(resolve => this.#ends.push(resolve))
    this.running--
    await stream({ chunks: ['lo.'], roleChunk: false, usage: USAGE })(exchange)
  }

  end(count: number): void {
    for (const end of this.#ends.splice(0, count)) end()
  }
}

describeRedis('a gateway on Redis that is stopped for longer than its leases, and goes on', () => {
  const redis = useRedis()
  const streams = new OpenStreams()
  let backend: Backend
  beforeAll(async () => {
    backend = await startBackend()
    backend.always(streams.behaviour)
    return () => backend.close()
  })

  async function startGateway(): Promise<Tree> {
    const tight = `tight: { models: all, rpm: 1M, tpm: 900M, monthly_usd: 500, max_concurrent: ${LIMIT} }`
    const tree = await startTree(
      1,
      yamlOf(backend.url, () => redis().url, { plans: tight, server: 'instances: 2' }),
    )
    onTestFinished(async () => void (await tree.end()))
    return tree
  }

  async function standingOf(tree: Tree): Promise<ShownStanding> {
    const { text } = await tree.ask('GET', '/admin/accounts')
    return JSON.parse(text.split('\n')[0] ?? '') as ShownStanding
  }

  it('counts what it still serves: nothing more is admitted before that ends, and each request is charged once', async () => {
    const [frozen, other] = [await startGateway(), await startGateway()]
    const key = await frozen.mint('tight', 'ada')
    const ask = async (tree: Tree) => {
      const response = await tree.chat(key, { stream: true })
      if (response.status !== 200) await response.text()
      return response
    }
    const admitted = async (tree: Tree) => {
      const response = await ask(tree)
      expect(response.status).toBe(200)
      return response
    }
    const before = await Promise.all(Array.from({ length: LIMIT }, () => admitted(frozen)))
    expect((await ask(other)).status).toBe(429)
    await eventually(async () => expect((await standingOf(other)).under_way).toBe(LIMIT))

    frozen.process.kill('SIGSTOP')
    onTestFinished(() => void frozen.process.kill('SIGCONT'))
    const first = await eventually(() => admitted(other), LONG)
    const after = [first, await admitted(other), await admitted(other)]
    frozen.process.kill('SIGCONT')

    await eventually(async () => expect((await standingOf(other)).under_way).toBe(2 * LIMIT))
    const alarm = 'running requests whose leases had run out are counted again'
    await eventually(() => expect([...frozen.said, ...frozen.logged].join('\n')).toContain(alarm))
    streams.end(LIMIT)
    await eventually(async () => expect((await standingOf(other)).under_way).toBe(LIMIT))
    expect([(await ask(other)).status, (await ask(frozen)).status]).toEqual([429, 429])
    streams.end(LIMIT)
    const texts = await Promise.all([...before, ...after].map(response => response.text()))
    expect(texts.filter(text => !text.endsWith('data: [DONE]\n\n'))).toEqual([])

    await eventually(async () => expect(await standingOf(other)).toMatchObject({ under_way: 0, held_usd: '0' }))
    const rows = (await other.ask('GET', '/admin/ledger')).text
      .split('\n')
      .flatMap(line => (line === '' ? [] : [JSON.parse(line) as LedgerRecord]))
    const charged = [...new Set(rows.map(({ request_id }) => request_id))]
      .map(id => rows.filter(({ request_id }) => request_id === id))
      .map(each => ({
        kinds: each
          .map(({ kind }) => kind)
          .sort()
          .join(', '),
        tokens: each.reduce((sum, { output_tokens }) => sum + output_tokens, 0),
      }))
    expect(charged.map(({ tokens }) => tokens)).toEqual(Array(2 * LIMIT).fill(USAGE.completion_tokens))
    // One that was stopped before its first sign of life cost nothing when its lease ran out.
    expect(['settle', 'late, orphan']).toEqual(expect.arrayContaining(charged.map(({ kinds }) => kinds)))
    expect(streams.most).toBe(2 * LIMIT)
  }, 240_000)
})
