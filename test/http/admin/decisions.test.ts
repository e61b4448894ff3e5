import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { lineOf } from '../../../src/adapters/decisions/line.ts'
import type { Config } from '../../../src/policy/config.ts'
import { type DecisionRecord, outcomeAgain } from '../../../src/policy/record.ts'
import { linesIn, recordIn } from '../../adapters/decisions/lines.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import { hang } from '../../support/backend.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { randomInt, seeded } from '../../support/random.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { fieldOf, send } from '../calls.ts'
import { says, Tools } from '../tools/fixture.ts'

const SECRET = 'the-prompt-that-nobody-else-may-read'
const MORE = `
routes:
  - { name: urgent, when: { mentions: [urgent, dringend] }, use: svc-ultra-pro }
  - { name: beta, when: { header: { x-beta: "yes" } }, use: svc-ultra-pro }
  - { name: long, when: { input_tokens: { over: 200 } }, use: svc-core }`
const LOST = '  lost: { mcp: "http://127.0.0.1:9/mcp" }'

let tools: Tools
afterEach(() => tools.close())

const start = (pools: Parameters<typeof Tools.start>[0] = {}) =>
  Tools.start({
    guests: 'usd_per_day_total: 0.05, mint_per_ip_hour: 100',
    yaml: MORE,
    tools: LOST,
    spare: true,
    ...pools,
  }).then(started => {
    tools = started
    tools.backend.always(says({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
    return started.test
  })

const CHAT = 'POST /v1/chat/completions'

/** One of all the ways to ask: served and refused, at every stage. */
function randomAsk(random: () => number): { endpoint: string; body: object; headers: Record<string, string> } {
  const pick = <T>(...of: readonly T[]): T => of[randomInt(random, 0, of.length - 1)] as T
  const headers = { 'x-beta': pick('yes', 'no', 'no') }
  const kind = pick('chat', 'chat', 'chat', 'chat', 'embedding', 'image')
  if (kind === 'embedding') {
    const input = SECRET.repeat(randomInt(random, 1, 20))
    return { endpoint: 'POST /v1/embeddings', body: { model: pick('svc-embed', 'svc-core'), input }, headers }
  }
  if (kind === 'image') {
    const body = { model: 'svc-image', prompt: SECRET, n: pick(1, 4), size: pick('512x512', '1024x1024', '99x99') }
    return { endpoint: 'POST /v1/images/generations', body, headers }
  }
  const content = `${pick('urgent: ', '', '')}${SECRET} ${'word '.repeat(pick(0, 10, 300, 3000))}`
  const model = pick(undefined, undefined, 'svc-auto', 'svc-core', 'svc-ultra-pro', 'no-such-model', 'svc-image')
  const tool = pick('search', 'calculator', 'calculator', 'lost', 'no_such_tool')
  const body = {
    messages: [{ role: 'user', content }],
    ...(model !== undefined && { model }),
    ...(random() < 0.6 && { max_tokens: pick(1, 100, 3000, 200_000) }),
    ...(random() < 0.2 && { tools: [{ type: 'hosted', name: tool }] }),
    ...(random() < 0.1 && { n: 2 }),
    ...(random() < 0.3 && { stream: true }),
    ...(random() < 0.2 && { chat_template_kwargs: { enable_thinking: pick(true, false) } }),
  }
  return { endpoint: CHAT, body, headers }
}

async function keysOf(test: TestGateway): Promise<string[]> {
  const device = (id: string) => send(test, 'POST /v1/keys/guest', { body: { device_id: id } })
  const guests = await Promise.all(['a', 'b', 'c'].map(device))
  const accounts = ['free', 'free', 'tight', 'tight', 'tight', 'pro', 'pro', 'spare', 'spare'].map((plan, n) =>
    test.key(plan, `${plan}-${n}`),
  )
  return [...(await Promise.all(accounts)), ...guests.map(told => fieldOf(told, 'key'))]
}

/** Sends `count` random requests, some at once, while time goes on. */
async function sendRandom(test: TestGateway, count: number, random: () => number): Promise<readonly string[]> {
  const keys = await keysOf(test)
  for (let sent = 0; sent < count; ) {
    const together = Math.min(count - sent, randomInt(random, 1, 12))
    const one = random() < 0.3 ? keys[randomInt(random, 0, keys.length - 1)] : undefined
    const asks = Array.from({ length: together }, () => {
      const token = one ?? keys[randomInt(random, 0, keys.length - 1)] ?? ''
      const { endpoint, body, headers } = randomAsk(random)
      return send(test, endpoint, { token, body, headers })
    })
    await Promise.all(asks)
    sent += together
    test.clock.advance(randomInt(random, 0, random() < 0.06 ? 90_000_000 : 3000))
  }
  return keys
}

/** Has refused what others that are under way stand in the way of. */
async function sendTogether(test: TestGateway): Promise<readonly string[]> {
  test.clock.advance(90_000_000)
  const leaving = new AbortController()
  const long = { messages: [{ role: 'user', content: 'word '.repeat(3000) }] }
  const hangs = async (key: string, body = {}) => {
    const seen = tools.backend.requests.length
    tools.backend.next(hang)
    test.chat(key, body, { signal: leaving.signal }).catch(() => {})
    await tools.backend.received(seen + 1)
  }
  const [busy, wordy, poor] = [await test.key('tight', 'x'), await test.key('free', 'y'), await test.key('spare', 'z')]
  const guests = await Promise.all(['x', 'y'].map(id => send(test, 'POST /v1/keys/guest', { body: { device_id: id } })))
  const [one = '', other = ''] = guests.map(told => fieldOf(told, 'key'))
  await hangs(busy, { max_tokens: 10 })
  await hangs(wordy, long)
  await hangs(wordy, long)
  await hangs(poor)
  await hangs(one)
  await test.chat(busy, { max_tokens: 10 })
  for (const key of [poor, other]) await test.chat(key, { max_tokens: 1500 })
  await test.chat(wordy, long)
  leaving.abort()
  return [busy, wordy, poor, one, other]
}

/** Stops the gateway, and returns what it wrote down. */
async function linesOf(test: TestGateway): Promise<string[]> {
  await test.gateway.close(0)
  return linesIn(join(test.dir, 'decisions'))
}

function decidedAgain(config: Config, record: DecisionRecord): DecisionRecord {
  const outcome = outcomeAgain(config, record)
  if (!outcome) throw new Error(`nobody was asked for readings of ${record.id}`)
  return { ...record, outcome }
}

async function expectReproducible(
  test: TestGateway,
  count: number,
  ends: readonly (string | undefined)[],
): Promise<void> {
  const keys = [...(await sendRandom(test, count, seeded(count))), ...(await sendTogether(test))]
  const { config } = test.gateway.app
  const lines = await linesOf(test)
  const decided = test.log.filter(({ asked }) => asked !== undefined)

  // Decided again, every line is the same to the byte.
  const again = lines.map(recordIn).map(record => decidedAgain(config, record))
  expect(again.map(record => lineOf(record))).toEqual(lines.map(line => `${line}\n`))
  // Each request has one line, which says what its client was told.
  const told = new Map(again.map(({ id, outcome }) => [id, outcome.denial?.code]))
  expect(told.size).toBe(lines.length)
  expect([...told.keys()].sort()).toEqual(decided.map(({ requestId }) => requestId).sort())
  for (const { requestId, code } of decided)
    expect(told.get(requestId)).toBe(code === 'UPSTREAMS_EXHAUSTED' ? undefined : code)
  // No prompt and no key.
  const text = lines.join('\n')
  expect(text).not.toContain(SECRET)
  for (const key of keys) expect(text).not.toContain(key.slice(0, -6))
  const outcomes = again.map(({ outcome }) => {
    const { denial } = outcome
    return denial && 'type' in denial ? `${denial.type}${'shared' in denial ? ' of guests' : ''}` : denial?.code
  })
  expect([...new Set(outcomes)]).toEqual(expect.arrayContaining([...ends]))
}

/** Requests with the same result everywhere, and those that need days to pass: Redis has its own clock. */
const TOGETHER = [
  undefined,
  'VALIDATION_ERROR',
  'plan_limit',
  'concurrency',
  'tokens',
  'quota_hold',
  'daily_limit of guests',
]
const OVER_TIME = ['requests', 'daily_limit', 'quota_exceeded', 'TOOL_UNAVAILABLE']

inNpmTest.it(
  'every decision of the server is written down, and comes to the same bytes when it is made again',
  async () => {
    await expectReproducible(await start(), 1100, [...TOGETHER, ...OVER_TIME])
  },
  120_000,
)

describeRedis('with Redis, whose script judges', () => {
  const redis = useRedis()

  it('decisions come to the same bytes when the functions here make them again', async () => {
    await expectReproducible(await start({ redis: redis() }), 500, TOGETHER)
  }, 120_000)
})

inNpmTest.describe('the decision log', () => {
  it('of a key that clients wrote where a name belongs has a part that is no secret', async () => {
    const test = await start()
    const { key } = tools

    await test.chat(key, { model: key })
    await test.chat(key, { tools: [{ type: 'hosted', name: key }] })

    const lines = await linesOf(test)
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      const record = recordIn(line)
      expect(line).not.toContain(key.slice(0, 12))
      expect(JSON.stringify(outcomeAgain(test.gateway.app.config, record))).toBe(JSON.stringify(record.outcome))
    }
  })

  it('says that a key stopped working while its request was decided', async () => {
    const test = await start()
    const { key } = tools
    const { store } = test.gateway
    const admit = store.holds.admit.bind(store.holds)
    store.holds.admit = async () => ({ outcome: 'key-gone' })
    const response = await test.chat(key).finally(() => (store.holds.admit = admit))

    const [line] = await linesOf(test)
    const record = recordIn(line)
    expect(response.status).toBe(401)
    expect(record).toMatchObject({ seen: { gone: 'key' }, outcome: { denial: { code: 'INVALID_KEY' } } })
    expect(outcomeAgain(test.gateway.app.config, record)).toEqual(record.outcome)
  })

  it('begins and ends with a reload', async () => {
    const test = await start({ yaml: `${MORE}\ndecisions: { log: false }` })
    const { key } = tools
    await test.chat(key)
    await test.reload({}, yaml => yaml.replace('log: false', 'log: true'))
    await test.chat(key, { max_tokens: 17 })
    await test.reload({}, yaml => yaml.replace('log: true', 'log: false'))
    await test.chat(key)

    const lines = await linesOf(test)
    expect(lines).toHaveLength(1)
    expect(recordIn(lines[0]).outcome.granted?.output).toBe(17)
  })

  it('goes to another directory after a reload that says so', async () => {
    const test = await start({ yaml: `${MORE}\ndecisions: { path: ./one }` })
    const { key } = tools
    await test.chat(key)
    test.clock.advance(50)
    await test.reload({}, yaml => yaml.replace('./one', './two'))
    await test.chat(key)

    await test.gateway.close(0)
    const lines = [...(await linesIn(join(test.dir, 'two'))), ...(await linesIn(join(test.dir, 'one')).catch(() => []))]
    expect(lines).toHaveLength(2)
  })
})
