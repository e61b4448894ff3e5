import { defineConfig } from 'vitest/config'
import all from './vitest.config.ts'
import { SEVERAL_PROCESSES } from './vitest.lanes.ts'

/** `npm run test:processes`: Redis servers and workers that are killed, cut off and resharded, and walks; redis-server is needed. */
export default defineConfig({
  test: {
    ...all.test,
    include: SEVERAL_PROCESSES,
    exclude: ['node_modules/**'],
  },
})
