import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // test/long runs by itself: npm run test:long.
    exclude: ['test/long/**', 'test/sdk/node_modules/**', 'node_modules/**'],
    // Two cores: more workers only slow each other down.
    maxWorkers: 2,
    // A command line starts many processes, each of which waits for a core.
    testTimeout: 60_000,
  },
})
