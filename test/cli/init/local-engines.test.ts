import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { registerInit } from '../../../src/cli/init/init.ts'
import {
  type EngineAddress,
  findEngines,
  type LocalEngine,
  USUAL_ENGINES,
} from '../../../src/cli/init/local-engines.ts'
import { init } from '../../../src/cli/init/run.ts'
import { load } from '../../../src/config/load.ts'
import { directoryOf } from '../../config/files.ts'
import { runCommand } from '../run-command.ts'

/** Lists of models as each engine sends them, and what init is to make of them. */
const LISTS = [
  {
    engine: 'vLLM',
    data: [{ id: 'Qwen/Qwen3-8B', object: 'model', owned_by: 'vllm', max_model_len: 40_960 }],
    found: { model: 'Qwen/Qwen3-8B', context: 40_960, others: [] },
  },
  {
    engine: 'Ollama',
    data: [
      { id: 'nomic-embed-text:latest', object: 'model', owned_by: 'library' },
      { id: 'llama3.2:3b', object: 'model', owned_by: 'library' },
      { id: 'qwen3:8b', object: 'model', owned_by: 'library' },
    ],
    found: { model: 'llama3.2:3b', others: ['qwen3:8b'] },
  },
  {
    engine: 'llama.cpp',
    ownedBy: 'llamacpp',
    data: [{ id: 'gemma', object: 'model', owned_by: 'llamacpp', meta: { n_ctx: 2048, n_ctx_train: 32_768 } }],
    found: { model: 'gemma', context: 2048, others: [] },
  },
]

test.each(LISTS)('$engine is found by its list of models, with a chat model and its context', async each => {
  const url = await serving((_, response) => response.end(JSON.stringify({ object: 'list', data: each.data })))

  expect(await findEngines([{ ...each, url }])).toEqual([{ engine: each.engine, url, ...each.found }])
})

test('an engine is left out that hangs, refuses, redirects, sends too much or has no chat model', async () => {
  const model = { id: 'm', owned_by: 'somebody' }
  const useless: readonly RequestListener[] = [
    () => {},
    (_, response) => response.writeHead(401).end('{}'),
    (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    (_, response) => response.end(`{"data":[],"x":"${'x'.repeat(1_000_000)}"}`),
    (_, response) => response.end('<html>'),
    (_, response) => response.end('{"data":[]}'),
    (_, response) => response.end('{"data":[{"id":"a b"},{"id":"text-embedding-3-small"}]}'),
    // Headers, and then nothing.
    (_, response) => response.write('{"data":['),
  ]
  const urls = await Promise.all(useless.map(serving))
  const addresses: EngineAddress[] = [
    ...urls.map(url => ({ engine: 'none', url })),
    { engine: 'none', url: 'http://127.0.0.1:1/v1' },
    {
      engine: 'another server of that port',
      ownedBy: 'llamacpp',
      url: await serving((_, response) => response.end(JSON.stringify({ data: [model] }))),
    },
  ]

  expect(await findEngines(addresses, 200)).toEqual([])
})

const FOUND: readonly LocalEngine[] = [
  { engine: 'llama.cpp', url: 'http://127.0.0.1:8080/v1', model: 'gemma', context: 2048, others: ['other'] },
  { engine: 'Ollama', url: 'http://127.0.0.1:11434/v1', model: 'llama3.2:3b', others: [] },
]
const OPTIONS = { brand: 'acme', probe: true }

test('the pool is the server that was found, on a port of its own, and stderr names the others', async () => {
  const dir = join(directoryOf({}), 'new')

  const { stderr } = await runCommand(
    program => program.command('init').action(() => init(dir, OPTIONS, async () => FOUND)),
    ['init'],
  )

  const result = load('config.yaml', {}, dir)
  if (!result.ok) throw new Error('the new configuration has a problem')
  const { config, settings, warnings } = result.loaded
  expect(warnings).toEqual([])
  expect(config.pools.get('main')).toMatchObject({ replicas: ['http://127.0.0.1:8080/v1'], model: 'gemma' })
  expect(config.models.get('acme-core')).toMatchObject({ context: 2048, maxOutput: 1024 })
  expect(settings.server.listen).toMatchObject({ port: 8081 })
  expect(stderr).toContain('✓ Found llama.cpp at http://127.0.0.1:8080/v1')
  expect(stderr).toContain('It also has other.')
  expect(stderr).toContain('Ollama answers at http://127.0.0.1:11434/v1 too')
})

test('where none answers, stderr says to edit policies/pools.yaml and what was tried', async () => {
  const { stderr } = await runCommand(
    program => program.command('init').action(() => init(directoryOf({}), OPTIONS, async () => [])),
    ['init'],
  )

  for (const { engine, url } of USUAL_ENGINES) expect(stderr).toContain(`${engine} (${new URL(url).host})`)
  expect(stderr).toContain('Edit policies/pools.yaml before you serve')
})

test.each([['--no-probe'], ['--backend', 'https://b.example/v1']])('nothing is asked with %s', async (...more) => {
  const { fetch } = globalThis
  onTestFinished(() => {
    globalThis.fetch = fetch
  })
  globalThis.fetch = () => {
    throw new Error('asked')
  }

  const { code, stderr } = await runCommand(registerInit, ['init', directoryOf({}), ...more])

  expect(code).toBe(0)
  expect(stderr.includes('Edit policies/pools.yaml before you serve')).toBe(more[0] === '--no-probe')
})

/** The base URL of a server that lives as long as the test. */
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}
