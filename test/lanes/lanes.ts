import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Helpers that start a process: svcctl itself, or a program that Node does not bring. Folders end in a slash. */
const STARTERS: readonly string[] = [
  'test/cli/compiled.ts',
  'test/cli/golden-site.ts',
  'test/cli/in-turn.ts',
  'test/cli/program.ts',
  'test/cli/sign-ins.ts',
  'test/deploy/kubernetes/chart.ts',
  'test/docs/reader.ts',
  'test/docs/shell.ts',
  'test/server/workers/tree.ts',
  'test/support/postgres.ts',
  'test/support/prometheus.ts',
  'test/support/redis/',
  'test/support/terminal/',
]

/**
 * Tests of `npm run test:processes` beside those that import one of STARTERS. Each starts a program that is not Node or git
 * (a shell, curl, openssl, helm, promtool), or several processes that must agree.
 */
const LISTED: readonly string[] = [
  'test/adapters/store/crash.test.ts',
  'test/config/editor.test.ts',
  'test/deploy/ci.test.ts',
  'test/deploy/files.test.ts',
  'test/deploy/watched/rules.test.ts',
  'test/demo/launch.test.ts',
  'test/http/admin/admin-tls.test.ts',
  'test/server/log/line-out.test.ts',
]

/** Tests of `npm run test:root`, which change the root or the network of a process, or mount a file system. */
export const AS_ROOT: readonly string[] = [
  'test/install/full-disk.test.ts',
  'test/install/image.test.ts',
  'test/install/monitoring.test.ts',
  'test/install/own-webhook.test.ts',
  'test/install/service.test.ts',
]

/** Folders whose tests have a lane of their own. */
export const OWN_LANE: readonly string[] = ['agents', 'console', 'engines', 'install', 'long', 'sdk', 'watched']

/**
 * Tests of `npm run test:processes`. `npm test` sees no program but Node and git on its PATH, so a test that needs another one and
 * is in neither list fails there.
 */
export const PROCESSES: readonly string[] = [...new Set([...LISTED, ...testFiles().filter(startsProcess)])]

/** Those of them that have tests for `npm test` too. */
export const MIXED: readonly string[] = PROCESSES.filter(file => textOf(file).includes('inNpmTest'))

/** Test files that take the longest in their lane, by `npm run test:slowest`, longest first: others fill the time beside them. */
export const LONGEST: readonly string[] = [
  'test/console/operator-data.test.ts',
  'test/console/looks.test.ts',
  'test/console/search.test.ts',
  'test/adapters/store/redis/redis-clock.test.ts',
  'test/adapters/store/redis-cluster.test.ts',
  'test/docs/executed.test.ts',
  'test/adapters/store/redis.test.ts',
  'test/server/workers/on-redis.test.ts',
  'test/cli/runs.test.ts',
  'test/server/workers/master-away.test.ts',
  'test/server/workers/ends.test.ts',
  'test/server/frozen-gateway.test.ts',
  'test/adapters/store/redis/redis-cluster-moves.test.ts',
  'test/adapters/store/redis/redis-cluster-begins.test.ts',
  'test/cli/keys/keys.test.ts',
  'test/adapters/store/redis/redis-restrictions.test.ts',
  'test/adapters/store/redis/redis-sentinel.test.ts',
  'test/server/workers/shared-slots.test.ts',
  'test/http/ingress/span-memory.test.ts',
  'test/console/operator-looks.test.ts',
  'test/cli/foreign-text.test.ts',
  'test/adapters/store/redis/redis-failover.test.ts',
  'test/server/workers/balanced.test.ts',
  'test/cli/serve/demo-sign-in.test.ts',
  'test/adapters/store/remote.test.ts',
  'test/adapters/store/embedded.test.ts',
]

/** Files with random cases, of which `npm test` tries a tenth. */
export const IN_TENTHS: readonly string[] = testFiles().filter(file => textOf(file).includes("/times.ts'"))

function startsProcess(file: string): boolean {
  const imports = [...textOf(file).matchAll(/ from '(\.[^']*)'/g)].map(([, path = '']) => join(dirname(file), path))
  return imports.some(path => STARTERS.some(starter => path.startsWith(starter)))
}

function testFiles(): string[] {
  // Folders of a lane may have packages installed in them, with more files than all tests.
  return readdirSync('test', { withFileTypes: true })
    .filter(entry => entry.isDirectory() && !OWN_LANE.includes(entry.name))
    .flatMap(({ name }) =>
      readdirSync(`test/${name}`, { recursive: true, encoding: 'utf8' }).map(file => `test/${name}/${file}`),
    )
    .filter(file => file.endsWith('.test.ts'))
}

function textOf(file: string): string {
  return readFileSync(file, 'utf8')
}
