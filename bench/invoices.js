// Measures listing the invoices of a month on Redis with 1,000 accounts that have usage: a page of the console, and all as
// CSV. `node bench/invoices.js`, after a build; it needs redis-server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { freePort } from './console/free-port.js'
import { openSite } from './console/site.js'

const ACCOUNTS = 1000
const ROUNDS = 5

const port = await freePort()
const redis = spawn('redis-server', ['--port', String(port), '--save', '', '--maxmemory-policy', 'noeviction'])
for await (const line of createInterface({ input: redis.stdout })) if (line.includes('Ready to accept')) break
redis.stdout.resume()
// Makes the store look months old, so that all days of a month are read and not just those since its start.
await send(`HSET svc:meta since ${Math.floor(Date.now() / 86_400_000) - 200}`)
try {
  const site = await openSite(ACCOUNTS, `redis://127.0.0.1:${port}`)
  try {
    for (let first = 0; first < ACCOUNTS; first += 20)
      await Promise.all(site.keys.slice(first, first + 20).map(site.chat))
    const month = new Date().toISOString().slice(0, 7)
    await site.read(`invoices?month=${month}`)
    const page = await medianOf(() => site.read(`invoices?month=${month}`))
    const csv = await medianOf(() => site.read(`invoices?month=${month}&format=csv`))
    const rows = (await site.read(`invoices?month=${month}&format=csv`)).trimEnd().split('\n').length - 1
    console.log(`a page of 50 drafts     ${page.toFixed(0)} ms`)
    console.log(`${rows} drafts as CSV    ${csv.toFixed(0)} ms`)
  } finally {
    await site.close()
  }
} finally {
  redis.kill()
  await once(redis, 'exit')
}

async function send(command) {
  const socket = connect(port, '127.0.0.1')
  socket.write(`${command}\r\n`)
  await once(socket, 'data')
  socket.destroy()
}

async function medianOf(run) {
  const times = []
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now()
    await run()
    times.push(performance.now() - begun)
  }
  return times.toSorted((a, b) => a - b)[ROUNDS >> 1]
}
