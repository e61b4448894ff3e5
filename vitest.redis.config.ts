import { defineConfig } from 'vitest/config'
import all from './vitest.config.ts'
import { SEVERAL_SERVERS } from './vitest.lanes.ts'

/** `npm run test:redis`: stores of several Redis servers, which are killed, cut off and resharded; redis-server is needed. */
export default defineConfig({
  test: {
    ...all.test,
    include: SEVERAL_SERVERS,
    exclude: ['node_modules/**'],
  },
})
