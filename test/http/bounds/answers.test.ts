import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { AnswerMemory } from '../../../src/gateway/answer/memory.ts'
import { answer } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { type Answered, Answering, longStream, WHOLE_ANSWERS } from './fixture.ts'

let site: Answering
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  vi.restoreAllMocks()
  await eventually(() => expect(site.test.gateway.app.answers.total).toBe(0))
})

function ask(key: string, { path, body }: Pick<Answered, 'path' | 'body'>): Promise<Response> {
  return fetch(`${site.test.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** A client that sends one request and reads nothing of the answer before `resume`. */
async function readingNothing(key: string, { path, body }: Pick<Answered, 'path' | 'body'>) {
  const socket = connect({ port: site.test.gateway.listen.port, host: '127.0.0.1' })
  sockets.push(socket)
  await once(socket, 'connect')
  const text = JSON.stringify(body)
  let heard = ''
  socket.on('data', bytes => (heard = (heard + bytes.toString('latin1')).slice(0, 2000)))
  socket.on('error', () => {})
  socket.pause()
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n`
  socket.write(head + text)
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  return { socket, closed, heard: () => heard }
}

describe('a whole answer', () => {
  beforeAll(async () => {
    site = await Answering.start()
  })
  afterAll(() => site.close())

  it.each(Object.entries(WHOLE_ANSWERS))(
    'of %s counts in memory, and is read in the turn of its account',
    async (_, asked) => {
      const { app } = site.test.gateway
      const counted = vi.spyOn(AnswerMemory.prototype, 'count')
      const turns = vi.spyOn(app.turns, 'beginSteps')
      const key = await site.key()
      for (const behaviour of asked.behaviours) site.backend.next(behaviour)

      const response = await ask(key, asked)
      expect([response.status, (await response.arrayBuffer()).byteLength > 20_000]).toEqual([200, true])

      const owners = counted.mock.calls.map(([{ owner }]) => owner)
      expect(new Set(owners).size).toBe(1)
      expect(owners[0]).toMatch(/^acct_/)
      expect(Math.max(...counted.mock.calls.map(([, change]) => change))).toBeGreaterThan(16_384)
      expect(turns.mock.calls.length).toBeGreaterThanOrEqual(asked.behaviours.length)
      expect(new Set(turns.mock.calls.map(([account]) => account))).toEqual(new Set(owners))
    },
  )

  it('that comes as a stream is charged to its account for the time that it takes to read', async () => {
    const charged = vi.spyOn(site.test.gateway.app.turns, 'charge')
    const key = await site.key()
    const body = { ...chat.body, max_tokens: 30_000, stream: true }
    // The clock stands still: what is measured takes no time, and what is charged by its bytes does.
    const measured = () => charged.mock.calls.filter(([, took]) => took === 0)
    site.backend.next(longStream(30_000))
    expect((await (await ask(key, { ...chat, body })).text()).length).toBeGreaterThan(30_000)
    expect(measured()).toEqual([])

    site.backend.next(longStream(300_000))
    expect((await (await ask(key, { ...chat, body })).text()).length).toBeGreaterThan(300_000)
    expect(new Set(measured().map(([account]) => account.slice(0, 5)))).toEqual(new Set(['acct_']))
  })

  it('of a read counts as well', async () => {
    const counted = vi.spyOn(AnswerMemory.prototype, 'count')

    const headers = { 'accept-encoding': 'identity' }
    expect((await fetch(`${site.test.url}/openapi.json`, { headers })).status).toBe(200)
    expect(counted).toHaveBeenCalled()
  })
})

const TEXT = 'x'.repeat(12_000_000)
const chat = { path: '/v1/chat/completions', body: { max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] } }

