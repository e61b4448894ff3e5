// Measures the latency of requests while many accounts cross a threshold: without notices, with notices, and with notices whose
// receiver is down. Each kind has accounts of its own on the same gateways, which share a Redis, and the kinds take turns.
// `node bench/notices.js [--accounts 10000] [--rounds 5] [--rate 250] [--gateways 4]`, after a build; it needs redis-server.
// Exits 1 if a gate is missed: every request is served, each crossing is one notice under an id of its own, and the 99th
// percentile of each kind is at most 10 % or 0.5 ms above that without notices of the same round, by the median over the rounds.
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openSite } from './notices/site.js'

const GATES = { moreShare: 0.1, moreMs: 0.5 }
const KINDS = [
  { name: 'without notices', isOn: false, isAway: false },
  { name: 'with notices', isOn: true, isAway: false },
  { name: 'receiver down', isOn: true, isAway: true },
]
const AT_ONCE = 16
const BODY = JSON.stringify({ model: 'chat', max_tokens: 4, messages: [{ role: 'user', content: 'Hi' }] })

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    rate: { type: 'string', default: '250' },
    gateways: { type: 'string', default: '4' },
  },
})
const [rounds, rate, gateways] = [values.rounds, values.rate, values.gateways].map(Number)
/** Accounts of one kind in one round. All rounds of a kind together have as many as were asked for. */
const accounts = Math.ceil(Number(values.accounts) / rounds)

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

function chat(port, key) {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(BODY),
  }
  return new Promise(resolve => {
    const sent = request({ host: '127.0.0.1', port, path: '/v1/chat/completions', method: 'POST', agent, headers })
    sent.on('error', error => resolve(error.code ?? 'error'))
    sent.on('response', response => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
      response.on('error', () => resolve('cut'))
    })
    sent.end(BODY)
  })
}

/** Runs a task for each index, some at once. */
async function each(count, task) {
  let next = 0
  const run = async () => {
    while (next < count) await task(next++)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, run))
}

/** Sends one request of each key at a constant rate. A request that is sent late counts from when it was due. */
async function paced(ports, keys) {
  const begun = performance.now()
  const sent = []
  for (const [index, key] of keys.entries()) {
    const due = begun + (1000 * index) / rate
    const early = due - performance.now()
    if (early > 1) await sleep(early)
    sent.push(chat(ports[index % ports.length], key).then(status => ({ status, ms: performance.now() - due })))
  }
  return Promise.all(sent)
}

const percentile = (times, share) => times[Math.floor(share * (times.length - 1))] ?? 0
const median = numbers => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

/** Waits until every notice has arrived. */
async function delivered(site) {
  for (let quiet = 0; quiet < 3; ) {
    await sleep(2000)
    quiet = (await site.waiting()) === 0 ? quiet + 1 : 0
  }
}

async function measure(site, { isOn, isAway }, label) {
  const keys = []
  await each(accounts, async index => {
    keys[index] = await site.mint(`${label}-${index}`)
  })
  const first = []
  await each(accounts, async index => {
    first.push(await chat(site.ports[index % site.ports.length], keys[index]))
  })
  await site.announce(isOn)
  await site.away(isAway)
  const before = await site.heard()
  // Another gateway than the first time.
  const outcomes = await paced([...site.ports.slice(1), ...site.ports.slice(0, 1)], keys)
  await site.away(false)
  if (isOn) await delivered(site)
  await site.announce(false)
  const after = await site.heard()
  const times = outcomes.map(({ ms }) => ms).sort((a, b) => a - b)
  return {
    refused: [...first, ...outcomes.map(({ status }) => status)].filter(status => status !== 200).length,
    notices: after.notices - before.notices,
    deliveries: after.deliveries - before.deliveries,
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
  }
}

const directory = await mkdtemp(join(tmpdir(), 'bench-notices-'))
const runs = new Map(KINDS.map(({ name }) => [name, []]))
let site
try {
  site = await openSite(directory, { gateways })
  await measure(site, KINDS[1], 'warm')
  for (let round = 0; round < rounds; round++) {
    // Each kind is first as often as the others.
    const turn = KINDS.map((_, at) => KINDS[(at + round) % KINDS.length])
    for (const kind of turn) {
      const run = await measure(site, kind, `${kind.name.replaceAll(' ', '-')}-${round}`)
      runs.get(kind.name).push(run)
      console.error(`round ${round + 1}, ${kind.name}: p50 ${run.p50.toFixed(2)} ms, p99 ${run.p99.toFixed(2)} ms`)
    }
  }
} finally {
  agent.destroy()
  await site?.close()
  await rm(directory, { recursive: true, force: true })
}

const without = runs.get(KINDS[0].name).map(({ p99 }) => p99)
const mostMore = Math.max(GATES.moreShare * median(without), GATES.moreMs)
let missed = 0
for (const { name, isOn } of KINDS) {
  const of = runs.get(name)
  const sum = field => of.reduce((total, run) => total + run[field], 0)
  const [p50, p99] = ['p50', 'p99'].map(field => median(of.map(run => run[field])))
  const more = median(of.map((run, round) => run.p99 - without[round]))
  const crossed = isOn ? accounts * rounds : 0
  const gates = [
    sum('refused') > 0 && `${sum('refused')} refused`,
    sum('notices') !== crossed && `${sum('notices')} notices of ${crossed} crossings`,
    more > mostMore && 'p99',
  ].filter(Boolean)
  missed += gates.length
  console.log(
    `${name.padEnd(16)} p50 ${p50.toFixed(2)} ms  p99 ${p99.toFixed(2)} ms (${more < 0 ? '' : '+'}${more.toFixed(2)})  ${sum('notices')} notices, ${sum('deliveries')} deliveries` +
      (gates.length > 0 ? `  MISSED: ${gates.join(', ')}` : ''),
  )
}
process.exitCode = missed > 0 ? 1 : 0
