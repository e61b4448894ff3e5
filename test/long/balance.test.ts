import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import type { ShownProcess } from '../../src/wire/admin/process.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { KeepAliveClients } from '../server/workers/keep-alive-clients.ts'
import { startTree, type Tree } from '../server/workers/tree.ts'
import { yamlOf } from '../server/workers/tree-yaml.ts'
import { answer, startBackend, stream } from '../support/backend.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'

const WORKERS = 3
const CLIENTS = 60
const BOUND_MS = 10_000
const MOST = 1.25

let tree: Tree
afterEach(() => tree.end())

const workers = async () => {
  const { body } = await tree.ask('GET', '/admin/workers')
  return (body as { data: readonly ShownProcess[] }).data.filter(({ process }) => process === 'worker')
}
const connectionsNow = async () => (await workers()).map(({ connections }) => connections)

/** How much more than its share the fullest worker has. */
const unevenness = (connections: readonly number[]): number =>
  (Math.max(...connections) * connections.length) / connections.reduce((sum, each) => sum + each, 0)

/** The configuration that is shipped, for one gateway. */
async function startNginx(gateway: number): Promise<number> {
  const port = await freePort()
  const directory = await mkdtemp(join(tmpdir(), 'nginx-'))
  const shipped = await readFile('deploy/nginx.conf', 'utf8')
  const conf = shipped
    .replaceAll(/server gateway-1:8080/g, `server 127.0.0.1:${gateway}`)
    .replaceAll(/^.*gateway-2.*\n/gm, '')
    .replace('listen 8000;', `listen 127.0.0.1:${port};`)
    .replaceAll('/tmp/', `${directory}/`)
    .replace(/^worker_processes auto;/m, 'worker_processes 1;\ndaemon off;')
  await writeFile(join(directory, 'nginx.conf'), conf)
  const child: ChildProcess = spawn('nginx', ['-c', join(directory, 'nginx.conf')], { stdio: 'ignore' })
  const ended = new Promise(resolve => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
    await removeFolder(directory)
  })
  await eventually(() => fetch(`http://127.0.0.1:${port}/readyz`))
  return port
}

it.each([
  ['direct', false],
  ['behind nginx with keepalive', true],
])(
  'ten seconds after a kill or a restart under load no worker has more than 1.25 times its share: %s',
  async (_name, isProxied) => {
    const backend = await startBackend()
    // As long as a short answer takes, so that most clients wait for one at any moment.
    backend.always(async exchange => {
      await sleep(150)
      const said = exchange.seen.body.stream === true ? stream({ chunks: ['Hi'] }) : answer({ content: 'Hi' })
      await said(exchange)
    })
    onTestFinished(() => backend.close())
    const port = await freePort()
    const proxied = { listen: `127.0.0.1:${port}`, server: 'trusted_proxies: [127.0.0.1]' }
    const yaml = yamlOf(backend.url, undefined, proxied)
    tree = await startTree(WORKERS, yaml)
    let key = await tree.mint('pro', 'ada')
    const front = isProxied ? await startNginx(port) : port
    const clients = new KeepAliveClients({
      url: () => `http://127.0.0.1:${front}`,
      key: () => key,
      count: CLIENTS,
      streams: 0.5,
    })
    onTestFinished(() => clients.end())
    const table: Record<string, { connections: readonly number[]; unevenness: number; errors: number }> = {}
    const measured = async (what: string) => {
      const connections = await connectionsNow()
      const after = {
        connections,
        unevenness: Number(unevenness(connections).toFixed(2)),
        errors: clients.errors.length,
      }
      table[what] = after
      return after
    }
    await sleep(BOUND_MS)
    await measured('at the beginning')

    for (let round = 1; round <= 2; round++) {
      const [victim] = await workers()
      process.kill(victim?.pid ?? 0, 'SIGKILL')
      await sleep(1000)
      const cut = clients.errors.length
      await sleep(BOUND_MS - 1000)
      expect((await measured(`10 s after kill ${round}`)).unevenness).toBeLessThanOrEqual(MOST)
      expect(clients.errors.slice(cut)).toEqual([])
    }

    const { directory } = tree
    tree.process.kill('SIGKILL')
    await tree.ended
    tree = await startTree(WORKERS, yaml, { directory })
    key = await tree.mint('pro', 'bob')
    await sleep(1000)
    const cut = clients.errors.length
    await sleep(BOUND_MS - 1000)
    expect((await measured('10 s after main was killed and started')).unevenness).toBeLessThanOrEqual(MOST)
    expect(clients.errors.slice(cut)).toEqual([])
    await sleep(20_000)
    expect((await measured('20 s later')).unevenness).toBeLessThanOrEqual(MOST)
    console.log(_name)
    console.table(table)
  },
)