describe('beside a client that reads nothing', () => {
  beforeAll(async () => {
    site = await Answering.start(', answer_memory: 68MB')
    site.backend.always(answer({ content: TEXT }))
  })
  afterAll(() => site.close())

  const total = () => site.test.gateway.app.answers.total
  const fetched = (count: number) => eventually(() => expect(total()).toBeGreaterThan(count * TEXT.length))

  it('its account gets no more than half of the memory, and others are served', async () => {
    const [greedy, honest] = [await site.key(), await site.key()]
    for (let n = 1; n <= 2; n++) {
      await readingNothing(greedy, chat)
      await fetched(n)
    }
    const refused = await readingNothing(greedy, chat)
    await eventually(() => expect(total()).toBeGreaterThan(33_000_000))
    await site.test.clock.waits(5000)
    expect(total()).toBeLessThanOrEqual(34_000_000 + 262_144)

    refused.socket.resume()
    site.test.clock.advance(5000)
    await eventually(() => expect(refused.heard()).toMatch(/^HTTP\/1.1 503 /))
    expect(refused.heard()).toContain('The unread answers of your account together take too much memory')
    expect(total()).toBeLessThan(25_000_000)
    // Those who read nothing lose an answer to it, once it has waited.
    const response = await site.test.clock.during(ask(honest, chat), 10)
    expect([response.status, (await response.text()).length > TEXT.length]).toEqual([200, true])
    // All of them are charged: their backend worked.
    expect((await site.test.ledger()).length).toBeGreaterThanOrEqual(4)
  })

  /** The most bytes of answers that were counted at any time. */
  const mostCounted = () => {
    const seen = { most: 0 }
    const { count } = AnswerMemory.prototype
    vi.spyOn(AnswerMemory.prototype, 'count').mockImplementation(function (this: AnswerMemory, answer, change) {
      count.call(this, answer, change)
      seen.most = Math.max(seen.most, this.total)
    })
    return seen
  }

  it('an answer counts twice while it is read', async () => {
    const seen = mostCounted()
    expect((await (await ask(await site.key(), chat)).text()).length).toBeGreaterThan(TEXT.length)
    expect(seen.most).toBeGreaterThan(2 * TEXT.length)
    expect(seen.most).toBeLessThan(2 * TEXT.length + 1000)
  })

  it('twelve accounts at one address fetch large answers one after the other, and none is refused', async () => {
    const keys = await Promise.all(Array.from({ length: 12 }, () => site.key()))
    const seen = mostCounted()
    const answers = await Promise.all(keys.map(async key => (await (await ask(key, chat)).text()).length > TEXT.length))

    expect(answers).toEqual(keys.map(() => true))
    // Half of 68 MB is for an address, and one answer with its copy may be beyond that.
    expect(seen.most).toBeLessThan(34_000_000 + 2 * TEXT.length)
  })

  it('one that waits for room goes on once an answer of its account was read', async () => {
    const key = await site.key()
    const held = [await readingNothing(key, chat)]
    await fetched(1)
    held.push(await readingNothing(key, chat))
    await fetched(2)
    const waiting = ask(key, chat)
    await site.test.clock.waits(5000)

    held[0]?.socket.resume()
    const response = await waiting
    expect([response.status, (await response.text()).length > TEXT.length]).toEqual([200, true])
  })

  it('its answer is ended after a minute and the time that a slow line takes', async () => {
    const { closed, socket } = await readingNothing(await site.key(), chat)
    socket.resume()
    await once(socket, 'data')
    socket.pause()
    site.test.clock.advance(60_000 + TEXT.length / 33)
    expect(total()).toBeGreaterThan(TEXT.length)

    site.test.clock.advance(TEXT.length / 32 - TEXT.length / 33 + 1000)
    await eventually(() => expect(total()).toBe(0))
    socket.resume()
    await closed
  })

  it('a stream counts by what it leaves, and not at all once it left', async () => {
    const key = await site.key()
    site.backend.next(longStream(20_000_000))
    const { socket } = await readingNothing(key, { ...chat, body: { ...chat.body, max_tokens: 30_000, stream: true } })
    await eventually(() => expect(total()).toBeGreaterThan(16_384))
    expect(total()).toBeLessThan(1_000_000)

    socket.destroy()
    await site.test.clock.during(
      eventually(() => expect(total()).toBe(0)),
      100,
    )
  })

  it('a stream that is held until it is whole counts like a whole answer', async () => {
    const key = await site.key()
    site.backend.next(longStream(10_000_000))
    const { socket } = await readingNothing(key, {
      ...chat,
      body: { ...chat.body, max_tokens: 30_000, model: 'svc-held', stream: true },
    })
    await eventually(() => expect(total()).toBeGreaterThan(9_000_000))

    socket.destroy()
    await site.test.clock.during(
      eventually(() => expect(total()).toBe(0)),
      100,
    )
  })
})
