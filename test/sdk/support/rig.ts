import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest'
import type { LogEntry } from '../../../src/http/log-entry.ts'
import { type Backend, type Behaviour, hang, startBackend, status } from '../../support/backend.ts'
import { ENV, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { Models } from './models.ts'

/** The stage for every scenario of every SDK: a gateway in front of a backend that answers like the demo's. */
export interface Rig {
  readonly backend: Backend
  readonly test: TestGateway
  /** The base URL that SDK users set. */
  readonly baseURL: string
  /** A key of plan pro, which every model is in. */
  readonly key: string
  /** The last body that the backend got. */
  readonly sent: Readonly<Record<string, unknown>>
  /** Every call the gateway got, once all of them are over. */
  calls(): Promise<readonly LogEntry[]>
}

/** Starts one for each test of the suite around it. */
export function useRig(): Rig {
  const models = new Models()
  beforeAll(() => models.start())
  afterAll(() => models.stop())

  return useGateway(backend => {
    backend.always(models.answer)
    // Longer than the silences of these tests.
    return startTestGateway({
      onprem: [backend],
      yaml: 'failover: { headers_timeout: 60s, first_content_timeout: 60s }',
    })
  })
}

/** A rig with a gateway that keeps responses. */
export function useKeepingRig(): Rig {
  const yaml = `responses: { keep: 1h, key: "\${RESPONSES_KEY}" }`
  const env = { ...ENV, RESPONSES_KEY: randomBytes(32).toString('hex') }
  return useGateway(backend => startTestGateway({ onprem: [backend], yaml, env }))
}

/** A rig with a gateway that `start` puts in front of the backend. */
export function useGateway(start: (backend: Backend) => Promise<TestGateway>): Rig {
  let backend: Backend
  let test: TestGateway
  let key: string

  beforeEach(async () => {
    backend = await startBackend()
    test = await start(backend)
    key = await test.key('pro')
  })

  afterEach(async () => {
    await test.close()
    await backend.close()
  })

  return {
    get backend() {
      return backend
    },
    get test() {
      return test
    },
    get baseURL() {
      return `${test.url}/v1`
    },
    get key() {
      return key
    },
    get sent() {
      return backend.requests.at(-1)?.body ?? {}
    },
    calls: () => callsOf(test),
  }
}

/** Every call that a gateway got after so many entries of its log, once all of them are over. */
export async function callsOf(test: TestGateway, from = 0): Promise<readonly LogEntry[]> {
  const isProbe = ({ path }: LogEntry) => path === '/readyz'
  const probes = () => test.log.filter(isProbe).length
  // A call of our own marks the end: those before it are in the log by the time it is.
  const before = probes()
  await (await fetch(`${test.url}/readyz`)).text()
  while (probes() === before) await test.logged(test.log.length + 1)
  return test.log.slice(from).filter(entry => !isProbe(entry))
}

/** Every attempt of every call fails. */
export const exhausted: Behaviour = status(529, { error: { message: 'no memory left', type: 'server_error' } })

/** Long enough that the gateway begins a stream by itself and fills the silence with a comment. */
const SILENCE_MS = 40_000

/** The backend's behaviour after all that time has passed. */
export function afterSilence({ test }: Rig, then: Behaviour): Behaviour {
  return exchange => {
    test.clock.advance(SILENCE_MS)
    return then(exchange)
  }
}

/**
 * A key whose plan allows two requests a minute, both taken: the next call is told to come back in `waitMs`, and
 * when the gateway has said so that time has passed for it at once. The SDK waits it out for real.
 */
export async function spentMinute({ test, backend }: Rig, waitMs: number): Promise<string> {
  const key = await test.key('tight', 'hasty')
  const before = test.log.length
  for (let i = 0; i < 2; i++) await (await test.chat(key, { max_tokens: 10 })).text()
  await test.logged(before + 2)
  backend.requests.length = 0
  test.clock.advance(61_000 - waitMs)
  void test.logged(before + 3).then(() => test.clock.advance(waitMs))
  return key
}

/** The wait after a burst inside one second, which exceeds a minute. */
const BURST_MS = 60_500

/**
 * Asks with a key whose plan allows two requests a minute, both taken half a second ago. The SDK's waits pass at once, for the
 * gateway too: `isWait` tells its timers from all others of the process by their length.
 */
export async function burst<T>(
  { test, backend }: Rig,
  isWait: (ms: number) => boolean,
  ask: (key: string) => Promise<T>,
): Promise<T> {
  const key = await test.key('tight', 'hasty')
  const before = test.log.length
  for (let i = 0; i < 2; i++) await (await test.chat(key, { max_tokens: 10 })).text()
  await test.logged(before + 2)
  backend.requests.length = 0
  test.clock.advance(61_000 - BURST_MS)
  const { setTimeout } = globalThis
  const timer = vi.spyOn(globalThis, 'setTimeout')
  timer.mockImplementation(((run: () => void, ms: number, ...rest: never[]) => {
    // Those of undici are given something to work on.
    if (rest.length > 0 || !isWait(ms)) return setTimeout(run, ms, ...rest)
    test.clock.advance(ms)
    return setTimeout(run, 0)
  }) as typeof setTimeout)
  return ask(key).finally(() => timer.mockRestore())
}

/** The waits of SDKs that add nothing of their own. */
export const isTold = (ms: number): boolean => ms === 59_999 || ms === BURST_MS - 59_999

/** The calls of a burst that is waited out: SDKs wait no minute, so they are told 59.999 s and then the rest. */
export const waitedOut = [{ status: 429, type: 'requests' }, { status: 429, type: 'requests' }, { status: 200 }]

/** A key whose plan allows one request at once, and that one under way; ends it when asked to. */
export async function busyKey({ test, backend }: Rig): Promise<{ key: string; free: () => Promise<void> }> {
  const key = await test.key('tight', 'busy')
  const leaving = new AbortController()
  backend.next(hang)
  const running = test.chat(key, { max_tokens: 10, stream: true }, { signal: leaving.signal })
  running.catch(() => {})
  await backend.received(1)
  return {
    key,
    free: async () => {
      leaving.abort()
      await test.closed(1)
    },
  }
}
