import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { inNpmTest } from '../../lanes/lane.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { type HeldSocket, SocketBackend } from '../../support/socket-backend.ts'
import { joined, startLive } from '../sessions/fixture.ts'
import { ticks } from './site.ts'

/** Every event of a response of Realtime at which its client may leave, or cancel it: what is charged against what was made. */
inNpmTest.describe('with the embedded store', () => leftSessions(async () => undefined))
describeRedis('with Redis', () => leftSessions(startRedis))

const HIDDEN = 300
const WORDS = ['Hello', ' there', ' again']
const INPUT = 900
const OUTPUT = HIDDEN + WORDS.length
/** Usage of the previous response. */
const BEFORE = { input: 700, output: 40 }

const usageOf = (input: number, output: number) => ({
  usage: { total_tokens: input + output, input_tokens: input, output_tokens: output },
})
const done = (status: string, more: object = {}) => ({
  ...{
    type: 'response.done',
    event_id: 'event_d',
    response: { id: 'resp_1', object: 'realtime.response', status, ...more },
  },
})
/** The events of a response; the time in which the backend reasons stands behind the first. */
const STEPS = [
  { type: 'response.created', event_id: 'event_c', response: { id: 'resp_1', object: 'realtime.response' } },
  ...WORDS.map(delta => ({ type: 'response.output_text.delta', event_id: 'event_t', response_id: 'resp_1', delta })),
  { type: 'response.output_text.done', event_id: 'event_f', response_id: 'resp_1', text: WORDS.join('') },
  done('completed', usageOf(INPUT, OUTPUT)),
]

