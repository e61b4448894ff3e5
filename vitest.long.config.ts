import { defineConfig } from 'vitest/config'

/** `npm run test:long`: real processes, minutes to hours. LONG=0.1 makes every size a tenth. */
export default defineConfig({
  test: {
    globalSetup: 'test/cli/compiled.ts',
    include: ['test/long/**/*.test.ts', 'test/**/*.properties.test.ts'],
    exclude: ['test/sdk/node_modules/**', 'node_modules/**'],
    // Properties are tried on all their cases here, on a tenth of them in `npm test`.
    env: { EVERY_CASE: '1' },
    // What is measured must not share its cores with another test.
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 3_600_000,
    hookTimeout: 120_000,
    disableConsoleIntercept: true,
  },
})
