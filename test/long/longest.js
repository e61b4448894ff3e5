// node --import longest.js: says on SIGUSR2 how long the event loop was held at most since then, in ms of the processor
import { writeSync } from 'node:fs'

let longest = 0
let before = performance.now()
let used = process.cpuUsage()
setInterval(() => {
  const now = performance.now()
  const cpu = process.cpuUsage(used)
  // Time that others had the processor is none that this process held its event loop.
  longest = Math.max(longest, Math.min(now - before, (cpu.user + cpu.system) / 1000))
  before = now
  used = process.cpuUsage()
}, 2).unref()

process.on('SIGUSR2', () => {
  writeSync(2, `longest ${longest.toFixed(1)}\n`)
  longest = 0
})
