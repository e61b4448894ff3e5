// Writes the stores that are beside it, by a gateway of before limits of any window (commit c8800d3): `node write.js DIST`,
// where DIST is the folder that `npm run build` of that commit made. It needs redis-server and redis-cli.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

const NOON = Date.UTC(2025, 5, 16, 12)
const DAY_MS = 86_400_000
const PORT = '28771'
const dist = process.argv[2]
const here = import.meta.dirname
const { openEmbeddedStore } = await import(`${dist}/adapters/embedded/store.js`)
const { openRedisStore } = await import(`${dist}/adapters/redis/store.js`)
const { windowOf } = await import(`${dist}/policy/decision.js`)
const { limitsOf } = await import(`${dist}/policy/limits.js`)

const clock = { at: NOON - 2 * DAY_MS }
const now = () => clock.at

/** Requests of three days, one that runs with a checkpoint, and one that runs without. */
async function fill(store) {
  const owner = { label: 'ada', override: 'pro', newAccount: 'acct_ada' }
  await store.keys.mint({ key: { hash: 'hash-of-ada', prefix: 'svc_7Hq2…' }, owner, by: 'operator' })
  for (const day of [2, 1, 0]) {
    clock.at = NOON - day * DAY_MS
    for (const number of [1, 2])
      await store.holds.settle(settlementOf(await admit(store, `req_${9 - day}_${number}`), 30, 50))
  }
  const known = await admit(store, 'req_9_3')
  await store.holds.heartbeat([{ hold: known, soFar: settlementOf(known, 14, 18) }])
  await admit(store, 'req_9_4')
}

async function admit(store, requestId) {
  const claims = {
    limits: limitsOf({ rpm: 1000, tpm: 1_000_000 }),
    input: 10,
    spend: {
      ...{ limit: 1_000_000, allotment: 1_000_000, overageEnabled: false, window: windowOf(now()), items: 0 },
      price: { input: 1000, output: 2000 },
    },
    output: { want: 20, min: 20, choices: 1 },
  }
  const terms = { override: 'pro' }
  return (await store.holds.admit({ requestId, keyHash: 'hash-of-ada', account: 'acct_ada', terms, claims })).hold
}

function settlementOf(hold, tokens, cost) {
  const counts = {
    inputTokens: 10,
    outputTokens: tokens - 10,
    cost,
    estimated: false,
    admittedAt: hold.at,
    revision: 'r1',
  }
  const names = { requestId: hold.requestId, account: 'acct_ada', plan: 'pro', asked: 'svc-auto', model: 'svc-core' }
  return { hold, tokens, bill: { ...names, pool: 'onprem', key: 'key_ada', ...counts } }
}

const directory = mkdtempSync('/tmp/before-rules-')
const embedded = await openEmbeddedStore({ path: join(directory, 'embedded'), now })
await fill(embedded)
// Before it is closed, since that settles what runs.
await sleep(500)
writeFileSync(
  join(here, 'embedded.mdb.gz'),
  gzipSync(readFileSync(join(directory, 'embedded', 'data.mdb')), { level: 9 }),
)
await embedded.close()

const server = spawn('redis-server', ['--port', PORT, '--save', '', '--dir', directory], { stdio: 'ignore' })
await sleep(500)
clock.at = NOON - 2 * DAY_MS
const redis = await openRedisStore({
  ...{ url: `redis://127.0.0.1:${PORT}`, prefix: 'before', stateDir: directory, alarm: () => {}, now },
})
await fill(redis)
const cli = (...words) => JSON.parse(execFileSync('redis-cli', ['-p', PORT, '--json', ...words], { encoding: 'utf8' }))
const READ = {
  string: key => ['SET', key, cli('GET', key)],
  hash: key => ['HSET', key, ...Object.entries(cli('HGETALL', key)).flat()],
  list: key => ['RPUSH', key, ...cli('LRANGE', key, '0', '-1')],
  set: key => ['SADD', key, ...cli('SMEMBERS', key)],
  zset: key => [
    'ZADD',
    key,
    ...cli('ZRANGE', key, '0', '-1', 'WITHSCORES').flatMap(([name, score]) => [String(score), name]),
  ],
}
const commands = cli('KEYS', '*')
  .sort()
  .flatMap(key => {
    const read = READ[cli('TYPE', key)]
    return read ? [read(key)] : []
  })
writeFileSync(join(here, 'redis.ndjson'), commands.map(command => `${JSON.stringify(command)}\n`).join(''))
await redis.close()
server.kill()
await once(server, 'exit')
rmSync(directory, { recursive: true })
