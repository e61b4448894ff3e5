// Shows where the gateway's time goes under load: its ten most expensive functions and modules. Needs dist/ and a C compiler.
// `npm run bench:profile -- [whole-1k | whole-32k | burst | paced] [seconds] [--redis]`; the profile itself stays in
// data/profile.cpuprofile, for a browser's developer tools.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mintKey, startGateway } from './compare/contenders/gateway.js'
import { startRedis } from './compare/contenders/redis.js'
import { compile, load } from './compare/native.js'
import { cores, cpuOf, start, stop } from './compare/processes.js'
import { writeRequests } from './compare/requests.js'
import { readProfile } from './profile/read.js'

const PORT = 24_200
const WARM_REQUESTS = 60_000
const SHOWN = 10
const { values, positionals } = parseArgs({ allowPositionals: true, options: { redis: { type: 'boolean' } } })
const [kind = 'whole-1k', seconds = '5'] = positionals
const data = fileURLToPath(new URL('../data', import.meta.url))
const written = join(data, 'profile.cpuprofile')
mkdirSync(data, { recursive: true })
const directory = mkdtempSync(join(data, 'profile-'))
try {
  await profile()
} finally {
  rmSync(directory, { recursive: true, force: true })
}

async function profile() {
  const programs = compile(directory)
  const backend = await start([programs.backend, String(PORT)], { core: cores.rest, port: PORT })
  const redis = values.redis && (await startRedis({ port: PORT + 2, directory, core: cores.rest }))
  const store = redis && { store: `redis://127.0.0.1:${redis.port}/0` }
  const hook = { hook: new URL('profile/hook.js', import.meta.url).href, env: { BENCH_PROFILE: written } }
  const gateway = await startGateway({
    name: 'profile',
    port: PORT + 1,
    backend: PORT,
    directory,
    sheds: false,
    ...store,
    ...hook,
  })
  try {
    const requests = writeRequests(directory, 'profile', { key: mintKey(gateway) })
    const options = { ports: gateway.ports[0], request: requests[kind], connections: 64 }
    await load(programs.load, { ...options, requests: WARM_REQUESTS, seconds: 120 })
    const plain = await loadedCpu(programs, options, gateway)
    rmSync(written, { force: true })
    process.kill(gateway.pids[0], 'SIGUSR2')
    await sleep(200)
    await load(programs.load, { ...options, seconds })
    process.kill(gateway.pids[0], 'SIGUSR2')
    while (!existsSync(written)) await sleep(100)
    await sleep(500)
    print(readProfile(JSON.parse(readFileSync(written, 'utf8'))), plain)
  } finally {
    await gateway.stop()
    if (redis) await redis.stop()
    await stop(backend)
  }
}

/** The cost of a request without the profiler: on the JavaScript thread, and on all others. */
async function loadedCpu(programs, options, { pids }) {
  const [main] = pids
  const before = cpuOf(pids)
  const { asked, answered } = await load(programs.load, { ...options, seconds })
  const after = cpuOf(pids)
  const own = after.threads.get(String(main)) - before.threads.get(String(main))
  return { main: own / asked, others: (after.total - before.total - own) / asked, rate: answered / Number(seconds) }
}

/** Samples include time in which other processes had the core, so only their shares are used. */
function print({ functions, modules, total }, { main, others, rate }) {
  const each = micros =>
    `${((main * micros) / total).toFixed(1).padStart(8)} µs  ${((100 * micros) / total).toFixed(1).padStart(5)} %`
  const lines = entries => entries.map(({ name, micros }) => `${each(micros)}  ${name}`).join('\n')
  console.log(`${kind}: ${Math.round(rate)} requests/s; CPU of a request: ${main.toFixed(1)} µs on the main thread, ${others.toFixed(1)} µs on others

The ${SHOWN} dearest functions, each by itself:
${lines(functions.slice(0, SHOWN))}

The dearest modules, with what they call in Node and packages; what ran for none of them by what began it:
${lines(modules.slice(0, 2 * SHOWN))}

${written} holds all of it.`)
}