function leftSessions(startStore: () => Promise<RedisServer | undefined>): void {
  let redis: RedisServer | undefined
  let backend: SocketBackend
  let gateway: TestGateway
  let key: string
  let sessions = 0

  beforeAll(async () => {
    redis = await startStore()
    backend = await SocketBackend.start()
    gateway = await startLive({ onprem: [backend], ...(redis && { redis }) })
    key = await gateway.key('pro')
  })

  afterAll(async () => {
    await gateway.close()
    await backend.close()
    await redis?.stop()
  })

  // Ids go by time: the last row is that of the last session.
  beforeEach(() => gateway.clock.advance(1))

  interface Talk {
    readonly client: HeldSocket
    readonly server: HeldSocket
  }

  /** A session that has had one response, and asks for another one. */
  async function asking(): Promise<Talk> {
    gateway.clock.advance(1)
    sessions++
    const talk = await joined(gateway, backend, '/v1/realtime', key)
    const { client, server } = talk
    await ask(talk)
    server.say(done('completed', usageOf(BEFORE.input, BEFORE.output)))
    await client.next()
    await ask(talk)
    return talk
  }

  async function ask({ client, server }: Talk): Promise<void> {
    client.say({ type: 'response.create' })
    expect(await server.next()).toContain('response.create')
  }

  /** Has the backend make the first steps, and the client read them. */
  async function step({ client, server }: Talk, steps: number): Promise<void> {
    for (const event of STEPS.slice(0, steps)) {
      server.say(event)
      await client.next()
    }
  }

  async function cancel({ client, server }: Talk): Promise<void> {
    client.say({ type: 'response.cancel' })
    expect(await server.next()).toContain('response.cancel')
  }

  async function leave({ client }: Talk, how: 'breaks off' | 'says goodbye'): Promise<void> {
    if (how === 'breaks off') client.ws.terminate()
    else client.ws.close(1000)
    await ticks()
  }

  async function charged() {
    await gateway.clock.during(gateway.logged(sessions), 100)
    const rows = await gateway.ledger()
    const last = rows.at(-1)
    if (!last || rows.length !== sessions) throw new Error(`${rows.length} of ${sessions} sessions have a row`)
    const { inputTokens, outputTokens, estimated } = last
    return { inputTokens: inputTokens - BEFORE.input, outputTokens: outputTokens - BEFORE.output, estimated }
  }

  const TOLD = { inputTokens: INPUT, outputTokens: OUTPUT, estimated: false }

  describe.each(['breaks off', 'says goodbye'] as const)('a client that %s', how => {
    it('pays all that the backend reports within 5 s, before whichever event it leaves', async () => {
      for (let steps = 0; steps < STEPS.length; steps++) {
        const talk = await asking()
        await step(talk, steps)
        await leave(talk, how)
        for (const event of STEPS.slice(steps)) talk.server.say(event)
        await talk.server.end()

        expect({ steps, ...(await charged()) }).toEqual({ steps, ...TOLD })
      }
    })

    it('pays the prompt of the response before and the time of hidden reasoning, where nothing is reported', async () => {
      for (let steps = 0; steps < STEPS.length; steps++) {
        const talk = await asking()
        gateway.clock.advance(3000)
        await step(talk, steps)
        await leave(talk, how)

        const { inputTokens, outputTokens, estimated } = await charged()
        expect([steps, inputTokens, estimated]).toEqual([steps, BEFORE.input, true])
        // 50 tokens a second for 3 s, and 5 s more in which nothing came.
        expect(outputTokens).toBeGreaterThanOrEqual(400)
        expect(outputTokens).toBeLessThan(400 * 1.05)
      }
    })

    it('pays a response that it cancels and does not wait for as the backend reports it', async () => {
      for (let steps = 0; steps < STEPS.length; steps++) {
        const talk = await asking()
        await step(talk, steps)
        await cancel(talk)
        await leave(talk, how)
        talk.server.say(done('cancelled', usageOf(INPUT, 200)))
        await talk.server.end()

        expect({ steps, ...(await charged()) }).toEqual({ ...TOLD, steps, outputTokens: 200 })
      }
    })
  })

  describe.each([
    ['tells no usage', {}],
    ['tells null', { usage: null }],
    ['tells zeros', usageOf(0, 0)],
  ])('a client that cancels a response, whose backend %s of it,', (_name, more) => {
    it('pays its prompt, and all that it may have made until then; what follows is paid as it is told', async () => {
      const talk = await asking()
      const { client, server } = talk
      await step(talk, 2)
      gateway.clock.advance(4000)
      await cancel(talk)
      server.say(done('cancelled', more))
      await client.next()
      await ask(talk)
      server.say(done('completed', usageOf(INPUT, OUTPUT)))
      await client.next()
      await leave(talk, 'says goodbye')

      expect(await charged()).toEqual({
        ...{ inputTokens: BEFORE.input + INPUT, outputTokens: 200 + OUTPUT, estimated: true },
      })
    })
  })

  it('a response of which nothing was said and that its backend cancels without usage costs its prompt and its time', async () => {
    const talk = await asking()
    gateway.clock.advance(4000)
    await cancel(talk)
    talk.server.say(done('cancelled'))
    await talk.client.next()
    await leave(talk, 'says goodbye')

    expect(await charged()).toEqual({ inputTokens: BEFORE.input, outputTokens: 200, estimated: true })
  })

  it('a response that fails costs what was said of it', async () => {
    const talk = await asking()
    await step(talk, 3)
    gateway.clock.advance(4000)
    talk.server.say(done('failed'))
    await talk.client.next()
    await leave(talk, 'says goodbye')

    const { outputTokens } = await charged()
    expect(outputTokens).toBe(2)
  })

  it('the first response of a session costs its prompt by the bytes that the client said, where it is cancelled untold', async () => {
    gateway.clock.advance(1)
    sessions++
    const talk = await joined(gateway, backend, '/v1/realtime', key)
    const text = 'lorem ipsum '.repeat(340)
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }
    talk.client.say({ type: 'conversation.item.create', item })
    await talk.server.next()
    await ask(talk)
    await cancel(talk)
    talk.server.say(done('cancelled'))
    await talk.client.next()
    await leave(talk, 'says goodbye')

    await gateway.clock.during(gateway.logged(sessions), 100)
    const last = (await gateway.ledger()).at(-1)
    expect((last?.inputTokens ?? 0) / (text.length / 4)).toBeGreaterThan(1)
    expect((last?.inputTokens ?? 0) / (text.length / 4)).toBeLessThan(1.1)
  })

  it('a session that is ended for its pings in the middle of a response is charged what the backend reports of it', async () => {
    const talk = await asking()
    await step(talk, 2)
    for (let n = 0; n < 100; n++) talk.client.ws.ping(Buffer.alloc(0))
    await ticks()
    for (const event of STEPS.slice(2)) talk.server.say(event)

    expect(await talk.client.end()).toMatchObject({ code: 1008 })
    expect(await charged()).toEqual(TOLD)
  })
}
