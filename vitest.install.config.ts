import { defineConfig } from 'vitest/config'
import all from './vitest.config.ts'
import { AS_ROOT } from './vitest.lanes.ts'

/** `npm run test:install`: the packages as strangers install them. It needs the registry of npm, and the build of this clone. */
export default defineConfig({
  test: {
    ...all.test,
    include: ['test/install/**/*.test.ts'],
    exclude: [...AS_ROOT, 'node_modules/**'],
    // Each test times an install, which wants all cores.
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
})
