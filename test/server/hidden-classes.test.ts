import { readdirSync, readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { startBackend } from '../support/backend.ts'
import { startTree, type Tree } from './workers/tree.ts'

const REQUESTS = 200
const AT_ONCE = 8

it('no request makes V8 a hidden class of its own', async () => {
  const { tree, end } = await serve()
  const log = join(tree.directory, 'maps.log')
  const key = await tree.mint('pro', 'ada@example.com')
  const askBoth = async () => {
    for (const stream of [false, true]) await ask(tree, key, { stream })
  }
  await askBoth()
  const { size } = await stat(log)
  await askBoth()
  await end()
  expect(madePerRequest((await readFile(log, 'latin1')).slice(size))).toEqual([])
})

const SERVES_REQUESTS = [
  'gateway/answer',
  'gateway/attempt',
  'gateway/tools',
  'gateway/upstream',
  'http/public',
  'policy',
  'wire',
]

it('no code that serves requests declares a generator within another function', () => {
  const src = fileURLToPath(new URL('../../src/', import.meta.url))
  const files = SERVES_REQUESTS.flatMap(folder =>
    readdirSync(join(src, folder), { recursive: true, encoding: 'utf8' }).map(name => join(folder, name)),
  ).filter(name => name.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(300)
  const nested = files.filter(name =>
    /^(?!export |(async )?function).*\bfunction ?\*/m.test(readFileSync(join(src, name), 'utf8')),
  )
  expect(nested).toEqual([])
})

/** V8 writes each hidden class that it makes into a log. */
const FLAGS = '--log-maps --no-log-maps-details --logfile=maps.log --no-logfile-per-isolate'
/** Starts the Node and the program of its arguments with those flags, in the directory of the configuration, the last of them. */
const IN_DIRECTORY = `node=$1; shift; for file; do :; done; cd "$(dirname "$file")" && exec "$node" ${FLAGS} "$@"`

async function serve(): Promise<{ readonly tree: Tree; readonly end: () => Promise<unknown> }> {
  const backend = await startBackend()
  const under = ['sh', '-c', IN_DIRECTORY, 'sh']
  const tree = await startTree(1, directory => configuration(backend.url, directory), undefined, under)
  const end = async () => {
    await tree.drain()
    await backend.close()
  }
  onTestFinished(async () => void (await tree.end()))
  return { tree, end }
}

const configuration = (backend: string, directory: string) => `version: 1
server: { listen: 127.0.0.1:0, admin: 127.0.0.1:0, state_dir: ${directory}/state }
store: embedded:${directory}/ledger
labels: { project: { from: [header x-project] } }
models:
  m: { kind: chat, tier: guest, serve: [p, q], context: 128k, usd_per_1m: { input: 1, output: 2 } }
default_model: m
plans:
  free: { models: ["tier:guest"], rpm: 20, tpm: 40k, monthly_usd: 1 }
  pro: { models: ["tier:guest"], rpm: 1M, tpm: 1000M, per_day: 10M, monthly_usd: 1000, limits: [{ requests: 1M, of: user, per: hour }] }
pools:
  p: { site: here, replicas: ["${backend}/v1", "${backend}/v2"], model: x }
  q: { site: there, replicas: ["${backend}/v1"], model: x }
`

async function ask(tree: Tree, key: string, { stream }: { readonly stream: boolean }): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-project': 'web' }
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], user: 'u', stream })
  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const response = await fetch(`${tree.url}/v1/chat/completions`, { method: 'POST', headers, body })
        expect(response.status, await response.text()).toBe(200)
      }),
    )
}

/** The places in the code at which V8 made at least half as many hidden classes as there were requests of one kind. */
function madePerRequest(log: string): readonly string[] {
  const places = new Map<string, number>()
  for (const line of log.split('\n')) {
    const [what, type, , , , code, row, column, reason, name] = line.split(',')
    if (what !== 'map') continue
    const place = `${type} ${row}:${column} ${reason} ${name}${name === '' ? ` ${code}` : ''}`
    places.set(place, (places.get(place) ?? 0) + 1)
  }
  return [...places].filter(([, made]) => made >= REQUESTS / 2).map(([place, made]) => `${made} × ${place}`)
}
