import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { HANGS_MS } from './test/lanes/hangs.ts'
import { AS_ROOT, IN_TENTHS, MIXED, OWN_LANE, PROCESSES } from './test/lanes/lanes.ts'
import LongestFirst from './test/lanes/longest-first.ts'
import { enterSandbox } from './test/lanes/sandbox.ts'

const sandbox = enterSandbox()
process.once('exit', sandbox.leave)

/** `.ci/run` names a folder in which its lanes share transformed modules. */
const { MODULE_CACHE, FIXED_CASES } = process.env

/** It tries random cases on one version of Node: what they find is in the code. */
const RANDOM = FIXED_CASES === '1' ? ['test/**/*.properties.test.ts'] : []

type Lane = NonNullable<TestProjectInlineConfiguration['test']>

const INSTALLED = ['**/node_modules/**', '**/.venv/**', '**/.venv-vllm/**']

/** vLLM takes 6 GB of disk: its tests are part of the lane where somebody has installed it. */
const UNINSTALLED = existsSync('test/engines/.venv-vllm/installed.txt') ? [] : ['test/engines/vllm-*.test.ts']

const common: Lane = {
  globalSetup: 'test/cli/compiled.ts',
  setupFiles: ['test/lanes/measure-file.ts', 'test/lanes/repeat-seed.ts'],
  // Loading the sources anew for each file would take longer than the tests: a file must leave nothing behind.
  isolate: false,
  // On two cores, more workers only slow each other down.
  maxWorkers: 2,
  restoreMocks: true,
  unstubEnvs: true,
  testTimeout: HANGS_MS,
  hookTimeout: HANGS_MS,
  expect: { poll: { timeout: HANGS_MS } },
}

/** A lane whose tests want the machine for themselves: one file after the other. */
const alone: Lane = { maxWorkers: 1, fileParallelism: false }

/** Each is `npm run test:<name>`; `node` is `npm test`. */
const lanes: readonly Lane[] = [
  {
    name: 'node',
    include: ['test/**/*.test.ts'],
    exclude: [
      ...PROCESSES.filter(file => !MIXED.includes(file)),
      ...OWN_LANE.map(folder => `test/${folder}/**`),
      ...RANDOM,
      ...INSTALLED,
    ],
    env: { PATH: sandbox.path },
  },
  { name: 'processes', include: [...PROCESSES], testTimeout: 3 * HANGS_MS, hookTimeout: 3 * HANGS_MS },
  { name: 'console', include: ['test/console/**/*.test.ts'], testTimeout: 3 * HANGS_MS, hookTimeout: 3 * HANGS_MS },
  { name: 'watched', include: ['test/watched/**/*.test.ts'], ...alone, testTimeout: 4 * HANGS_MS },
  {
    name: 'install',
    include: ['test/install/**/*.test.ts'],
    exclude: [...AS_ROOT, ...INSTALLED],
    ...alone,
    testTimeout: 10 * HANGS_MS,
    hookTimeout: 5 * HANGS_MS,
  },
  {
    name: 'root',
    include: [...AS_ROOT],
    ...alone,
    testTimeout: 10 * HANGS_MS,
    hookTimeout: 5 * HANGS_MS,
  },
  {
    name: 'agents',
    include: ['test/agents/**/*.test.ts', 'test/sdk/**/*.test.ts'],
    exclude: INSTALLED,
    ...alone,
    testTimeout: 5 * HANGS_MS,
  },
  {
    name: 'engines',
    include: ['test/engines/**/*.test.ts'],
    exclude: [...INSTALLED, ...UNINSTALLED],
    ...alone,
    testTimeout: 5 * HANGS_MS,
    hookTimeout: 5 * HANGS_MS,
  },
  {
    name: 'long',
    include: ['test/long/**/*.test.ts', 'test/**/*.properties.test.ts', ...IN_TENTHS],
    exclude: INSTALLED,
    // Properties are tried on all their cases here, on a tenth of them in `npm test`.
    env: { EVERY_CASE: '1' },
    ...alone,
    testTimeout: 3_600_000,
    hookTimeout: 2 * HANGS_MS,
    disableConsoleIntercept: true,
  },
]

export default defineConfig({
  test: {
    ...(MODULE_CACHE !== undefined && { experimental: { fsModuleCache: true, fsModuleCachePath: MODULE_CACHE } }),
    sequence: { sequencer: LongestFirst },
    reporters: ['default', ['./test/lanes/summary.ts', {}]],
    // Where root runs the tests of somebody else's clone, a cache of root's would be in the way of that person's next install.
    ...(process.env.SUDO_UID !== undefined && { cache: false as const }),
    projects: lanes.map((lane, index) => ({
      resolve: { alias: { 'svc-gateway-import': fileURLToPath(new URL('importers/src/index.ts', import.meta.url)) } },
      test: { ...common, ...lane, env: { LANE: String(lane.name), ...lane.env }, sequence: { groupOrder: index } },
    })),
  },
})
