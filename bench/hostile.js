// Measures what paying clients notice of hostile ones: attacks from one guest key, from 12 guest keys at one address, and from
// 50 keys at 50 addresses, next to three paying clients. `node bench/hostile.js [--seconds 15] [--attack NAME] [--pair]`,
// after a build. --pair attacks two gateways on one Redis behind nginx, and needs redis-server and nginx. Exits 1 if a gate is
// missed: no paying request is refused, their 99th percentile is at most 250 ms or twice that of the same run without
// attackers, and a gateway's memory is at most 768 MB above that run and within 64 MB of it 30 s later.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ATTACKS } from './hostile/attacks.js'
import { openSite } from './hostile/site.js'

const MB = 1024 * 1024
const GATES = { p99Ms: 250, p99Ratio: 2, moreBytes: 768 * MB, leftBytes: 64 * MB, leftAfterMs: 30_000 }
const PAYING = 3
const PAUSE_MS = 25
const ORIGINS = [
  { name: '1 guest key', keys: 1, addresses: 1 },
  { name: '12 guest keys', keys: 12, addresses: 1 },
  { name: '50 keys at 50 addresses', keys: 50, addresses: 50 },
]

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '15' },
    attack: { type: 'string' },
    pair: { type: 'boolean', default: false },
  },
})
const seconds = Number(values.seconds)

/** Sends one chat after another until the attack is over. */
async function pays(url, key, isOver) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const outcomes = []
  const body = JSON.stringify({ model: 'paid', max_tokens: 16, messages: [{ role: 'user', content: 'Hi' }] })
  while (!isOver()) {
    const begun = performance.now()
    const status = await chat(url, agent, key, body)
    outcomes.push({ status, ms: performance.now() - begun })
    await sleep(PAUSE_MS)
  }
  agent.destroy()
  return outcomes
}

function chat(url, agent, key, body) {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  return new Promise(resolve => {
    const sent = request(new URL('/v1/chat/completions', url), { method: 'POST', agent, headers })
    sent.on('error', error => resolve(error.code ?? 'error'))
    sent.on('response', response => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
      response.on('error', () => resolve('cut'))
    })
    sent.end(body)
  })
}

const p99Of = outcomes => {
  const sorted = outcomes.map(({ ms }) => ms).sort((a, b) => a - b)
  return sorted[Math.floor(0.99 * (sorted.length - 1))] ?? 0
}

async function attacked(terms) {
  const program = fileURLToPath(new URL('hostile/attacker.js', import.meta.url))
  const child = spawn(process.execPath, [program, JSON.stringify(terms)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.on('data', bytes => {
    printed += bytes
  })
  await once(child, 'close')
  return JSON.parse(printed || '{}')
}

/** Measures paying clients during an attack, or alone without one, and the peak memory meanwhile. */
async function measure(site, paying, during) {
  let isOver = false
  let most = site.memory()
  const watch = setInterval(() => {
    most = Math.max(most, site.memory())
  }, 50)
  const beside = paying.map(key => pays(site.url, key, () => isOver))
  const told = await during()
  isOver = true
  const outcomes = (await Promise.all(beside)).flat()
  clearInterval(watch)
  const refused = outcomes.filter(({ status }) => status !== 200)
  return { told, most, requests: outcomes.length, refused: refused.length, p99: p99Of(outcomes) }
}

async function backTo(site, bytes) {
  const end = performance.now() + GATES.leftAfterMs
  while (performance.now() < end && site.memory() > bytes + GATES.leftBytes) await sleep(250)
  return site.memory() - bytes
}

/** Runs one attack on a fresh site. */
async function play(attack, origin) {
  const directory = await mkdtemp(join(tmpdir(), 'hostile-'))
  const site = await openSite(directory, { isPair: values.pair })
  try {
    const keys = await Promise.all(Array.from({ length: origin.keys }, (_, n) => site.guest(`device-${n}-${attack}`)))
    const addresses = Array.from({ length: origin.addresses }, (_, n) => `127.0.1.${n + 1}`)
    const paying = await Promise.all(Array.from({ length: PAYING }, (_, n) => site.mint(`paying-${n}`)))
    await measure(site, paying, () => sleep(2000))
    const alone = await measure(site, paying, () => sleep(1000 * seconds))
    const beside = await measure(site, paying, () => attacked({ url: site.url, keys, addresses, attack, seconds }))
    const left = await backTo(site, alone.most)
    return { attack, origin: origin.name, alone, beside, more: beside.most - alone.most, left }
  } finally {
    await site.close()
    await rm(directory, { recursive: true, force: true })
  }
}

function missedBy({ alone, beside, more, left }) {
  return [
    beside.refused > 0 && `${beside.refused} refused`,
    beside.p99 > Math.max(GATES.p99Ms, GATES.p99Ratio * alone.p99) && 'p99',
    more > GATES.moreBytes && 'memory',
    left > GATES.leftBytes && 'memory afterwards',
  ].filter(Boolean)
}

const mb = bytes => `${Math.round(bytes / MB)} MB`
let missed = 0
for (const attack of values.attack ? [values.attack] : Object.keys(ATTACKS)) {
  for (const origin of ORIGINS) {
    const result = await play(attack, origin)
    const { alone, beside, more, left } = result
    const gates = missedBy(result)
    missed += gates.length
    console.log(
      `${attack}, ${origin.name}: ${beside.requests - beside.refused} of ${beside.requests} paying requests served, ` +
        `p99 ${beside.p99.toFixed(0)} ms (alone ${alone.p99.toFixed(0)}), ${mb(more)} more memory, ${mb(left)} left; ` +
        `attackers ${JSON.stringify(beside.told)}${gates.length > 0 ? `; MISSED: ${gates.join(', ')}` : ''}`,
    )
  }
}
process.exitCode = missed > 0 ? 1 : 0
