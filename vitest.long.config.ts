import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

/** The files with random cases of which `npm test` tries a tenth. */
const inTenths = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.ts') && !name.includes('node_modules'))
  .map(name => `test/${name}`)
  .filter(file => readFileSync(file, 'utf8').includes("/times.ts'"))

/** `npm run test:long`: real processes, minutes to hours. LONG=0.1 makes every size a tenth. */
export default defineConfig({
  test: {
    globalSetup: 'test/cli/compiled.ts',
    include: ['test/long/**/*.test.ts', 'test/**/*.properties.test.ts', ...inTenths],
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
