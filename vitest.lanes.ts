/** The tests that start several Redis servers each, and wait until these agree who is away: minutes of waiting in all. */
export const SEVERAL_SERVERS: string[] = [
  'test/adapters/store/redis-cluster.test.ts',
  'test/adapters/store/redis/redis-{cluster-moves,cluster-reach,failover,reach,sentinel}.test.ts',
  'test/cli/doctor/cluster.test.ts',
  'test/http/round-trips.test.ts',
  'test/server/workers/on-redis.test.ts',
]
