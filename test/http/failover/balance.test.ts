import { afterEach, describe, expect, it } from 'vitest'
import { answer, type Backend, hang, reset, startBackend, status } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

let open: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of open.toReversed()) await close()
  open = []
})

interface Site {
  readonly replicas: readonly Backend[]
  readonly test: TestGateway
}

async function start(count: number, fields = 'balance: prefix'): Promise<Site> {
  const replicas = await Promise.all(Array.from({ length: count }, () => startBackend()))
  const test = await startTestGateway({ onprem: replicas, fields: { onprem: fields } })
  open.push(...replicas.map(each => () => each.close()), () => test.close())
  return { replicas, test }
}

const text = (name: string, length: number): string => `${name} `.repeat(Math.ceil(length / (name.length + 1)))

/** A conversation that grows by a turn each time. */
class Conversation {
  readonly messages: object[] = []
  readonly #site: Site
  readonly #key: string

  constructor(site: Site, key: string, system: string) {
    this.#site = site
    this.#key = key
    this.messages.push({ role: 'system', content: system })
  }

  async ask(question: string): Promise<Response> {
    this.messages.push({ role: 'user', content: question })
    const response = await this.#site.test.chat(this.#key, { messages: this.messages })
    await response.text()
    this.messages.push({ role: 'assistant', content: 'Yes.' })
    return response
  }
}

const counts = ({ replicas }: Site) => replicas.map(({ requests }) => requests.length)

/** The load that the gateway counts at each replica of `onprem`. */
const loads = ({ test, replicas }: Site) =>
  replicas.map(({ url }) => {
    const { inFlight, heldTokens, owedTokens } = test.gateway.app.pools.of('onprem').replica(url)
    return { inFlight, heldTokens, owedTokens }
  })

