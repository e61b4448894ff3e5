import { defineConfig } from 'vitest/config'
import all from './vitest.config.ts'

/** `npm run test:agents`: real SDKs, clients and agents, which take minutes; see test/agents/install.sh. */
export default defineConfig({
  test: {
    ...all.test,
    include: ['test/agents/**/*.test.ts', 'test/sdk/**/*.test.ts'],
    exclude: ['test/sdk/node_modules/**', 'test/agents/node_modules/**', 'test/agents/.venv/**', 'node_modules/**'],
    // Each client is a process that wants a core, and the gateway another.
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 120_000,
  },
})
