import { statfsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { SEVERAL_PROCESSES } from './vitest.lanes.ts'

export default defineConfig({
  test: {
    globalSetup: 'test/cli/compiled.ts',
    include: ['test/**/*.test.ts'],
    // These run by themselves: npm run test:processes, test:console, test:watched, test:agents, test:install, test:root, test:long.
    exclude: [
      ...SEVERAL_PROCESSES,
      'test/console/**',
      'test/watched/**',
      'test/agents/**',
      'test/install/**',
      'test/long/**',
      'test/sdk/**',
      'node_modules/**',
    ],
    // Two cores: more workers only slow each other down.
    maxWorkers: 2,
    // To load the sources anew for each file would take longer than the tests: a file must leave nothing behind.
    isolate: false,
    // Hundreds of ledgers are opened and removed: on a disk each waits until it is written.
    env: inMemory('/dev/shm', 2e9),
    restoreMocks: true,
    unstubEnvs: true,
    // A command line starts many processes, each of which waits for a core.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // On a busy machine a second is soon over; what a test waits for either comes or never does.
    expect: { poll: { timeout: 20_000 } },
  },
})

/** Temporary files go to the folder where it is there and has as many bytes free. */
function inMemory(folder: string, bytes: number): { readonly TMPDIR?: string } {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= bytes ? { TMPDIR: folder } : {}
  } catch {
    return {}
  }
}
