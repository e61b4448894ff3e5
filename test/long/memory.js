// node --expose-gc --import memory.js: says on SIGUSR2 what is in memory after a collection, in bytes
import { writeSync } from 'node:fs'

process.on('SIGUSR2', () => {
  globalThis.gc()
  globalThis.gc()
  writeSync(2, `memory ${JSON.stringify(process.memoryUsage())}\n`)
})
