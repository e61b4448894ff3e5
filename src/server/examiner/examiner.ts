import { Worker } from 'node:worker_threads'
import type { Candidate } from '../../config/examined.ts'
import { renderText } from '../../config/format/problem-text.ts'
import type { Problem } from '../../config/problem.ts'
import type { Millis } from '../../policy/config.ts'
import { type Examine, type Found, foundOf } from './found.ts'
import type { Task, Told } from './task.ts'

/** A thread that takes longer is ended. */
const MOST_MS: Millis = 30_000
/**
 * A thread that needs more is ended; the gateway goes on. Its stack is smaller than the serving thread's, so that files
 * which are nested too deeply fail here first.
 */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 0.9 }

/** Examines a configuration in a thread of its own, so that requests do not wait for it. */
export const examineApart =
  (file: string, mostMs = MOST_MS): Examine =>
  candidate =>
    new Promise((resolve, reject) => {
      const worker = workerFor(file, candidate)
      const refuse = (rule: string, message: string) => resolve(refused({ file, line: 1, column: 1, rule, message }))
      const timer = setTimeout(() => {
        refuse('slow-files', `the files were not checked within ${mostMs / 1000} s`)
        void worker.terminate()
      }, mostMs)
      worker.once('message', (told: Told) => resolve(foundOf(told)))
      worker.once('error', error => {
        if (codeOf(error) === OUT_OF_MEMORY) refuse('large-files', 'to check the files takes too much memory')
        else reject(error)
      })
      worker.once('exit', code => {
        clearTimeout(timer)
        // Nothing happens where it said something before.
        reject(new Error(`the thread that checks files ended with ${code} and said nothing`))
      })
    })

function workerFor(file: string, candidate: Candidate | undefined): Worker {
  const workerData: Task = { file, env: { ...process.env }, cwd: process.cwd(), candidate }
  // It gets variables as data alone: options for node in them, or of this process, are not for a thread.
  return new Worker(new URL('worker.js', import.meta.url), {
    workerData,
    env: {},
    execArgv: [],
    resourceLimits,
  })
}

const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY'

const codeOf = (error: Error): unknown => ('code' in error ? error.code : undefined)

function refused(told: Omit<Problem, 'severity'>): Found {
  const problem: Problem = { ...told, severity: 'error', hint: 'make them smaller, or restart with them' }
  return {
    ...{ ok: false, sources: new Map(), paths: [], includes: [] },
    problems: [problem],
    text: renderText([problem], new Map()),
  }
}
