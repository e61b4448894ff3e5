import { defineConfig } from 'vitest/config'
import all from './vitest.config.ts'

/** `npm run test:watched`: a real Prometheus scrapes gateways with faults, and its alerts fire; prometheus is needed. */
export default defineConfig({
  test: {
    ...all.test,
    include: ['test/watched/**/*.test.ts'],
    exclude: ['node_modules/**'],
    // An alert waits for its time, and scrapes must not wait for a core.
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 120_000,
  },
})
