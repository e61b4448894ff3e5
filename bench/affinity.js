// How much of the prompts replicas find in their caches: `node bench/affinity.js [--http] [--cpu]`, after a build. A simulator
// of vLLM's block caches and batches plays agents, chats, documents and a mix of all; the choice of replicas is the code of
// dist/. That is by seed, and the same on every machine but for the time it takes. --http plays agents through real gateways
// instead: one with one worker and with four, and two on one Redis, which needs redis-server. --cpu compares the CPU of a
// request with `balance: prefix` and `busy`, and needs a C compiler. Exits 1 when a gate is not met.
import { parseArgs } from 'node:util'
import { compareCpu } from './affinity/cpu.js'
import { playAllOverHttp } from './affinity/over-http.js'
import { simulate } from './affinity/simulate.js'
import { agents, chats, mixed, questions, rag } from './affinity/workloads.js'

const UNTIL = 180
const FROM = 72
/** Tokens that the cache of a replica holds. */
const CACHE_TOKENS = 360_000

/** Load of one replica a second, the size of blocks, and the least share of what one cache of the size of all would find. */
const WORKLOADS = {
  agents: { make: agents, rate: 0.035, block: 64, least: 0.97 },
  chats: { make: chats, rate: 1, block: 16, least: 0.97 },
  rag: { make: rag, rate: 5, block: 64, least: 0.92 },
  mixed: { make: mixed, rate: 1, block: 64, least: 0.9 },
}
const REPLICAS = [2, 4, 8, 16]

let failures = 0

function play({ make, rate, block, more }, replicas, options) {
  const dialogues = make({ rate: rate * replicas, until: UNTIL, ...more })
  return simulate({
    dialogues,
    replicas,
    block,
    blocks: Math.floor(CACHE_TOKENS / block),
    from: FROM,
    until: UNTIL,
    ...options,
  })
}

const percent = share => `${(100 * share).toFixed(1)} %`
const ms = seconds => `${(1000 * seconds).toFixed(0)} ms`

function row(name, result, gate) {
  const { ofIdeal, hit, first50, first95, perToken95, busiest, requests } = result
  const cells = [
    name.padEnd(34),
    percent(ofIdeal).padStart(8),
    percent(hit).padStart(8),
    ms(first50).padStart(9),
    ms(first95).padStart(9),
    `${(1000 * perToken95).toFixed(1)} ms`.padStart(9),
    busiest.toFixed(2).padStart(6),
    String(requests).padStart(7),
  ]
  if (!gate.isMet) failures++
  console.log(`${cells.join(' ')}  ${gate.isMet ? '✓' : '✗'} ${gate.text}`)
}

const NO_GATE = { isMet: true, text: '' }

function simulateAll() {
  const title = ['workload', 'of ideal', 'found', 'first 50', 'first 95', 'token 95', 'busy', 'asked']
  console.log(
    `${title[0].padEnd(34)} ${title
      .slice(1)
      .map((each, i) => each.padStart([8, 8, 9, 9, 9, 6, 7][i]))
      .join(' ')}`,
  )

  for (const [name, workload] of Object.entries(WORKLOADS)) {
    for (const isolated of [false, true]) {
      for (const replicas of REPLICAS) {
        const result = play(workload, replicas, { balance: 'prefix', isolated })
        const gate = { isMet: result.ofIdeal >= workload.least, text: `≥ ${percent(workload.least)} of ideal` }
        row(`${name}, ${replicas} replicas, ${isolated ? 'account' : 'pool'}`, result, gate)
      }
    }
  }

  const HOT = { make: agents, rate: 0.0625, block: 64, more: { projects: 1 } }
  const [hotToday, hot] = ['busy', 'prefix'].map(balance => play(HOT, 4, { balance }))
  row('one project, 4 replicas, today', hotToday, NO_GATE)
  const isEven = hot.busiest <= 2 && hot.perToken95 <= hotToday.perToken95
  row('one project, 4 replicas', hot, { isMet: isEven, text: 'busiest ≤ 2.0 × mean, token 95 ≤ today' })

  const SINGLE = { make: questions, rate: 7.5, block: 16 }
  const [singleToday, single] = ['busy', 'prefix'].map(balance => play(SINGLE, 4, { balance }))
  row('single questions, today', singleToday, NO_GATE)
  const isNoWorse = single.first95 <= singleToday.first95 && single.perToken95 <= 1.1 * singleToday.perToken95
  row('single questions', single, { isMet: isNoWorse, text: 'first 95 ≤ today, token 95 ≤ 1.1 × today' })
}

const { values } = parseArgs({ options: { http: { type: 'boolean' }, cpu: { type: 'boolean' } } })
if (values.http) failures += await playAllOverHttp()
if (values.cpu) failures += await compareCpu()
if (!values.http && !values.cpu) simulateAll()

console.log(
  `${failures === 0 ? 'all gates are met' : `${failures} gates are not met`}, after ${process.uptime().toFixed(0)} s`,
)
process.exitCode = failures === 0 ? 0 : 1
