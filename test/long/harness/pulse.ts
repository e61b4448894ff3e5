import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { type Ask, ask, type Outcome } from './client.ts'
import type { Gateway } from './fleet.ts'

/** Outcomes of requests sent at a steady pace. */
export interface Pulse {
  readonly outcomes: readonly Outcome[]
  /** Statuses of GET /v1/models. */
  readonly models: readonly number[]
  /** `status code` of minting keys. */
  readonly mints: readonly string[]
  /** Longest wait for an answer to any of them, in ms. */
  readonly slowestMs: number
}

/** Every second, of both gateways together. */
const CHATS = 40
const MODELS = 5

/** Sends requests for a while, none waiting for another, and resolves when all of them are answered. */
export async function pulse(gateways: readonly Gateway[], asks: readonly Ask[], forMs: number): Promise<Pulse> {
  const chats: Promise<Outcome>[] = []
  const others: Promise<{ readonly path: string; readonly answer: string; readonly ms: number }>[] = []
  const until = performance.now() + forMs
  for (let n = 0; performance.now() < until; n++) {
    // Three to the first: the others hear of an outage only now and then.
    const gateway = (n % 4 === 3 ? gateways[n % gateways.length] : undefined) ?? gateways[0]
    const one = asks[n % asks.length]
    if (!gateway || !one) throw new Error('a pulse needs gateways and requests')
    chats.push(ask(gateway, one))
    if (n % (CHATS / MODELS) === 0) others.push(timed('/v1/models', () => status(`${gateway.url}/v1/models`)))
    if (n % CHATS === 7) others.push(timed('/admin/keys', () => mint(gateway, `new-${n}`)))
    await sleep(1000 / CHATS)
  }
  const outcomes = await Promise.all(chats)
  const rest = await Promise.all(others)
  return {
    outcomes,
    models: rest.filter(({ path }) => path === '/v1/models').map(({ answer }) => Number(answer)),
    mints: rest.filter(({ path }) => path === '/admin/keys').map(({ answer }) => answer),
    slowestMs: Math.max(...[...outcomes, ...rest].map(({ ms }) => ms)),
  }
}

async function timed(path: string, answered: () => Promise<string>) {
  const start = performance.now()
  const answer = await answered()
  return { path, answer, ms: performance.now() - start }
}

async function status(url: string): Promise<string> {
  const { statusCode, body } = await request(url)
  await body.dump()
  return String(statusCode)
}

async function mint(gateway: Gateway, account: string): Promise<string> {
  const { status, body } = await gateway.ask('POST', '/admin/keys', { account, plan: 'pro' })
  return `${status} ${status === 200 ? '' : (JSON.parse(body) as { code: string }).code}`.trim()
}
