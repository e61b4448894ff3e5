/**
 * The tests that start several processes each, Redis servers or workers, and wait until these agree who is away, those of
 * stores that are copied between them, and those that walk through a whole page of the documents or a sign-in: minutes in all.
 */
export const SEVERAL_PROCESSES: string[] = [
  'test/adapters/store/{redis,redis-cluster}.test.ts',
  'test/adapters/store/redis/redis-cluster-{begins,moves,reach,shared}.test.ts',
  'test/adapters/store/redis/redis-{failover,journal,journal-keys,reach,sentinel}.test.ts',
  'test/adapters/store/backup/{copies,restores,under-load}.test.ts',
  'test/cli/doctor/cluster.test.ts',
  'test/cli/login/login.test.ts',
  'test/cli/serve/demo-sign-in.test.ts',
  'test/docs/executed.test.ts',
  'test/http/round-trips.test.ts',
  'test/server/workers/{applies,archived,early,ends,killed,master-away,on-redis,refused-limits,rotation,stopped}.test.ts',
]

/** The tests that change the root of what they start, or mount what it sees: root alone may. */
export const AS_ROOT: string[] = [
  'test/install/image.test.ts',
  'test/install/monitoring.test.ts',
  'test/install/service.test.ts',
]
