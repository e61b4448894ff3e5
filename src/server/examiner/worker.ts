import { parentPort, workerData } from 'node:worker_threads'
import { examination, type Task } from './examiner.ts'

// A thread of one task: it ends with its answer, and gives back all memory it took.
const task: Task = workerData
parentPort?.postMessage(examination(task))
