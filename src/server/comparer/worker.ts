import { parentPort, workerData } from 'node:worker_threads'
import { diffTexts, type TextSides } from '../../config/diff/texts.ts'

// A thread of one task: it ends with its answer, and gives back all memory it took.
const task: TextSides = workerData
parentPort?.postMessage(diffTexts(task))
