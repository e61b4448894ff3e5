import { test } from 'vitest'
import { startBackend } from './backend.ts'
import { startTestGateway, type TestGateway, type TestPools } from './gateway.ts'
import type { RedisServer } from './redis/redis.ts'

/**
 * A test that may name a scripted backend, a gateway in front of it, and a key of that gateway. Only what it names is
 * started. For another configuration or plan, extend it: `gatewayTest.extend('config', { guests: '…' })`. Never call
 * `gatewayTest.override` at the top level of a file: the files of a worker share this object.
 */
export const gatewayTest = gatewayTestWith(startBackend)

/** A gateway test on a store that is started for each test: a Redis server, or the embedded store for `undefined`. */
export const gatewayTestOn = (startStore: () => Promise<RedisServer | undefined>) =>
  gatewayTest.extend('config', async ({ onTestFinished }): Promise<Partial<TestPools>> => {
    const redis = await startStore()
    onTestFinished(() => redis?.stop())
    return redis ? { redis } : {}
  })

/** A gateway test with another kind of backend, or another way to start the gateway. */
export function gatewayTestWith<B extends Upstream>(
  startUpstream: () => Promise<B>,
  startGateway: (pools: TestPools) => Promise<TestGateway> = startTestGateway,
) {
  // `onTestFinished` closes the newest first, and the rest even if one rejects, where `onCleanup` leaves the rest open.
  return (
    test
      .extend('backend', async ({ onTestFinished }) => {
        const backend = await startUpstream()
        onTestFinished(() => backend.close())
        return backend
      })
      /** A second backend, of which the gateway knows if `config` names it: `({ cloud }) => ({ cloud: [cloud] })`. */
      .extend('cloud', async ({ onTestFinished }) => {
        const cloud = await startUpstream()
        onTestFinished(() => cloud.close())
        return cloud
      })
      /** Configuration beside the pool `onprem`, whose only replica is the backend. */
      .extend('config', (): Partial<TestPools> => ({}))
      .extend('gateway', async ({ backend, config, onTestFinished }) => {
        const gateway = await startGateway({ onprem: [backend], ...config })
        onTestFinished(() => gateway.close())
        return gateway
      })
      /** Stops the gateway and starts another one on the same files. */
      .extend('restart', ({ gateway, onTestFinished }) => async () => {
        const restarted = await gateway.restart()
        onTestFinished(() => restarted.close())
        return restarted
      })
      /** The gateway inside the test gateway: its store, its pools, how it drains. */
      .extend('running', ({ gateway }) => gateway.gateway)
      /** The plan of `key`. */
      .extend('plan', (): string => 'pro')
      .extend('key', ({ gateway, plan }) => gateway.key(plan))
  )
}

interface Upstream {
  readonly url: string
  close(): Promise<void>
}
