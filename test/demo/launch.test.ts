import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchIdentity } from '../../demo/src/identity/launch.ts'
import { launchBackends } from '../../demo/src/launch.ts'
import { launchTools } from '../../demo/src/tools/launch.ts'
import { removeFolder } from '../lanes/remove-folder.ts'

// Node 20 runs no TypeScript, so the backend is compiled: into a folder from which no package is to be seen, and a
// copy of that which sees those of this repository.
const root = fileURLToPath(new URL('../..', import.meta.url))
const dir = mkdtempSync(join(tmpdir(), 'demo-'))
const bare = join(dir, 'bare/backend-main.js')
const script = join(dir, 'full/backend-main.js')
const tools = join(dir, 'full/tools-main.js')
beforeAll(() => {
  const config = {
    extends: join(root, 'tsconfig.build.json'),
    compilerOptions: {
      rootDir: join(root, 'demo/src'),
      outDir: join(dir, 'bare'),
      typeRoots: [join(root, 'node_modules/@types')],
    },
    include: [join(root, 'demo/src')],
  }
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config))
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}')
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc')
  const built = spawnSync(process.execPath, [tsc, '-p', dir], { encoding: 'utf8' })
  expect(built.stdout).toBe('')
  cpSync(join(dir, 'bare'), join(dir, 'full'), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(dir, 'full/node_modules'))
}, 60_000)
afterAll(() => removeFolder(dir))

