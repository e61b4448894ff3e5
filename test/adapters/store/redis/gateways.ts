import { beforeEach, onTestFinished, vi } from 'vitest'
import { openRedisStore, type RedisStore } from '../../../../src/adapters/redis/store.ts'
import { type RedisPair, startRedisPair } from '../../../support/redis/redis-pair.ts'
import { newDirectory } from '../directory.ts'

/** How long a test waits for what servers and gateways do by themselves. */
export const PATIENCE = { timeout: 60_000, interval: 20 }

/** Several gateways on a primary and its replica, anew for each test of a describe. */
export function useGateways() {
  let pair: RedisPair | undefined
  let alarms: string[]
  beforeEach(async () => {
    alarms = []
    pair = await startRedisPair()
  }, 60_000)
  const servers = () => {
    if (!pair) throw new Error('the servers are started before each test, not while tests are collected')
    return pair
  }
  return {
    servers,
    /** A gateway, or the successor of the one that had the directory. */
    open: async (stateDir?: string): Promise<RedisStore> => {
      const opened = await openRedisStore({
        url: servers().url,
        prefix: 'svc',
        stateDir: stateDir ?? (await newDirectory()),
        alarm: (message, details) => void alarms.push(`${message} ${JSON.stringify(details ?? {})}`),
        answerMs: 1000,
      })
      onTestFinished(() => opened.close())
      return opened
    },
    /** The replica takes over, and the gateways have found it. */
    failOver: async (...gateways: readonly RedisStore[]): Promise<void> => {
      await servers().failOver()
      for (const each of gateways) await vi.waitFor(() => each.fleet.read(), PATIENCE)
    },
    /** Alarms of a server that lacked something. */
    repeated: (): readonly string[] => alarms.filter(each => each.includes('has it again')),
  }
}