describe('a pool of several replicas', () => {
  it('sends each turn of a conversation where the turns before it are cached', async () => {
    const site = await start(4)
    const key = await site.test.key('pro')
    const talks = ['red', 'green', 'blue'].map(name => new Conversation(site, key, text(name, 9000)))
    for (let turn = 0; turn < 4; turn++) for (const [at, talk] of talks.entries()) await talk.ask(`${at}: and ${turn}?`)
    const whole = (request: { readonly body: Readonly<Record<string, unknown>> }) =>
      JSON.stringify(request.body.messages)
    for (const name of ['red', 'green', 'blue']) {
      const asked = site.replicas.map(
        ({ requests }) => requests.filter(each => whole(each).includes(`${name} ${name}`)).length,
      )
      expect(asked.filter(Boolean)).toEqual([4])
    }
  })

  it('takes the less busy of two, whatever is cached, where `balance` is busy', async () => {
    const site = await start(2, 'balance: busy')
    const talk = new Conversation(site, await site.test.key('pro'), text('red', 9000))
    for (let turn = 0; turn < 40; turn++) await talk.ask(`and ${turn}?`)
    expect(Math.min(...counts(site))).toBeGreaterThan(0)
  })

  it('keeps a conversation at one replica by its name where `balance` is session', async () => {
    const site = await start(3, 'balance: session')
    const key = await site.test.key('pro')
    const ask = (session: string, content: string) =>
      fetch(`${site.test.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-session-affinity': session },
        body: JSON.stringify({ model: 'svc-core', messages: [{ role: 'user', content }] }),
      }).then(response => response.text())
    for (let turn = 0; turn < 5; turn++) await ask('mine', text(`other ${turn}`, 4000))
    expect(counts(site).filter(Boolean)).toEqual([5])
  })

  it('asks the next one where the first is gone, and forgets what that one had cached', async () => {
    const site = await start(3, 'balance: prefix, eject: { after: 1 }')
    const { pools, clock } = site.test.gateway.app
    const state = pools.of('onprem')
    const talk = new Conversation(site, await site.test.key('pro'), text('red', 9000))
    await talk.ask('first?')
    const home = site.replicas[counts(site).indexOf(1)]
    if (!home) throw new Error('one was asked')
    await home.refuse()
    for (let turn = 0; turn < 3; turn++) expect((await talk.ask(`and ${turn}?`)).status).toBe(200)
    const others = site.replicas.filter(each => each !== home)
    // The turns since went to one of the others, which has the prompt from the first of them on.
    expect(others.map(({ requests }) => requests.length).filter(Boolean)).toEqual([3])

    await home.listenAgain()
    const fresh = await startBackend()
    open.push(() => fresh.close())
    await site.test.reload({ onprem: [home, fresh] })
    site.test.clock.advance(60_000)
    expect(state.replica(home.url).isUsable(clock.now())).toBe(true)
    const { expected_tokens: before } = state.balance.found
    expect((await talk.ask('and now?')).status).toBe(200)
    expect(state.balance.found.expected_tokens).toBe(before)
  })

  it.each<[string, (replica: Backend) => void]>([
    ['answer', () => {}],
    ['refuse', replica => replica.always(status(400, '{"error":{"message":"no"}}'))],
    ['fail', replica => replica.always(status(500, '{}'))],
    ['break off', replica => replica.always(reset)],
    ['answer what cannot be read', replica => replica.always(status(200, '{'))],
  ])('counts nothing as under way once all requests are over, though its replicas %s', async (_what, script) => {
    const site = await start(3)
    for (const replica of site.replicas) script(replica)
    const key = await site.test.key('pro')
    await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const messages = [{ role: 'user', content: text(`question ${at % 5}`, 3000) }]
        const response = await site.test.chat(key, { messages, stream: at % 2 === 0 })
        await response.text().catch(() => {})
      }),
    )
    const idle = { inFlight: 0, heldTokens: 0, owedTokens: 0 }
    await eventually(() => expect(loads(site)).toEqual([idle, idle, idle]))
  })

  it('counts nothing as under way of requests whose clients left', async () => {
    const site = await start(2)
    for (const replica of site.replicas) replica.always(hang)
    const key = await site.test.key('pro')
    const leave = new AbortController()
    const messages = [{ role: 'user', content: text('question', 3000) }]
    const asked = Promise.allSettled(
      Array.from({ length: 6 }, () => site.test.chat(key, { messages }, { signal: leave.signal })),
    )
    await eventually(() => expect(counts(site).reduce((a, b) => a + b)).toBe(6))
    const held = loads(site).reduce((sum, { heldTokens }) => sum + heldTokens, 0)
    expect(held).toBeGreaterThan(6 * 700)
    leave.abort()
    await asked
    const idle = { inFlight: 0, heldTokens: 0, owedTokens: 0 }
    await eventually(() => {
      // Their usage is waited for.
      site.test.clock.advance(1000)
      expect(loads(site)).toEqual([idle, idle])
    })
  })

  it('counts what backends found in their caches', async () => {
    const site = await start(2)
    const usage = (cached: number) => ({
      prompt_tokens: 2500,
      completion_tokens: 3,
      total_tokens: 2503,
      prompt_tokens_details: { cached_tokens: cached },
    })
    const key = await site.test.key('pro')
    const talk = new Conversation(site, key, text('red', 9000))
    for (const replica of site.replicas) replica.always(answer({ content: 'Yes.', usage: usage(2048) }))
    await talk.ask('first?')
    await talk.ask('second?')
    const state = site.test.gateway.app.pools.of('onprem')
    expect(state.balance.found).toMatchObject({ prompt_tokens: 5000, cached_tokens: 4096 })
    const counted = site.replicas.map(({ url, requests }) => {
      const { promptTokens, cachedTokens } = state.replica(url)
      return [promptTokens, cachedTokens, requests.length]
    })
    expect(counted.toSorted()).toEqual([
      [0, 0, 0],
      [5000, 4096, 2],
    ])
  })
})
