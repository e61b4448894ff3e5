import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@keyv/redis'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { outcomeOf, send } from '../calls.ts'

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi' }))
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

const start = async (more: object = {}) => {
  test = await startTestGateway({ onprem: [backend], ...more })
}
const readyz = (url: string) => send({ url }, 'GET /readyz')
/** The answer of both listeners once the cached one has expired. */
async function asked() {
  test.clock.advance(1000)
  const [operators, clients] = [await readyz(test.admin), await readyz(test.url)]
  return { operators: [operators.status, (operators.body as { store?: string }).store], clients: outcomeOf(clients) }
}
const READY = { operators: [200, 'ok'], clients: '200' }

it('nothing of files and reloads is told to clients', async () => {
  await start()

  expect((await readyz(test.url)).body).toEqual({ status: 'ready', revision: test.gateway.app.config.revision })
})

it('however many ask, the store has one small write in a second', async () => {
  await start()
  const prove = vi.spyOn(test.gateway.store, 'proveWritable')

  await Promise.all(Array.from({ length: 50 }, (_, n) => readyz(n % 2 ? test.url : test.admin)))
  expect(prove).toHaveBeenCalledTimes(1)

  expect(await asked()).toEqual(READY)
  expect(prove).toHaveBeenCalledTimes(2)
})

it('a store that says nothing for two seconds is not ready', async () => {
  await start()
  vi.spyOn(test.gateway.store, 'proveWritable').mockReturnValue(new Promise(() => {}))

  const asked = readyz(test.url)
  await eventually(() => expect(test.gateway.store.proveWritable).toHaveBeenCalled())
  test.clock.advance(2000)

  expect(outcomeOf(await asked)).toBe('503 STORE_UNAVAILABLE')
})

const hasLimits = spawnSync('prlimit', ['--version']).status === 0

describe.skipIf(!hasLimits)('an embedded store', () => {
  /** As large as files of this process may become, in bytes; what the disk of a real gateway has left. */
  const limitFiles = (bytes: number | 'unlimited') => {
    const { status, stderr } = spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`])
    if (status !== 0) throw new Error(String(stderr))
  }
  afterEach(() => limitFiles('unlimited'))

  it('on a full disk is not ready on either listener, and ready again once there is room', async () => {
    await start()
    const key = await test.key('pro')
    expect(await asked()).toEqual(READY)

    // Pages that are free in the file are used up first: until then requests are served, and the gateway is ready.
    limitFiles(statSync(join(test.dir, 'store/data.mdb')).size)
    const seen: string[] = []
    for (let n = 0; n < 2000 && seen.at(-1) !== '503'; n++) seen.push(String((await test.chat(key)).status))
    const full = await asked()
    limitFiles('unlimited')

    expect(seen.at(-1)).toBe('503')
    expect(full).toEqual({ operators: [503, 'unavailable'], clients: '503 STORE_UNAVAILABLE' })
    await eventually(async () => expect(await asked()).toEqual(READY))
  })
})

describeRedis('a Redis', () => {
  const redis = useRedis()
  const command = async (...words: string[]) => {
    const client = createClient({ url: redis().url })
    client.on('error', () => {})
    await client.connect()
    await client.sendCommand(words)
    client.destroy()
  }

  it.each([
    ['is full', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
    ['became a replica', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
    [
      'lacks the replicas that it wants',
      ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
      ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
    ],
  ])(
    'that %s is told to operators, and keeps no balancer away: all gateways have the same one',
    async (_, harm, heal) => {
      await start({ redis: redis() })
      expect(await asked()).toEqual(READY)

      await command(...harm)
      const harmed = await asked()
      await command(...heal)

      expect(harmed).toEqual({ operators: [200, 'unavailable'], clients: '200' })
      await eventually(async () => expect(await asked()).toEqual(READY))
    },
  )

  it('that was emptied takes writes, and is told as unavailable', async () => {
    await start({ redis: redis() })

    await command('FLUSHALL')

    expect((await asked()).operators).toEqual([200, 'unavailable'])
  })
})
