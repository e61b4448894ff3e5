import { cp } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { removeFolder } from '../lanes/remove-folder.ts'
import { describeRedis, type RedisOptions, type RedisServer, startRedis } from '../support/redis/redis.ts'
import { faultsIn, NO_FAULTS, readBooks } from './harness/books.ts'
import { type Account, type Ask, ask } from './harness/client.ts'
import { Fleet } from './harness/fleet.ts'
import { tallyOf } from './harness/load.ts'
import { program, site } from './harness/program-and-site.ts'
import { pulse } from './harness/pulse.ts'
import { commandsOf } from './harness/redis.ts'
import { scaled } from './harness/size.ts'
import { refusedIn, waits } from './harness/spool.ts'
import { served, until } from './harness/until.ts'

const DOWN_MS = scaled(10_000, 1500)
const REFUSED_WITHIN_MS = 300
const BACK_WITHIN_MS = 2000
const TOLD_WITHIN_MS = 10_000
/** Per key, and as many keys as make loading last longer than the outage. */
const LOADING_US = 500
const PADDING = Math.ceil((3 * DOWN_MS) / LOADING_US) * 1000
const plans = { pro: 'rpm: 1M, tpm: 900M, monthly_usd: 500' }

/** Makes Redis unusable; resolves with what heals it. */
type Outage = (redis: RedisServer) => Promise<() => Promise<void>>

const outages: Readonly<Record<string, Outage>> = {
  stopped: async redis => {
    redis.pause()
    return async () => redis.resume()
  },
  killed: async redis => {
    await redis.kill()
    return () => redis.restart()
  },
  flushed: async redis => {
    const commands = await commandsOf(redis.url)
    const { dir = '' } = await commands.configGet('dir')
    await cp(dir, `${dir}.saved`, { recursive: true })
    await commands.flushAll()
    commands.destroy()
    return async () => {
      await redis.kill()
      await removeFolder(dir)
      await cp(`${dir}.saved`, dir, { recursive: true })
      await removeFolder(`${dir}.saved`)
      await redis.restart()
    }
  },
  'made a replica of nobody': async redis => {
    const commands = await commandsOf(redis.url)
    await commands.sendCommand(['REPLICAOF', '127.0.0.1', '1'])
    return async () => {
      await commands.sendCommand(['REPLICAOF', 'NO', 'ONE'])
      commands.destroy()
    }
  },
  loading: async redis => {
    const before = await commandsOf(redis.url)
    // Clients are answered while a snapshot is read, every 1,024 bytes of it.
    for (let n = 0; n < PADDING; n += 1000)
      await before.mSet(Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`padding:${n + i}`, 'x'])))
    await before.sendCommand(['BGREWRITEAOF'])
    await until(20_000, async () => /aof_rewrite_in_progress:0[\s\S]*aof_rewrite_scheduled:0/.test(await before.info()))
    before.destroy()
    await redis.kill()
    const loaded = redis.restart()
    await until(5000, () => isLoading(redis.url))
    return async () => {
      expect(await isLoading(redis.url)).toBe(true)
      const commands = await commandsOf(redis.url)
      await commands.configSet('key-load-delay', '0')
      commands.destroy()
      await loaded
    }
  },
}
const flagsOf: Readonly<Record<string, RedisOptions['flags']>> = {
  loading: { 'loading-process-events-interval-bytes': '1024', 'key-load-delay': String(LOADING_US) },
}

