// What the start page of operators costs their browser: 1,000 accounts, a day of series, and requests that end all the time.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.js'

const ACCOUNTS = 1000
const REQUESTS_A_SECOND = 50
const MEASURED_MS = 30_000
const TOKEN = 'bench-admin-token-of-32-characters'

const yamlOf = ({ port, admin, directory, backend }) => `
version: 1
server: { listen: "127.0.0.1:${port}", admin: "127.0.0.1:${admin}", state_dir: ${directory}/state }
store: embedded:${directory}/store
plans:
  pro: { models: all, rpm: 100k, tpm: 100M, monthly_usd: 1000 }
models:
  chat: { kind: chat, tier: guest, serve: [main], context: 32k, usd_per_1m: { input: 1, output: 10 } }
default_model: chat
pools:
  main: { site: on-premises, model: bench, replicas: ["http://127.0.0.1:${backend}"] }
`

/** Milliseconds of script, and of all work of the page's thread, in a second of Live. */
export async function measureLive(browser) {
  const directory = await mkdtemp(join(tmpdir(), 'bench-console-'))
  const backend = await startBackend()
  const [port, admin] = [await freePort(), await freePort()]
  const config = join(directory, 'config.yaml')
  await writeFile(config, yamlOf({ port, admin, directory, backend: backend.address().port }))
  const gateway = spawn(process.execPath, ['bin/svcctl.js', 'serve', '-c', config], {
    env: { ...process.env, SVCCTL_TOKEN: TOKEN },
    stdio: 'ignore',
  })
  try {
    await ready(port)
    const keys = await mintAll(admin)
    const page = await openLive(browser, admin)
    const stop = keepAsking(port, keys)
    const measured = await measure(page)
    const requests = await stop()
    return { ...measured, requests: requests / ((MEASURED_MS + WARM_UP_MS) / 1000), accounts: ACCOUNTS }
  } finally {
    gateway.kill()
    await once(gateway, 'exit')
    backend.close()
    await rm(directory, { recursive: true, force: true })
  }
}

const WARM_UP_MS = 5000

async function measure(page) {
  const client = await page.context().newCDPSession(page)
  await client.send('Performance.enable')
  const read = async () => {
    const { metrics } = await client.send('Performance.getMetrics')
    const of = name => metrics.find(metric => metric.name === name).value * 1000
    return { script: of('ScriptDuration'), task: of('TaskDuration') }
  }
  await sleep(WARM_UP_MS)
  const before = await read()
  await sleep(MEASURED_MS)
  const after = await read()
  const seconds = MEASURED_MS / 1000
  return { script: (after.script - before.script) / seconds, task: (after.task - before.task) / seconds }
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

const ask = (admin, path, body) =>
  fetch(`http://127.0.0.1:${admin}/admin/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).then(response => response.json())

async function mintAll(admin) {
  const keys = []
  for (let first = 0; first < ACCOUNTS; first += 20) {
    const some = Array.from({ length: 20 }, (_, at) => `user-${first + at}@example.com`)
    const minted = await Promise.all(some.map(account => ask(admin, 'keys', { account, plan: 'pro' })))
    keys.push(...minted.map(({ value }) => value))
  }
  return keys
}

/** Live with a day of series, which this gateway is too young to have. */
async function openLive(browser, admin) {
  const { code } = await ask(admin, 'console/code', {})
  const context = await browser.newContext({ viewport: { width: 1920, height: 1080 } })
  const page = await context.newPage()
  await page.route('**/admin/series?*', route => {
    const query = new URL(route.request().url()).searchParams
    return route.fulfill({ json: seriesOf(Number(query.get('minutes')), Number(query.get('step'))) })
  })
  await page.goto(`http://127.0.0.1:${admin}/console?span=day#code=${code}`)
  await page.getByText(`${ACCOUNTS.toLocaleString('en-US')} accounts`).waitFor()
  await page.locator('figure path').first().waitFor()
  return page
}

function seriesOf(minutes, step) {
  const now = Math.floor(Date.now() / 60_000)
  const length = minutes / step
  const point = at => {
    const load = Math.round(3000 + 2000 * Math.sin(at / 20))
    return {
      at: new Date((now - (length - at) * step) * 60_000).toISOString(),
      ...{ requests: load, served: load - 60, refused: 40, failed: 15, left: 5 },
      ...{ input_tokens: load * 900, output_tokens: load * 300, cost_nano_usd: load * 4e6 },
      ...{ p50_ms: 400 + (at % 30), p95_ms: 2000 + (at % 90), first_token_p50_ms: 90, first_token_p95_ms: 300 + at },
    }
  }
  const data = Array.from({ length }, (_, at) => point(at))
  const names = (count, name) =>
    Array.from({ length: count }, (_, at) => ({ name: `${name}-${at}`, requests: 1000, failed: 3 }))
  return {
    object: 'series',
    ...{ from: data[0].at, until: new Date(now * 60_000).toISOString(), as_of: new Date().toISOString() },
    ...{ step_seconds: step * 60, total: data[0], models: names(20, 'model'), pools: names(10, 'pool'), data },
  }
}

/** Sends requests of all accounts by turns until it is told to stop, which resolves to how many there were. */
function keepAsking(port, keys) {
  let sent = 0
  const open = new Set()
  const body = JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hi' }] })
  const timer = setInterval(() => {
    const key = keys[(sent++ * 7) % keys.length]
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const request = fetch(`http://127.0.0.1:${port}/v1/chat/completions`, { method: 'POST', headers, body })
      .then(response => response.text())
      .finally(() => open.delete(request))
    open.add(request)
  }, 1000 / REQUESTS_A_SECOND)
  return async () => {
    clearInterval(timer)
    await Promise.all(open)
    return sent
  }
}