test('all backends answer at the addresses the policies ask for, and a killed one is reported and stays dead', async () => {
  const demo = await launchBackends({ script, paceMs: 0 })
  const exits: string[] = []
  const exit = new Promise<void>(resolve => {
    demo.onExit(name => {
      exits.push(name)
      resolve()
    })
  })

  const { CLOUD_KEY = '', ...urls } = demo.env
  const models = await Promise.all(
    Object.entries(urls).map(async ([name, url]) => `${name} ${await modelsOf(url, CLOUD_KEY)}`),
  )
  const locked = await fetch(`${urls.CLOUD}/models`)
  const victim = demo.backends.find(backend => backend.name === 'onprem-pro')
  process.kill(victim?.pid ?? 0, 'SIGKILL')
  await exit
  const dead = await fetch(`${victim?.url}/models`).catch((error: Error) => error.cause)
  await demo.close()

  expect(models).toEqual([
    'ONPREM_CORE_1 Qwen/Qwen3-8B',
    'ONPREM_CORE_2 Qwen/Qwen3-8B',
    'ONPREM_PRO Qwen/Qwen3-32B',
    'ONPREM_ULTRA Qwen/Qwen3-235B-A22B',
    'ONPREM_EMBED BAAI/bge-base-en-v1.5,nomic-ai/nomic-embed-text-v1.5',
    'ONPREM_EMBED_FAST BAAI/bge-base-en-v1.5,nomic-ai/nomic-embed-text-v1.5',
    'ONPREM_IMAGE black-forest-labs/FLUX.1-schnell',
    'CLOUD small-chat,large-chat',
  ])
  expect(demo.missing).toEqual([])
  expect(locked.status).toBe(401)
  expect(dead).toMatchObject({ code: 'ECONNREFUSED' })
  expect(exits).toEqual(['onprem-pro'])
  for (const { pid } of demo.backends) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

test('the embedding model loads behind the start, and answers from its process', async () => {
  const demo = await launchBackends({ script, paceMs: 0 })
  const { ONPREM_EMBED, ONPREM_EMBED_FAST } = demo.env

  const answer = await fetch(`${ONPREM_EMBED}/embeddings`, {
    method: 'POST',
    body: JSON.stringify({ model: 'BAAI/bge-base-en-v1.5', input: 'the sea' }),
  })
  const health = await (await fetch(`${ONPREM_EMBED_FAST}/health`)).json()
  await demo.close()

  expect(answer.status).toBe(200)
  expect(health).toMatchObject({ embeddings: { state: 'ready' } })
})

test('where the embedding packages are not installed the demo runs without embedding models, and says so', async () => {
  const demo = await launchBackends({ script: bare, paceMs: 0 })
  await demo.close()

  expect(demo.missing).toEqual(['no embedding models: the package @energetic-ai/core is not installed'])
  expect(demo.backends.map(({ name }) => name)).not.toContain('onprem-embed')
  expect(Object.keys(demo.env)).not.toContain('ONPREM_EMBED')
  expect(Object.keys(demo.env)).not.toContain('ONPREM_EMBED_FAST')
  expect(demo.env.ONPREM_IMAGE).toMatch(/^http/)
})

test('a backend that cannot start fails the launch', async () => {
  const quits = join(dir, 'quits.js')
  writeFileSync(quits, 'process.exit(3)')

  await expect(launchBackends({ script: quits })).rejects.toThrow('ended with 3 before it listened')
})

test('an identity provider that cannot start fails its launch', async () => {
  const quits = join(dir, 'quits-too.js')
  writeFileSync(quits, 'process.exit(3)')

  const launched = launchIdentity('http://localhost:8080', quits)

  await expect(launched).rejects.toThrow('the demo identity provider ended with 3 before it listened')
})

test('both tools answer at the addresses the policies ask for, the search from the documents of the package, and end with the demo', async () => {
  const demo = await launchTools({ docs: root, version: '0.0.0', script: tools })
  const exits: string[] = []
  demo.onExit(() => exits.push('told'))
  const { DOCS_MCP = '', UNITS_TOOL = '', ...others } = demo.env
  const client = new Client({ name: 'test', version: '0' })

  await client.connect(new StreamableHTTPClientTransport(new URL(DOCS_MCP)))
  const found = await client.callTool({ name: 'search', arguments: { query: 'failover' } })
  const converted = await fetch(UNITS_TOOL, { method: 'POST', body: '{"amount":5,"from":"miles","to":"km"}' })
  await client.close()
  await demo.close()

  expect(JSON.stringify(found.content)).toMatch(/docs\/failover\.md/)
  expect(await converted.json()).toMatchObject({ text: '5 mi = 8.04672 km' })
  expect(others).toEqual({})
  expect(exits).toEqual([])
  expect(() => process.kill(demo.pid, 0)).toThrow('ESRCH')
})

test('tools that are killed are reported and stay dead', async () => {
  const demo = await launchTools({ docs: root, version: '0.0.0', script: tools })
  const exit = new Promise<void>(resolve => demo.onExit(resolve))

  process.kill(demo.pid, 'SIGKILL')
  await exit
  const dead = await fetch(demo.env.UNITS_TOOL ?? '').catch((error: Error) => error.cause)
  await demo.close()

  expect(dead).toMatchObject({ code: 'ECONNREFUSED' })
})

test('tools that cannot start fail their launch', async () => {
  const quits = join(dir, 'quits-as-well.js')
  writeFileSync(quits, 'process.exit(3)')

  await expect(launchTools({ docs: root, version: '0.0.0', script: quits })).rejects.toThrow(
    'the demo tool server ended with 3 before it listened',
  )
})

test.each(['tools-main.js --docs .', 'identity-main.js --audience http://localhost:8080'])(
  'of a demo that runs at the lowest priority, none of its processes asks for a higher one: %s',
  async words => {
    const child = spawn('nice', ['-n', '19', process.execPath, ...words.split(' ')], { cwd: join(dir, 'full') })
    await once(child.stdout, 'data')
    const priority = getPriority(child.pid)

    child.stdin.destroy()
    await once(child, 'exit')

    expect(priority).toBe(19)
  },
)

test('no tool outlives its parent', async () => {
  const child = spawn(process.execPath, [tools, '--docs', dir])
  await once(child.stdout, 'data')

  child.stdin.destroy()

  expect(await once(child, 'exit')).toEqual([0, null])
})

test('no backend outlives its parent', async () => {
  const child = spawn(process.execPath, [script, '--name', 'a', '--models', 'm'])
  await once(child.stdout, 'data')

  child.stdin.destroy()

  expect(await once(child, 'exit')).toEqual([0, null])
})

async function modelsOf(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/models`, { headers: { authorization: `Bearer ${key}` } })
  const { data }: { data: { id: string }[] } = JSON.parse(await response.text())
  return data.map(model => model.id).join(',')
}
