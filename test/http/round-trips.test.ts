import { createClient } from '@keyv/redis'
import { expect, it, onTestFinished, vi } from 'vitest'
import { bucketOf, GUESTS } from '../../src/adapters/redis/layout.ts'
import { hashOf } from '../../src/gateway/accounts/keys.ts'
import { answer, startBackend } from '../support/backend.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { useCluster } from '../support/redis/cluster.ts'
import { redisCommand } from '../support/redis/command.ts'
import { describeRedis, type RedisServer } from '../support/redis/redis.ts'

const REQUESTS = 3
const LONG = { timeout: 60_000, interval: 100 }
/** The gateway's requests to each master once a second, whether it serves or not. */
const LOOKS = ['CLUSTER', 'INFO']

describeRedis('a request of a caller that the gateway knows from a moment ago', { timeout: 60_000 }, () => {
  const cluster = useCluster()
  const epochOf = (account: string) => `svc:{${bucketOf(account)}}:epoch`

  it.each([
    { limits: 'of its own', plan: 'pro', fields: {}, own: ['EVALSHA', 'EVALSHA'], shared: [] },
    {
      limits: 'that accounts share',
      plan: 'pro',
      fields: { pro: 'limits: [{ requests: 900k, per: hour, of: plan }]' },
      own: ['EVALSHA', 'EVALSHA'],
      shared: ['EVALSHA', 'EVALSHA'],
    },
  ])('with limits $limits asks a cluster for $own of its account and $shared of those', async of => {
    const backend = await startBackend()
    onTestFinished(() => backend.close())
    backend.always(answer({ content: 'Hi' }))
    const test = await startTestGateway({ onprem: [backend], redis: cluster(), fields: of.fields })
    onTestFinished(() => test.close())
    const home = await cluster().nodeOf(epochOf(GUESTS))
    const key = await keyElsewhere(test, of.plan, async account => (await cluster().nodeOf(epochOf(account))) !== home)
    const chat = async () => (await test.chat(key)).status
    await vi.waitFor(async () => expect(await chat()).toBe(200), LONG)

    const asked = await askedOf(cluster().masters, async () => {
      for (let n = 0; n < REQUESTS; n++) expect(await chat()).toBe(200)
    })

    const times = (commands: readonly string[]) => Array.from({ length: REQUESTS }, () => commands).flat()
    const atHome = asked.get(home) ?? []
    const elsewhere = [...asked].flatMap(([node, commands]) => (node === home ? [] : [commands]))
    expect(atHome).toEqual(times(of.shared))
    expect(elsewhere).toHaveLength(2)
    expect(elsewhere).toContainEqual(times(of.own))
    expect(elsewhere.flat()).toHaveLength(times(of.own).length)
  })

  /** A key of an account that does not lie where accounts share. */
  async function keyElsewhere(test: TestGateway, plan: string, isElsewhere: (account: string) => Promise<boolean>) {
    for (let tries = 0; ; tries++) {
      const key = await vi.waitFor(() => test.key(plan, `${plan}-${tries}-${Date.now()}`), LONG)
      const found = await vi.waitFor(() => test.gateway.store.keys.findCaller(hashOf(key)), LONG)
      if (found && (await isElsewhere(found.account))) return key
    }
  }
})

/** The commands that masters were sent by others while something ran, of each master in order. */
async function askedOf(masters: readonly RedisServer[], run: () => Promise<void>) {
  const seen = new Map<RedisServer, string[]>()
  const ends = masters.map(async master => {
    const lines: string[] = []
    const watcher = createClient({ url: master.url })
    await watcher.connect()
    onTestFinished(() => watcher.destroy())
    const isOver = new Promise<void>(resolve => {
      void watcher.monitor(line => {
        const text = String(line)
        // A command that no one else sends shows that all before it were seen.
        if (text.includes('"the end"')) resolve()
        else lines.push(text)
      })
    })
    await redisCommand(master, 'ECHO', 'the beginning')
    return async () => {
      await redisCommand(master, 'ECHO', 'the end')
      await isOver
      const from = lines.findIndex(line => line.includes('"the beginning"'))
      // Scripts run commands of their own, which take no round trip.
      const asked = withoutClockLooks(lines.slice(from + 1).filter(line => !/\[\d+ lua\]/.test(line)))
      const names = asked.map(line => /"(\w+)"/.exec(line)?.[1]?.toUpperCase() ?? '')
      seen.set(
        master,
        names.filter(name => !LOOKS.includes(name) && !GREETINGS.includes(name)),
      )
    }
  })
  const over = await Promise.all(ends)
  await run()
  await Promise.all(over.map(end => end()))
  return seen
}

/** Every few seconds a gateway asks for the clock of a master and, in one go, for the correction that is kept there. */
const withoutClockLooks = (lines: readonly string[]): readonly string[] => {
  const isKept = (line = '') => /"GET" "[^"]*:clock"/i.test(line)
  return lines.filter((line, at) => !isKept(line) && !(/"TIME"/i.test(line) && isKept(lines[at + 1])))
}

/** The first commands of the test's own clients. */
const GREETINGS = ['HELLO', 'CLIENT']
