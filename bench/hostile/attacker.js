// Hostile clients in a process of their own: node bench/hostile/attacker.js '{"url", "keys", "addresses", "attack",
// "seconds"}'. Prints as JSON how often each status was received.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ATTACKS } from './attacks.js'

const { url, keys, addresses, attack, seconds } = JSON.parse(process.argv[2])
const { connections, reads, prepare, next, pauseMs = 0 } = ATTACKS[attack]
const until = performance.now() + 1000 * seconds
const answered = {}
const count = what => {
  answered[what] = (answered[what] ?? 0) + 1
}

/** Resolves to the status, with the text if it is kept, or to the error. An answer that is not read stays open. */
function ask(n, agent, { method, path, body }, isRead, keeps = false) {
  return new Promise(resolve => {
    const headers = { authorization: `Bearer ${keys[n % keys.length]}` }
    if (body) Object.assign(headers, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    const sent = request(new URL(path, url), { method, agent, headers, localAddress: addresses[n % addresses.length] })
    sent.on('error', error => resolve({ status: error.code ?? 'error', text: '' }))
    sent.on('response', response => {
      if (!isRead) return resolve({ status: response.statusCode, text: '' })
      const pieces = []
      response.on('data', piece => keeps && pieces.push(piece))
      response.on('error', () => resolve({ status: 'cut', text: '' }))
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(pieces).toString() }))
    })
    sent.end(body)
  })
}

async function idOf(n, agent) {
  if (!prepare) return undefined
  const { status, text } = await ask(n, agent, prepare(), true, true)
  return status === 200 ? JSON.parse(text).id : undefined
}

/** The id that each key has stored. */
const ids = await Promise.all(keys.map((_, n) => idOf(n, new Agent())))

async function connection(n) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let turn = n; performance.now() < until; turn++) {
    const { status } = await ask(n, agent, next(turn, ids[n % keys.length]), reads)
    count(status)
    // Attackers that read nothing open one connection after another, up to the limit.
    if (!reads) return sleep(until - performance.now())
    await sleep(status === 200 ? pauseMs : Math.max(pauseMs, 50))
  }
}

await Promise.race([
  Promise.all(Array.from({ length: connections }, (_, n) => sleep(20 * n).then(() => connection(n)))),
  sleep(1000 * seconds + 2000),
])
process.stdout.write(`${JSON.stringify(answered)}\n`, () => process.exit(0))
