import { readFileSync } from 'node:fs'
import { afterAll } from 'vitest'

/** The unit of `/proc`: `sysconf(_SC_CLK_TCK)` is 100 on every Linux that Node runs on. */
const MS_PER_TICK = 10

declare module 'vitest' {
  interface TaskMeta {
    /** Milliseconds of CPU that a test file used, in its worker and in the processes that the worker started and reaped. */
    cpuMs?: number
  }
}

/** Milliseconds of CPU of this process and of its reaped children; of this process alone where there is no `/proc`. */
function cpuMs(): number {
  try {
    // The name of the program stands in brackets and may contain spaces: the fields after it are counted from `state`.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
    // utime, stime, cutime, cstime of proc(5)
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * MS_PER_TICK, 0)
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
}

// vitest loads a setup file again for each test file, before that file's imports.
const before = cpuMs()
// biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures that a hook uses off its first parameter
afterAll(({}, suite) => {
  suite.file.meta.cpuMs = cpuMs() - before
})
