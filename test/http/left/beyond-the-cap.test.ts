import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { Generator, PATHS, type Spoken, WAYS } from './generator.ts'

/** Backends that ignore the cap: every dialect of clients × dialect of backends, streamed and whole. */

const FILES = (url: string) => `
models:
  svc-chat: { kind: chat, tier: guest, serve: [chat], context: 64k, usd_per_1m: { input: 1, output: 10 } }
  svc-responses: { kind: chat, tier: guest, serve: [responses], context: 64k, usd_per_1m: { input: 1, output: 10 } }
  svc-messages: { kind: chat, tier: guest, serve: [messages], context: 64k, usd_per_1m: { input: 1, output: 10 } }
pools:
  chat: { site: x, model: test-model, fetch: stream, cost_usd_per_1m: { input: 1, output: 2 }, replicas: ["${url}"] }
  responses: { site: x, model: test-model, fetch: stream, speaks: [responses], cost_usd_per_1m: { input: 1, output: 2 }, replicas: ["${url}"] }
  messages: { site: x, model: test-model, fetch: stream, speaks: [messages], cost_usd_per_1m: { input: 1, output: 2 }, replicas: ["${url}"] }
`

let generator: Generator
let gateway: TestGateway
let key: string

beforeEach(async () => {
  generator = await Generator.start()
  gateway = await startTestGateway({
    onprem: [generator.backend],
    yaml: 'include: [beyond.yaml]',
    files: { 'beyond.yaml': FILES(generator.backend.url) },
  })
  key = await gateway.key('pro')
})

afterEach(async () => {
  await gateway.close()
  await generator.backend.close()
})

const ask = (client: Spoken, model: string, cap: number, more: object = {}): Promise<Response> =>
  fetch(`${gateway.url}${PATHS[client]}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      ...(client === 'responses'
        ? { input: 'Say much', max_output_tokens: cap, store: false }
        : { messages: [{ role: 'user', content: 'Say much' }], max_tokens: cap }),
      ...more,
    }),
  })

/** The reason for which an answer ended, as its dialect says it. */
const CUT: Readonly<Record<Spoken, RegExp>> = {
  chat: /"finish_reason":"length"/,
  responses: /"incomplete_details":\{"reason":"max_output_tokens"\}/,
  messages: /"stop_reason":"max_tokens"/,
}

/** The output that an answer tells its client. */
const OUTPUT: Readonly<Record<Spoken, RegExp>> = {
  chat: /"completion_tokens":(\d+)/,
  responses: /"output_tokens":(\d+)/,
  messages: /.*"output_tokens":(\d+)/s,
}

describe.each(WAYS)('a client of %s at a backend of %s that ignores the cap', (client, speaks) => {
  it.each([true, false])(
    'gets as much as was granted, a good end for its length, and pays no more (streamed: %s)',
    async stream => {
      generator.script = { hidden: 0, words: 60 }
      const more = client === 'chat' && stream ? { stream, stream_options: { include_usage: true } } : { stream }
      const asking = ask(client, `svc-${speaks}`, 20, more)
      await generator.backend.received(1)
      generator.last.finish()

      const text = await (await asking).text()
      await gateway.logged(1)

      expect(text).toMatch(CUT[client])
      expect(text).toContain('word19 ')
      expect(text).not.toContain('word20 ')
      expect(OUTPUT[client].exec(text)?.[1]).toBe('20')
      const rows = await gateway.ledger()
      expect(rows).toMatchObject([
        { kind: 'settle', outputTokens: 20, pool: speaks },
        { kind: 'waste', pool: speaks },
      ])
      expect(rows[1]?.cause).toBe('output beyond the cap')
      expect(rows[1]?.outputTokens).toBeGreaterThan(0)
      expect(gateway.alarms.filter(alarm => alarm.startsWith('a backend ignores the cap'))).toHaveLength(1)
    },
  )

  it('that goes on is stopped', async () => {
    generator.script = { hidden: 0, words: 60 }
    const asking = ask(client, `svc-${speaks}`, 20, { stream: true })
    await generator.backend.received(1)
    const { last } = generator
    for (let step = 0; step < 30; step++) last.step()

    expect(await (await asking).text()).toMatch(CUT[client])

    await generator.backend.clientGone(1)
    expect(last.isStopped).toBe(true)
  })
})

describe('a whole answer that is longer than was granted', () => {
  let whole: Backend

  beforeEach(async () => {
    whole = await startBackend()
    gateway.write({ onprem: [whole] })
  })
  afterEach(() => whole.close())

  it('costs its client what was granted, and its pool the rest', async () => {
    await gateway.reload({ onprem: [whole] })
    const usage = { prompt_tokens: 5, completion_tokens: 1024, total_tokens: 1029 }
    whole.next(answer({ content: 'much', usage }))

    await (await gateway.chat(key, { max_completion_tokens: 1 })).text()
    await gateway.logged(1)

    expect(await gateway.ledger()).toMatchObject([
      { kind: 'settle', inputTokens: 5, outputTokens: 1 },
      { kind: 'waste', inputTokens: 0, outputTokens: 1023, cause: 'output beyond the cap' },
    ])
  })
})

it('an answer that is just as long as its cap is not cut', async () => {
  generator.script = { hidden: 0, words: 20 }
  const asking = ask('chat', 'svc-chat', 20, { stream: true })
  await generator.backend.received(1)
  generator.last.finish()

  expect(await (await asking).text()).toMatch(/"finish_reason":"stop"/)
  await gateway.logged(1)
  expect(await gateway.ledger()).toMatchObject([{ kind: 'settle', outputTokens: 20, estimated: false }])
})
