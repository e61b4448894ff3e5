// node --import longest.js: says on SIGUSR2 how long the event loop was held at most since then, in ms
import { readFileSync, writeSync } from 'node:fs'

/** How long the thread of the event loop has waited for a processor that others had, in ms: Linux counts it in ns. */
const waitedMs = () => Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1]) / 1e6

let longest = 0
let before = performance.now()
let waited = waitedMs()
setInterval(() => {
  const now = performance.now()
  const waitedNow = waitedMs()
  // Time that others had the processor is none that this process held its event loop.
  longest = Math.max(longest, now - before - (waitedNow - waited))
  before = performance.now()
  waited = waitedNow
}, 2).unref()

process.on('SIGUSR2', () => {
  writeSync(2, `longest ${longest.toFixed(1)}\n`)
  longest = 0
})
