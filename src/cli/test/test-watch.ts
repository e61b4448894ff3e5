import { readFileSync } from 'node:fs'
import { PathWatch } from '../../server/path-watch.ts'
import type { Counts } from './test-text.ts'

/** Runs the tests and prints their outcome, again after each change of a file they depend on, until Ctrl-C or SIGTERM. */
export async function watchTests(runOnce: () => Promise<Outcome>): Promise<void> {
  let seen = ''
  let running: Promise<void> | undefined
  const look = () => {
    running = (running ?? Promise.resolve()).then(async () => {
      const { printed, exitCode, paths } = await runOnce()
      watch.follow(paths)
      process.exitCode = exitCode
      const now = textsOf(paths)
      if (now === seen) return
      seen = now
      process.stdout.write(`${printed}${WAITING}\n`)
    })
    return running
  }
  const watch = new PathWatch(look, message => console.error(`▲ ${message}`))
  await look()
  await stopped()
}

/** What one run of the tests printed. */
export interface Outcome {
  readonly printed: string
  readonly exitCode: number
  /** Paths whose change may change the outcome. */
  readonly paths: readonly string[]
  /** Of tests that could be run. */
  readonly counts?: Counts
}

const WAITING = '\nwaiting for changes; Ctrl-C ends'

/** A file that goes away changes as much as one that is written. */
const textsOf = (paths: readonly string[]): string => JSON.stringify(paths.map(path => [path, textOf(path)]))

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Not there, or a directory.
    return null
  }
}

/** Until Ctrl-C or SIGTERM; what watches does not keep the process. */
function stopped(): Promise<void> {
  return new Promise(resolve => {
    const stay = setInterval(() => {}, 60_000)
    const leave = () => {
      clearInterval(stay)
      resolve()
    }
    process.once('SIGINT', leave).once('SIGTERM', leave)
  })
}
