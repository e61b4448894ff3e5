import { Worker } from 'node:worker_threads'
import type { Millis } from '../policy/config.ts'

/**
 * Has a module of this package do a task in a thread of its own, so that requests do not wait for it: one that ends
 * with its answer, and gives back all memory it took. Resolves with why there is no answer, where it took too much.
 * Rejects only on a bug.
 */
export const doneApart = <Answer>(module: URL, task: unknown, mostMs: Millis): Promise<Answer | TooMuch> =>
  new Promise((resolve, reject) => {
    // The thread gets variables as data alone: options for node, in them or of this process, do not fit a thread.
    const worker = new Worker(module, { workerData: task, env: {}, execArgv: [], resourceLimits })
    const timer = setTimeout(() => {
      resolve('time')
      void worker.terminate()
    }, mostMs)
    worker.once('message', resolve)
    worker.once('error', error => {
      if (codeOf(error) === OUT_OF_MEMORY) resolve('memory')
      else reject(error)
    })
    worker.once('exit', code => {
      clearTimeout(timer)
      // Nothing happens where it said something before.
      reject(new Error(`the thread of ${module.pathname} ended with ${code} without a result`))
    })
  })

/** The resource that a task took too much of. */
export type TooMuch = 'time' | 'memory'

/**
 * A thread that needs more is ended; the gateway goes on. Its stack is smaller than the serving thread's, so that files
 * which are nested too deeply fail here first.
 */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 0.9 }

const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY'

const codeOf = (error: Error): unknown => ('code' in error ? error.code : undefined)
