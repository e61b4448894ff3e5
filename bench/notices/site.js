// Gateways on one Redis whose accounts reach 80 % of their quota with their second request, and the receiver of the notices.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { askAdmin } from '../compare/admin.js'
import { freePort, ready, start, stop } from '../compare/processes.js'

const file = path => fileURLToPath(new URL(path, import.meta.url))
const TOKEN = 'notices-admin-token-of-32-characters'
const ENV = { SVCCTL_TOKEN: TOKEN, OPS_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }

// A request of 9 and 3 tokens costs 41 % of the quota.
const yamlOf = ({ port, admin, state, redis, backend }) => `
version: 1
server: { listen: "127.0.0.1:${port}", admin: "127.0.0.1:${admin}", state_dir: ${state}, console: false }
store: redis://127.0.0.1:${redis}
plans:
  small: { models: all, rpm: 100, tpm: 100k, monthly_usd: 0.003 }
models:
  chat: { kind: chat, tier: standard, serve: [main], context: 32k, usd_per_1m: { input: 1, output: 410 } }
default_model: chat
pools:
  main: { site: on-premises, model: bench, replicas: ["http://127.0.0.1:${backend}"] }
`
const noticesOf = receiver => `
notice_targets: { ops: { webhook: "http://127.0.0.1:${receiver}/", secret: "\${OPS_SECRET}" } }
notices: [{ at: [80%], of: [account], to: [ops] }]
`

/** The running site, without notices until `announce(true)`. */
export async function openSite(directory, { gateways: count }) {
  const processes = []
  const run = async (command, options) => {
    processes.unshift(await start(command, { core: null, ...options }))
  }
  const [redis, backend, receiver] = [await freePort(), await freePort(), await freePort()]
  const args = ['--port', String(redis), '--save', '', '--dir', directory, '--maxmemory-policy', 'noeviction']
  await run(['redis-server', ...args], { port: redis })
  await run([process.execPath, file('../hostile/backend.js'), String(backend)], { port: backend })
  await run([process.execPath, file('receiver.js'), String(receiver)], { port: receiver })
  const gateways = []
  for (let n = 0; n < count; n++) {
    const [port, admin] = [await freePort(), await freePort()]
    const state = join(directory, `state-${n}`)
    await mkdir(state)
    const config = join(directory, `gateway-${n}.yaml`)
    const yaml = yamlOf({ port, admin, state, redis, backend })
    await writeFile(config, yaml)
    const command = [process.execPath, file('../../bin/svcctl.js'), 'serve', '-c', config]
    await run(command, { port, log: join(directory, `gateway-${n}.log`), env: ENV })
    await ready(port)
    gateways.push({ port, admin, config, yaml })
  }
  const [first] = gateways
  const ofReceiver = (path, method = 'PUT') => fetch(`http://127.0.0.1:${receiver}${path}`, { method })
  return {
    ports: gateways.map(({ port }) => port),
    mint: async account => (await ask(first.admin, 'keys', { account, plan: 'small' })).value,
    /** Has every gateway announce thresholds, or none. */
    announce: async isOn => {
      for (const { admin, config, yaml } of gateways) {
        await writeFile(config, isOn ? yaml + noticesOf(receiver) : yaml)
        await ask(admin, 'reload', {})
      }
    },
    waiting: async () => (await ask(first.admin, 'notices?limit=1')).waiting,
    heard: async () => (await ofReceiver('/', 'GET')).json(),
    away: isAway => ofReceiver(isAway ? '/away' : '/back'),
    close: async () => {
      for (const child of processes) await stop(child)
    },
  }
}

const ask = (admin, path, body) => askAdmin({ admin, token: TOKEN }, path, body)
