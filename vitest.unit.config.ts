import { defineConfig } from 'vitest/config'
import all from './vitest.config.ts'

/** `npm run test:unit`: all that needs no listener, no store and no other process, in seconds. */
export default defineConfig({
  test: {
    ...all.test,
    include: ['test/{config,gateway,policy,simulate,wire}/**/*.test.ts'],
    // An editor's language server takes a process of its own.
    exclude: ['test/config/editor.test.ts'],
  },
})
