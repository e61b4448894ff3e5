// A gateway with many accounts and a backend that answers at once, for measuring operators' pages.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.js'

const TOKEN = 'bench-admin-token-of-32-characters'

const yamlOf = ({ port, admin, directory, backend, store }) => `
version: 1
server: { listen: "127.0.0.1:${port}", admin: "127.0.0.1:${admin}", state_dir: ${directory}/state }
store: ${store}
plans:
  pro: { models: all, rpm: 100k, tpm: 100M, monthly_usd: 1000 }
models:
  chat: { kind: chat, tier: guest, serve: [main], context: 32k, usd_per_1m: { input: 1, output: 10 } }
default_model: chat
pools:
  main: { site: on-premises, model: bench, replicas: ["http://127.0.0.1:${backend}"] }
`

/** The running gateway, with a key for each account. It uses an embedded store unless another one is given. */
export async function openSite(accounts, store) {
  const directory = await mkdtemp(join(tmpdir(), 'bench-console-'))
  const backend = await startBackend()
  const [port, admin] = [await freePort(), await freePort()]
  const config = join(directory, 'config.yaml')
  const places = { port, admin, directory, backend: backend.address().port }
  await writeFile(config, yamlOf({ ...places, store: store ?? `embedded:${directory}/store` }))
  const gateway = spawn(process.execPath, ['bin/svcctl.js', 'serve', '-c', config], {
    env: { ...process.env, SVCCTL_TOKEN: TOKEN },
    stdio: 'ignore',
  })
  const close = async () => {
    gateway.kill()
    await once(gateway, 'exit')
    backend.close()
    await rm(directory, { recursive: true, force: true })
  }
  const authorization = `Bearer ${TOKEN}`
  const headers = { authorization, 'content-type': 'application/json' }
  const at = path => `http://127.0.0.1:${admin}/admin/${path}`
  const ask = async (path, body) =>
    (await fetch(at(path), { method: 'POST', headers, body: JSON.stringify(body) })).json()
  try {
    await ready(port)
    return {
      admin,
      ask,
      read: async path => (await fetch(at(path), { headers: { authorization } })).text(),
      chat: key => chat(port, key),
      keys: await mintAll(ask, accounts),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function chat(port, key) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hi' }] }),
  })
  await response.text()
}

async function startBackend() {
  const usage = { prompt_tokens: 900, completion_tokens: 300, total_tokens: 1200 }
  const message = { role: 'assistant', content: 'Hello.' }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  const answer = JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'bench', choices, usage })
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

async function ready(port) {
  for (let tries = 0; tries < 400; tries++) {
    const status = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      response => response.status,
      () => 0,
    )
    if (status === 200) return
    await sleep(50)
  }
  throw new Error('the gateway is not ready')
}

async function mintAll(ask, accounts) {
  const keys = []
  for (let first = 0; first < accounts; first += 20) {
    const some = Array.from({ length: 20 }, (_, at) => `user-${first + at}@example.com`)
    const minted = await Promise.all(some.map(account => ask('keys', { account, plan: 'pro' })))
    keys.push(...minted.map(({ value }) => value))
  }
  return keys
}
