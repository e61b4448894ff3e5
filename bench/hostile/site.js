// The attacked site: one gateway on an embedded store, or two on one Redis behind nginx, as in deploy/nginx.conf.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { askAdmin } from '../compare/admin.js'
import { familyOf, freePort, memoryOf, ready, start, stop } from '../compare/processes.js'
import { TEXTS } from './attacks.js'

const file = path => fileURLToPath(new URL(path, import.meta.url))
const TOKEN = 'hostile-admin-token-of-32-characters'
const ENV = {
  SVCCTL_TOKEN: TOKEN,
  SVC_GUEST_SECRET: 'hostile-guest-secret-of-32-chars',
  RESPONSES_KEY: Buffer.alloc(32, 7).toString('base64'),
}

const yamlOf = ({ port, admin, state, store, backends }) => `
version: 1
server: { listen: "127.0.0.1:${port}", admin: "127.0.0.1:${admin}", state_dir: ${state}, console: false, trusted_proxies: [127.0.0.9] }
store: ${store}
guests: { plan: guest, mint_per_ip_hour: 10k, usd_per_day_total: 1000 }
responses: { keep: 1h, guests: true, key: "\${RESPONSES_KEY}" }
plans:
  guest: { models: [tier:guest], rpm: 60, tpm: 100k, per_day: 10k, monthly_usd: 1 }
  paying: { models: all, rpm: 100k, tpm: 100M, monthly_usd: 1000 }
models:
  chat: { kind: chat, tier: guest, serve: [hostile], context: 32k, usd_per_1m: { input: 1, output: 10 } }
  paid: { kind: chat, tier: standard, serve: [chats], context: 32k, usd_per_1m: { input: 1, output: 10 } }
  seeing: { kind: chat, tier: guest, vision: true, serve: [hostile], context: 32k, usd_per_1m: { input: 1, output: 10 } }
  embed: { kind: embedding, tier: guest, serve: [hostile], context: 512, usd_per_1m: { input: 0.02 } }
default_model: chat
pools:
  chats: { site: on-premises, model: bench, replicas: ["http://127.0.0.1:${backends.chats}"] }
  hostile: { site: on-premises, model: bench, replicas: ["http://127.0.0.1:${backends.hostile}"] }
`

/** The running site. */
export async function openSite(directory, { isPair }) {
  const processes = []
  const run = async (command, options) => {
    const child = await start(command, { core: null, ...options })
    processes.unshift(child)
    return child
  }
  // Paying clients have a backend of their own, so they share only the gateway with hostile ones.
  const backends = { chats: await freePort(), hostile: await freePort() }
  for (const port of Object.values(backends))
    await run([process.execPath, file('backend.js'), String(port), String(TEXTS)], { port })
  let store = `embedded:${join(directory, 'store')}`
  if (isPair) {
    const port = await freePort()
    const args = ['--port', String(port), '--save', '', '--dir', directory, '--maxmemory-policy', 'noeviction']
    await run(['redis-server', ...args], { port })
    store = `redis://127.0.0.1:${port}`
  }
  const gateways = []
  for (let n = 0; n < (isPair ? 2 : 1); n++) {
    const [port, admin] = [await freePort(), await freePort()]
    const state = join(directory, `state-${n}`)
    await mkdir(state)
    const config = join(directory, `gateway-${n}.yaml`)
    await writeFile(config, yamlOf({ port, admin, state, store, backends }))
    const log = join(directory, `gateway-${n}.log`)
    const child = await run([process.execPath, file('../../bin/svcctl.js'), 'serve', '-c', config], {
      port,
      log,
      env: ENV,
    })
    await ready(port)
    gateways.push({ port, admin, pid: child.pid })
  }
  const [first] = gateways
  const port = isPair ? await openNginx(directory, gateways, run) : first.port
  return {
    url: `http://127.0.0.1:${port}`,
    /** The memory of the largest gateway, in bytes. */
    memory: () => Math.max(...gateways.map(({ pid }) => memoryOf(familyOf(pid)).all)),
    mint: async account =>
      (await askAdmin({ admin: first.admin, token: TOKEN }, 'keys', { account, plan: 'paying' })).value,
    guest: device => guest(first.port, device),
    close: async () => {
      for (const child of processes) await stop(child)
    },
  }
}

/** nginx as in deploy/nginx.conf, except for its ports, addresses and files. */
async function openNginx(directory, gateways, run) {
  const port = await freePort()
  const text = await readFile(file('../../deploy/nginx.conf'), 'utf8')
  const config = gateways
    .reduce((conf, gateway, n) => conf.replaceAll(`gateway-${n + 1}:8080`, `127.0.0.1:${gateway.port}`), text)
    .replace('listen 8000;', `listen 127.0.0.1:${port};\n    proxy_bind 127.0.0.9;`)
    .replaceAll('/tmp/', `${directory}/`)
    .replace('worker_rlimit_nofile 65536;', '')
  const path = join(directory, 'nginx.conf')
  await writeFile(path, config)
  await run(['nginx', '-c', path, '-g', 'daemon off;'], { port, log: join(directory, 'nginx.log') })
  return port
}

async function guest(port, device) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/keys/guest`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ device_id: device }),
  })
  if (response.status !== 200) throw new Error(`no key for ${device}: ${await response.text()}`)
  return (await response.json()).key
}
