import { defineConfig } from 'vitest/config'
import install from './vitest.install.config.ts'
import { AS_ROOT } from './vitest.lanes.ts'

/** `npm run test:root`: the image, the unit of systemd and Debian's Prometheus, by roots and mounts of their own. It needs root beside what `test:install` needs. */
export default defineConfig({
  test: {
    ...install.test,
    include: AS_ROOT,
    exclude: ['node_modules/**'],
    // Files of root in node_modules would be in the way of the next install by a user.
    cache: false,
  },
})
