import { createCluster } from '@keyv/redis'
import { BUCKETS, Layout } from '../../../src/adapters/redis/layout.ts'

/** How many requests a cluster has as open, of all accounts. */
export async function leasesIn(url: string): Promise<number> {
  const rootNodes = url
    .replace('redis+cluster://', '')
    .split(',')
    .map(at => ({ url: `redis://${at}` }))
  const cluster = createCluster({ rootNodes })
  cluster.on('error', () => {})
  await cluster.connect()
  const layout = new Layout('svc')
  const counts = await Promise.all(BUCKETS.map(bucket => cluster.zCard(layout.bucket(bucket).leases)))
  cluster.destroy()
  return counts.reduce((sum, count) => sum + count, 0)
}
