import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ShownExplained } from '../../../src/wire/admin/explained.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { send } from '../calls.ts'

let replicas: readonly Backend[]
let test: TestGateway

async function start(fields: string): Promise<void> {
  replicas = await Promise.all(Array.from({ length: 3 }, () => startBackend()))
  test = await startTestGateway({ onprem: replicas, fields: { onprem: fields } })
}

beforeEach(() => start('balance: prefix'))
afterEach(async () => {
  await test.close()
  for (const each of replicas) await each.close()
})

const chat = (name: string, turns: number) => ({
  model: 'svc-core',
  messages: [
    { role: 'system', content: `${name} `.repeat(3000) },
    ...Array.from({ length: turns }, (_, turn) => ({ role: 'user', content: `${name}, turn ${turn}` })),
  ],
})

async function choiceFor(body: object, path?: string) {
  const { status, body: answer } = await send({ url: test.admin }, 'POST /admin/explain', {
    token: ADMIN_TOKEN,
    body: { account: 'ada', body, ...(path !== undefined && { path }) },
  })
  expect(status, JSON.stringify(answer)).toBe(200)
  const { pools, stages } = answer as ShownExplained
  const choice = pools[0]?.choice
  if (!choice) throw new Error('no choice is explained')
  return { ...choice, texts: stages.map(({ text }) => text) }
}

/** The number of the replica that a request really goes to. */
async function sentTo(key: string, body: object): Promise<number> {
  const before = replicas.map(({ requests }) => requests.length)
  await (await test.chat(key, body)).text()
  return 1 + replicas.findIndex(({ requests }, at) => requests.length > (before[at] ?? 0))
}

describe('the explanation of a choice among replicas', () => {
  it('names the replica that the next such request goes to, before and after its prompt is cached', async () => {
    const key = await test.key('pro', 'ada')
    for (const name of ['red', 'green', 'blue', 'grey'])
      for (const turns of [1, 2]) {
        const { chosen, why } = await choiceFor(chat(name, turns))
        expect(why).toBe(turns === 1 ? 'tie' : 'prefix')
        expect(await sentTo(key, chat(name, turns))).toBe(chosen)
      }
  })

  it('has the figures that each cost is made of, and says which one decided', async () => {
    const key = await test.key('pro', 'ada')
    const home = await sentTo(key, chat('red', 1))
    const choice = await choiceFor(chat('red', 2))
    for (const { cost, miss_tokens, owed_tokens, held_tokens, running } of choice.replicas)
      expect(cost).toBe(miss_tokens * (1 + running) + owed_tokens + Math.floor(held_tokens / 20) + 128 * running)
    const [own, ...others] = [home, ...[1, 2, 3].filter(each => each !== home)].map(at => choice.replicas[at - 1])
    expect(own).toMatchObject({ near: true, running: 0 })
    expect(own?.miss_tokens).toBeLessThan(100)
    for (const other of others) expect(other).toMatchObject({ near: false, miss_tokens: choice.prompt_tokens })
    expect(choice.texts.at(-1)).toMatch(
      new RegExp(
        `^onprem takes replica ${home} \\(cost \\d+\\): its cache has \\d+ of ${choice.prompt_tokens} prompt tokens`,
      ),
    )
  })

  it('adds nothing to what is known: asked about ten times, a prompt is as unknown as before', async () => {
    await test.key('pro', 'ada')
    const first = await choiceFor(chat('red', 1))
    for (let n = 0; n < 9; n++) await choiceFor(chat('red', 1))
    expect(await choiceFor(chat('red', 1))).toEqual(first)
  })

  it('passes over a drained replica, and shows what the request would cost there', async () => {
    const key = await test.key('pro', 'ada')
    const home = await sentTo(key, chat('red', 1))
    await send({ url: test.admin }, 'POST /admin/pools/drain', {
      token: ADMIN_TOKEN,
      body: { pool: 'onprem', replica: home },
    })
    const { chosen, replicas: weighed } = await choiceFor(chat('red', 2))
    expect(chosen).not.toBe(home)
    expect(weighed[home - 1]).toMatchObject({ fitness: 'drained', near: false })
    expect(weighed[home - 1]?.cost).toBeLessThan(100)
    expect(await sentTo(key, chat('red', 2))).toBe(chosen)
  })

  it('finds the prompts of other dialects', async () => {
    const key = await test.key('pro', 'ada')
    const home = await sentTo(key, chat('red', 1))
    const { model, messages } = chat('red', 2)
    const [system, ...rest] = messages
    const body = { model, system: system?.content, messages: rest, max_tokens: 10 }
    expect(await choiceFor(body, '/v1/messages')).toMatchObject({ chosen: home, why: 'prefix' })
  })
})

describe.each([
  ['balance: busy', { balance: 'busy', chosen: null, why: 'random' }],
  ['balance: session', { balance: 'session', why: 'session' }],
])('a pool with `%s`', (fields, expected) => {
  it('is explained as it chooses', async () => {
    await test.close()
    await start(fields)
    const key = await test.key('pro', 'ada')
    const choice = await choiceFor(chat('red', 1))
    expect(choice).toMatchObject(expected)
    if (choice.chosen !== null) expect(await sentTo(key, chat('red', 1))).toBe(choice.chosen)
  })

  it('shows what other processes have running, as main does for its workers', async () => {
    await test.close()
    await start(fields)
    await test.key('pro', 'ada')
    const { elsewhere } = test.gateway.app.pools.of('onprem').replica(replicas[1]?.url ?? '')
    elsewhere.set('worker 1', { inFlight: 3, heldTokens: 900, owedTokens: 50 })
    const running = (await choiceFor(chat('red', 1))).replicas.map(each => [each.running, each.held_tokens])
    expect(running).toEqual([
      [0, 0],
      [3, 900],
      [0, 0],
    ])
  })
})
