import { defineConfig } from 'vitest/config'
import all from './vitest.config.ts'

/** `npm run test:console`: the console in a real browser; chromium is needed. */
export default defineConfig({
  test: {
    ...all.test,
    include: ['test/console/**/*.test.ts'],
    exclude: ['node_modules/**'],
  },
})
