// Measures what limits cost: the CPU of an admission and its settlement, in this process and in Redis, on a plan with only the
// named limits, and with twenty rules as well. `node bench/limits.js [rounds]`, after a build. Every number is the median of
// rounds that measure the plans in turns. Redis is measured if redis-server is installed.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedStore } from '../dist/adapters/embedded/store.js'
import { openRedisStore } from '../dist/adapters/redis/store.js'
import { windowOf } from '../dist/policy/decision.js'
import { limitsOf } from '../dist/policy/limits/named-rules.js'
import { settle } from './store/request.js'

const ROUNDS = Number(process.argv[2] ?? 15)
const REQUESTS = 400
/** Concurrent requests, as under load: a settlement in the embedded store waits for its commit. */
const AT_ONCE = 32
const ACCOUNTS = 100
const PORT = 28_766

const MEASURES = ['requests', 'tokens', 'input_tokens', 'output_tokens', 'usd']

/** Twenty rules: each measure in each of four windows. */
const rulesIn = windows =>
  MEASURES.flatMap(measure =>
    windows.map(per => ({
      rule: { measure, per, most: 1e15 },
      group: 'account',
      field: `${measure}/${per}//`,
    })),
  )

const PLANS = {
  'the short forms': undefined,
  'and 20 rules of the calendar': rulesIn(['hour', 'day', 'week', 'month']),
  'and 20 rules that slide': rulesIn(['minute', '1d', '7d', '30d']),
}

const claimsWith = rules => ({
  limits: limitsOf({ rpm: 1e9, tpm: 1e12, per_day: 1e9, max_concurrent: 1e6 }),
  input: 10,
  spend: {
    limit: 1e15,
    allotment: 1e15,
    overageEnabled: false,
    window: windowOf(Date.now()),
    items: 0,
    price: { input: 1000, output: 2000 },
  },
  output: { want: 20, min: 1, choices: 1 },
  ...(rules && { rules }),
})

const terms = { override: 'pro' }
let asked = 0

async function request(store, plan, rules) {
  const requestId = `req_${String(asked++).padStart(12, '0')}`
  const at = Math.floor(Math.random() * ACCOUNTS)
  const account = `acct_${plan}_${at}`
  const claims = claimsWith(rules)
  const admission = { requestId, keyHash: `hash-${plan}-${at}`, account, terms, claims }
  let admitted = await store.holds.admit(admission)
  if (admitted.outcome === 'counters-missing') {
    const begun = admitted.counters.map(({ group, field }) => ({ name: { group, field }, counter: [] }))
    await store.holds.beginCounters(account, begun)
    admitted = await store.holds.admit(admission)
  }
  if (admitted.outcome !== 'admitted') throw new Error(`${requestId}: ${JSON.stringify(admitted)}`)
  await settle(store, admitted.hold)
}

/** Runs requests on one plan, and returns the CPU per request in microseconds. */
async function round(store, plan, rules, serverMicros) {
  const [before, serverBefore] = [process.cpuUsage(), await serverMicros()]
  let left = REQUESTS
  const worker = async () => {
    while (left-- > 0) await request(store, plan, rules)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const { user, system } = process.cpuUsage(before)
  return { here: (user + system) / REQUESTS, server: ((await serverMicros()) - serverBefore) / REQUESTS }
}

const median = numbers => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]

async function measure(kind, store, serverMicros) {
  const plans = Object.entries(PLANS)
  for (const [plan] of plans.entries()) {
    for (let at = 0; at < ACCOUNTS; at++) {
      const owner = { label: `label-${plan}-${at}`, override: 'pro', newAccount: `acct_${plan}_${at}` }
      await store.keys.mint({ key: { hash: `hash-${plan}-${at}`, prefix: 'svc_…' }, owner, most: 50, by: 'bench' })
    }
  }
  const results = plans.map(() => [])
  for (let at = 0; at < ROUNDS + 1; at++)
    for (const [plan, [, rules]] of plans.entries()) {
      const result = await round(store, plan, rules, serverMicros)
      // The first round warms up.
      if (at > 0) results[plan].push(result)
    }
  const of = (plan, where) => median(results[plan].map(result => result[where]))
  for (const [plan, [name]] of plans.entries()) {
    const [here, server] = [of(plan, 'here'), of(plan, 'server')]
    const total = here + server
    const ratio = total / (of(0, 'here') + of(0, 'server'))
    const ofServer = server > 0 ? ` and ${server.toFixed(0)} us of Redis` : ''
    console.log(`${kind}, ${name}: ${here.toFixed(0)} us of CPU${ofServer}, x ${ratio.toFixed(2)}`)
  }
}

const directory = await mkdtemp(join(tmpdir(), 'bench-'))
try {
  const embedded = await openEmbeddedStore({ path: join(directory, 'store'), now: Date.now })
  await measure('embedded', embedded, async () => 0)
  await embedded.close()
  if (spawnSync('redis-server', ['--version']).status === 0) {
    const args = ['--port', String(PORT), '--save', '', '--dir', directory, '--maxmemory-policy', 'noeviction']
    const server = spawn('redis-server', args, { stdio: 'ignore' })
    await new Promise(resolve => setTimeout(resolve, 500))
    const store = await openRedisStore({
      url: `redis://127.0.0.1:${PORT}`,
      prefix: 'bench',
      stateDir: join(directory, 'state'),
      alarm: () => {},
      answerMs: 10_000,
    })
    await measure('redis', store, async () => cpuOfRedis())
    await store.close()
    server.kill()
    await once(server, 'exit')
  } else console.log('redis-server is not installed')
} finally {
  await rm(directory, { recursive: true, force: true })
}

/** The CPU time of Redis so far, in microseconds. */
function cpuOfRedis() {
  const { stdout } = spawnSync('redis-cli', ['-p', String(PORT), 'info', 'cpu'], { encoding: 'utf8' })
  const seconds = name => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(stdout)?.[1] ?? 0)
  return (seconds('used_cpu_user') + seconds('used_cpu_sys')) * 1e6
}
