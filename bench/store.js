// Measures what an admission and a settlement cost with many keys and rows in the store, compared with few, and how long such
// a store takes to open. Both have the same number of active accounts; `cold` are accounts that were not active before. `node
// bench/store.js [many] [few]`, after a build. Redis is measured if redis-server is installed.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbeddedStore } from '../dist/adapters/embedded/store.js'
import { openRedisStore } from '../dist/adapters/redis/store.js'
import { mint, request } from './store/request.js'

const [many = 1_000_000, few = 1000] = process.argv.slice(2).map(Number)
const ROUNDS = 15
const CALLS = 400
const PORT = 28_765

async function fill(store, count) {
  for (let from = 0; from < count; from += 500) {
    const part = Array.from({ length: Math.min(500, count - from) }, (_, offset) => from + offset)
    await Promise.all(part.map(index => mint(store, index)))
    await Promise.all(part.map(index => request(store, index)))
    if (process.stderr.isTTY) process.stderr.write(`\r${from + part.length} of ${count} `)
  }
}

const median = numbers => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]

/** The medians of rounds that measure the stores in turns. */
async function timed(stores, pick) {
  const rounds = stores.map(() => ({ admit: [], settle: [] }))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, store] of stores.entries()) {
      const times = []
      for (let call = 0; call < CALLS; call++) times.push(await request(store, pick(at)))
      rounds[at].admit.push(median(times.map(({ admit }) => admit)))
      rounds[at].settle.push(median(times.map(({ settle }) => settle)))
    }
  }
  return { admit: rounds.map(({ admit }) => median(admit)), settle: rounds.map(({ settle }) => median(settle)) }
}

const us = ms => `${(ms * 1000).toFixed(0)} us`

function say(what, [small, large]) {
  console.log(`${what}: ${us(small)} with ${few}, ${us(large)} with ${many}: x ${(large / small).toFixed(2)}`)
}

/** Measures both stores in turns, so that other load on the machine affects both. */
async function compare(kind, open) {
  const sizes = [few, many]
  const stores = []
  const opened = []
  for (const size of sizes) {
    const store = await open(size)
    await fill(store, size)
    await store.close()
    const begun = performance.now()
    stores.push(await open(size))
    opened.push(performance.now() - begun)
  }
  const actives = sizes.map(size => Array.from({ length: few }, () => Math.floor(Math.random() * size)))
  await Promise.all(
    stores.map(async (store, at) => {
      for (const index of actives[at]) await request(store, index)
    }),
  )
  const pick = (at, cold) =>
    cold ? Math.floor(Math.random() * sizes[at]) : actives[at][Math.floor(Math.random() * few)]
  for (const cold of [false, true]) {
    const { admit, settle } = await timed(stores, at => pick(at, cold))
    say(`${kind} admit${cold ? ' of any account' : ''}`, admit)
    say(`${kind} settle${cold ? ' of any account' : ''}`, settle)
  }
  console.log(`${kind} opens: ${opened[0].toFixed(0)} ms with ${few}, ${opened[1].toFixed(0)} ms with ${many}`)
  for (const store of stores) await store.close()
}

const directory = await mkdtemp(join(tmpdir(), 'bench-'))
try {
  await compare('embedded', size => openEmbeddedStore({ path: join(directory, String(size)), now: Date.now }))
  if (spawnSync('redis-server', ['--version']).status === 0) {
    const args = ['--port', String(PORT), '--save', '', '--dir', directory, '--maxmemory-policy', 'noeviction']
    const server = spawn('redis-server', args, { stdio: 'ignore' })
    await new Promise(resolve => setTimeout(resolve, 500))
    const url = `redis://127.0.0.1:${PORT}`
    await compare('redis', size =>
      openRedisStore({
        url,
        prefix: `bench${size}`,
        stateDir: join(directory, `state${size}`),
        alarm: () => {},
        answerMs: 10_000,
      }),
    )
    server.kill()
    await once(server, 'exit')
  } else console.log('redis: not measured, redis-server is not installed')
} finally {
  await rm(directory, { recursive: true, force: true })
}
