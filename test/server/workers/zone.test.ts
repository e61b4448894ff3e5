import { describe, expect, it, onTestFinished } from 'vitest'
import { dayIn, dayText } from '../../../src/policy/zone.ts'
import { answer, startBackend } from '../../support/backend.ts'
import { useCluster } from '../../support/redis/cluster.ts'
import { describeRedis } from '../../support/redis/redis.ts'
import { startTree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const WORKERS = 2
const MOST = 5
const HOUR = 3_600_000

/** Neither has daylight saving, and midnight is never near in both. */
const zone = ['Asia/Kathmandu', 'Pacific/Marquesas'].find(each => {
  const [before, after] = [Date.now() - HOUR, Date.now() + HOUR]
  return dayIn(each, before) === dayIn(each, after)
})

const yaml = (backend: string, store?: string) => (directory: string) =>
  `${yamlOf(backend, store === undefined ? undefined : () => store, {
    plans: `tight: { models: all, rpm: 1k, tpm: 900M, per_day: ${MOST}, monthly_usd: 500 }`,
  })(directory)}zone: ${zone}\n`

async function limitsOfTheZone(store?: string): Promise<void> {
  const backend = await startBackend()
  onTestFinished(() => backend.close())
  backend.always(answer({ content: 'Hi' }))
  const tree = await startTree(WORKERS, yaml(backend.url, store))
  onTestFinished(async () => void (await tree.end()))
  const key = await tree.mint('tight', 'ada')

  const answers = await Promise.all(Array.from({ length: 3 * MOST }, () => tree.chat(key)))
  const refused = answers.filter(({ status }) => status === 429)
  expect([answers.filter(({ status }) => status === 200).length, refused.length]).toEqual([MOST, 2 * MOST])
  expect(await refused[0]?.text()).toContain(`${MOST} requests a day (${zone})`)

  const days = (await tree.ask('GET', '/admin/usage?by=day')).body as {
    zone: string
    data: { group: string; requests: number }[]
  }
  expect(days).toMatchObject({ zone, data: [{ group: dayText(dayIn(zone ?? '', Date.now())), requests: MOST }] })
}

describe('workers with a zone', () => {
  it('pass no limit of its day together, and count on it', () => limitsOfTheZone(), 60_000)
})

describeRedis('workers with a zone on a Redis Cluster', () => {
  const cluster = useCluster()

  it('pass no limit of its day together, and count on it', () => limitsOfTheZone(cluster().url), 60_000)
})
