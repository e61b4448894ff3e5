import { defineConfig } from 'vitest/config'
import all from './vitest.config.ts'
import { SEVERAL_PROCESSES } from './vitest.lanes.ts'

/** `npm run test:processes`: workers and Redis servers that are killed, and whole pages of the documents; redis-server is needed. */
export default defineConfig({
  test: {
    ...all.test,
    include: SEVERAL_PROCESSES,
    exclude: ['node_modules/**'],
  },
})
