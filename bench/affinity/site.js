// Gateways as users start them, before replicas that share a pool.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { askAdmin } from '../compare/admin.js'
import { cores, freePort, ready, start, stop } from '../compare/processes.js'

const TOKEN = 'affinity-admin-token-of-32-letters'
const svcctl = fileURLToPath(new URL('../../bin/svcctl.js', import.meta.url))

const yamlOf = ({ port, admin, state, store, workers, balance, replicas }) => `
version: 1
server: { listen: "127.0.0.1:${port}", admin: "127.0.0.1:${admin}", state_dir: ${state}, console: false, workers: ${workers} }
store: ${store}
limits: { connections: 100k, connections_per_ip: 100k, shed_load: false }
plans:
  bench: { models: all, rpm: 1000M, tpm: 1000M, monthly_usd: 1000000 }
models:
  svc-core: { kind: chat, tier: guest, serve: [pool], context: 1M, usd_per_1m: { input: 0.1, output: 0.4 } }
default_model: svc-core
pools:
  pool:
    provider: vllm
    site: here
    model: m
    balance: ${balance}
    replicas: [${replicas.map(each => `"http://127.0.0.1:${each}/v1"`).join(', ')}]
`

/**
 * Starts gateways, several of them on a Redis of their own. Returns their `urls`, `ports` and `pids`, `mint(account)` for a
 * key, and `stop()`.
 */
export async function openSite({ directory, replicas, balance, gateways = 1, workers = 1, core = cores.all }) {
  const processes = []
  const run = async (command, options) => {
    const child = await start(command, { core, ...options })
    processes.unshift(child)
    return child
  }
  let store = `embedded:${join(directory, 'store')}`
  if (gateways > 1) {
    const port = await freePort()
    const args = ['--port', String(port), '--save', '', '--dir', directory, '--maxmemory-policy', 'noeviction']
    await run(['redis-server', ...args], { port })
    store = `redis://127.0.0.1:${port}`
  }
  const places = []
  for (let n = 0; n < gateways; n++) {
    const [port, admin] = [await freePort(), await freePort()]
    const state = join(directory, `state-${n}`)
    await mkdir(state, { recursive: true })
    const file = join(directory, `gateway-${n}.yaml`)
    await writeFile(file, yamlOf({ port, admin, state, store, workers, balance, replicas }))
    const log = join(directory, `gateway-${n}.log`)
    const command = [process.execPath, svcctl, 'serve', '-c', file]
    const { pid } = await run(command, { port: admin, log, env: { SVCCTL_TOKEN: TOKEN } })
    await ready(port)
    places.push({ port, admin, pid })
  }
  return {
    urls: places.map(({ port }) => `http://127.0.0.1:${port}`),
    ports: places.map(({ port }) => port),
    pids: places.map(({ pid }) => pid),
    mint: async account =>
      (await askAdmin({ admin: places[0].admin, token: TOKEN }, 'keys', { account, plan: 'bench' })).value,
    stop: async () => {
      for (const child of processes) await stop(child)
    },
  }
}
