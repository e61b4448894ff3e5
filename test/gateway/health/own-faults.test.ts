import { expect, it } from 'vitest'
import { ofBreak } from '../../../src/gateway/attempt/outcome.ts'
import { checkReplica } from '../../../src/gateway/health/check.ts'
import { ProbeLoop, type ProbeLoopPorts } from '../../../src/gateway/health/probe-loop.ts'
import { isOwnFault } from '../../../src/gateway/own-faults.ts'
import { Replica } from '../../../src/gateway/pools/replica.ts'
import type { BackendListener, Probe, Send } from '../../../src/gateway/ports.ts'
import type { DialectName } from '../../../src/policy/backend-dialects.ts'
import type { Pool } from '../../../src/policy/config.ts'
import { VirtualClock } from '../../support/clock.ts'

const broken = (code: string) => ofBreak(Object.assign(new Error('connect'), { code }), { stale: false })

it.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'])(
  '%s is a fault of the gateway, and of no replica',
  code => {
    expect(broken(code)).toEqual({ kind: 'failed', cause: code, blame: 'none', next: 'pool' })
    expect(isOwnFault(code)).toBe(true)
  },
)

it.each(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENOTFOUND'])('%s is none', code => {
  expect(broken(code)).not.toMatchObject({ blame: 'none' })
  expect(isOwnFault(code)).toBe(false)
})

const EVERY = 10_000

it.each([
  ['EMFILE', false],
  ['ECONNREFUSED', true],
])('four probes that end with %s eject the replica: %s', (error, isEjected) => {
  const clock = new VirtualClock(0)
  const replica = new Replica('http://127.0.0.1:1/v1', { changed: () => {} })
  let probes = 0
  const probe: ProbeLoopPorts['probe'] = over => {
    probes++
    over({ ok: false, error, ms: 1, at: clock.now() }, 5000)
    return () => {}
  }
  const watch = new ProbeLoop({ clock, probe }, replica, { path: '/health', every: EVERY })
  watch.start(0)
  clock.advance(4 * EVERY)
  watch.stop()

  expect(probes).toBeGreaterThanOrEqual(4)
  expect(replica.breaker.state(clock.now()) !== 'closed').toBe(isEjected)
})

it.each([
  ['EMFILE', 'unknown'],
  ['ECONNREFUSED', 'fails'],
])('a health check that ends with %s finds that the replica is %s', async (code, kind) => {
  const unsent: Send & Probe = (_request: unknown, { failed }: Pick<BackendListener, 'failed'>) => {
    queueMicrotask(() => failed(Object.assign(new Error('connect'), { code }), false))
    return { pause() {}, resume() {}, abort() {} }
  }
  const pool = {
    name: 'onprem',
    model: 'm',
    speaks: ['chat'] as readonly DialectName[],
    caps: ['max_tokens'],
  } as unknown as Pool
  const settings = { connectTimeout: 1000 }

  const found = await checkReplica(
    { clock: new VirtualClock(0), probe: unsent, send: unsent },
    { pool, replica: 'http://127.0.0.1:1/v1', kind: 'chat', settings, id: 'req_1' },
  )

  expect(found).toEqual({ verdict: { kind } })
})