describeRedis('two gateways', () => {
  it.each(Object.entries(outages))(
    'while Redis is %s, every request is refused with 503 within 300 ms; the stream under way is settled once',
    async (name, begin) => {
      const { redis, fleet, ada } = await open(flagsOf[name])
      site.hold()
      const stream = ask(fleet.first, { account: ada, stream: true, maxTokens: 40, script: { held: true } })
      await until(5000, () => site.log.some(({ maxTokens }) => maxTokens === 40))

      const heal = await begin(redis)
      const half = pulse(fleet.gateways, asksOf(ada), DOWN_MS / 2)
      await sleep(DOWN_MS / 4)
      site.release()
      const streamed = await stream
      const down = [await half, await pulse(fleet.gateways, asksOf(ada), DOWN_MS / 2)]
      await heal()
      const backMs = await Promise.all(fleet.gateways.map(gateway => served(gateway, ada)))

      const refused = down.flatMap(({ outcomes }) => outcomes)
      const slowest = Math.max(...down.map(({ slowestMs }) => slowestMs))
      const back = Math.max(...backMs)
      const tally = JSON.stringify(tallyOf(refused)).replaceAll('"', '')
      console.log(
        `Redis ${name} for ${DOWN_MS} ms: ${tally}, slowest ${Math.round(slowest)} ms, served again after ${Math.round(back)} ms; stream under way ${streamed.whole ? 'whole' : 'CUT'}`,
      )
      expect(Object.keys(tallyOf(refused))).toEqual(['503 STORE_UNAVAILABLE'])
      expect(new Set(down.flatMap(({ models }) => models))).toEqual(new Set([200]))
      expect(new Set(down.flatMap(({ mints }) => mints))).toEqual(new Set(['503 STORE_UNAVAILABLE']))
      expect(slowest).toBeLessThanOrEqual(REFUSED_WITHIN_MS)
      expect(back).toBeLessThanOrEqual(BACK_WITHIN_MS)
      expect(streamed).toMatchObject({ status: 200, whole: true })
      await until(TOLD_WITHIN_MS, () => fleet.gateways.every(gateway => !waits(gateway)))
      const { rows, ...rest } = await readBooks(fleet.first, [ada])
      expect(faultsIn({ rows, ...rest }, [streamed], site.log)).toEqual(NO_FAULTS)
      expect(rows.filter(row => row.request_id === streamed.requestId)).toMatchObject([{ kind: 'settle' }])
      expect(fleet.gateways.flatMap(refusedIn)).toEqual([])
      expect(fleet.faults()).toEqual([])
    },
  )

  it('connections that are cut each second cost 503 within 300 ms, never a 401, and never a row', async () => {
    const { redis, fleet, ada } = await open()
    const commands = await commandsOf(redis.url)
    onTestFinished(() => commands.destroy())
    const cutting = setInterval(() => commands.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes']), 1000)

    const { outcomes, models, slowestMs } = await pulse(fleet.gateways, asksOf(ada), DOWN_MS)
    clearInterval(cutting)
    const backMs = Math.max(...(await Promise.all(fleet.gateways.map(gateway => served(gateway, ada)))))

    const tally = tallyOf(outcomes)
    console.log(
      `Redis connections cut each second for ${DOWN_MS} ms: ${JSON.stringify(tally).replaceAll('"', '')}, slowest ${Math.round(slowestMs)} ms, served again after ${Math.round(backMs)} ms`,
    )
    const { 200: answered = 0, '503 STORE_UNAVAILABLE': unavailable = 0 } = tally
    expect(answered).toBeGreaterThan(0)
    expect(answered + unavailable).toBe(outcomes.length)
    expect(new Set(models)).toEqual(new Set([200]))
    expect(slowestMs).toBeLessThanOrEqual(REFUSED_WITHIN_MS)
    expect(backMs).toBeLessThanOrEqual(BACK_WITHIN_MS)
    await until(TOLD_WITHIN_MS, () => fleet.gateways.every(gateway => !waits(gateway)))
    expect(faultsIn(await readBooks(fleet.first, [ada]), outcomes, site.log)).toEqual(NO_FAULTS)
    expect(fleet.faults()).toEqual([])
  })
})

async function open(flags: RedisOptions['flags'] = {}) {
  site.log.length = 0
  const redis = await startRedis({ durable: true, flags })
  onTestFinished(() => redis.stop())
  const fleet = new Fleet({ program, site, plans, redis: redis.url, clocks: [0, 0] })
  onTestFinished(() => fleet.close())
  await fleet.start()
  const ada = await fleet.mint('ada', 'pro')
  await Promise.all(fleet.gateways.map(gateway => served(gateway, ada)))
  return { redis, fleet, ada }
}

const asksOf = (account: Account): readonly Ask[] => [{ account }, { account, stream: true }]

/** Whether it answers, and is not done. */
async function isLoading(url: string): Promise<boolean> {
  try {
    const commands = await commandsOf(url)
    const info = await commands.info('persistence')
    commands.destroy()
    return info.includes('loading:1')
  } catch {
    // Not listening yet.
    return false
  }
}
