import { expect, it, onTestFinished } from 'vitest'
import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import { answer, type Behaviour, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { startTree, type Tree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const CLOUD = (url: string) => `cloud: { site: cloud, model: test-model, replicas: ["${url}"] }`

/** A gateway of so many workers with an engine on premises, and a cloud behind it. */
async function start(workers: number, pool: string) {
  const [onprem, cloud] = [await startBackend(), await startBackend()]
  onTestFinished(async () => void (await Promise.all([onprem.close(), cloud.close()])))
  const yaml = yamlOf(onprem.url, undefined, { pool })
  const tree = await startTree(
    workers,
    directory => `${yaml(directory).replace('serve: [onprem]', 'serve: [onprem, cloud]')}  ${CLOUD(cloud.url)}\n`,
  )
  onTestFinished(async () => void (await tree.end()))
  return { onprem, cloud, tree, key: await tree.mint('pro', 'ada') }
}

const waits =
  (waiting: number): Behaviour =>
  ({ response }) =>
    void response.end(`vllm:num_requests_running 3\nvllm:num_requests_waiting ${waiting}\n`)

const upstreams = (tree: Tree, key: string, count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const response = await tree.chat(key)
      await response.text()
      return response.headers.get('x-svc-upstream')
    }),
  )

async function loadOf(tree: Tree) {
  const { body } = await tree.ask('GET', '/admin/pools')
  return (body as { data: readonly ShownPool[] }).data.find(({ pool }) => pool === 'onprem')
}

it.each([1, 3])('with %i workers, one process reads an engine, and all of them spill by its report', async workers => {
  const { onprem, tree, key } = await start(workers, 'load: { from: vllm, every: 500ms }, spill: { waiting_over: 8 }')
  onprem.probed(waits(9))
  await eventually(async () => expect((await loadOf(tree))?.replicas[0]?.load).toMatchObject({ waiting: 9 }))
  await eventually(async () => expect(new Set(await upstreams(tree, key, 12))).toEqual(new Set(['cloud'])))
  expect((await loadOf(tree))?.busy).toBe('9 requests wait at its least loaded replica, more than 8')

  onprem.probed(waits(8))
  await eventually(async () => expect(new Set(await upstreams(tree, key, 12))).toEqual(new Set(['onprem'])))
})

it.each([1, 3])('with %i workers, a replica never runs more than max_concurrent_each', async workers => {
  const { onprem, tree, key } = await start(workers, 'max_concurrent_each: 4, queue_timeout: 20s')
  let [running, most] = [0, 0]
  onprem.always(async exchange => {
    most = Math.max(most, ++running)
    await new Promise(resolve => setTimeout(resolve, 20))
    running--
    await answer({ content: 'Hi' })(exchange)
  })

  expect(new Set(await upstreams(tree, key, 8))).toEqual(new Set(['onprem']))
  expect(onprem.requests).toHaveLength(8)
  expect(most).toBeLessThanOrEqual(4)
})

it('with 3 workers, all of them spill by the first tokens that any of them waited for', async () => {
  const { onprem, cloud, tree, key } = await start(3, 'spill: { first_token_over: 1ms }')
  onprem.always(async exchange => {
    await new Promise(resolve => setTimeout(resolve, 30))
    const { response } = exchange
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'test-model' }
    const events = [
      { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ]
    response.end(`${events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`)
  })
  await Promise.all(Array.from({ length: 12 }, async () => (await tree.chat(key, { stream: true })).text()))
  await eventually(async () => expect((await loadOf(tree))?.busy).toContain('waited longer than 0.001 s'))
  const before = onprem.requests.length
  await eventually(async () => expect(new Set(await upstreams(tree, key, 12))).toEqual(new Set(['cloud'])))
  expect(cloud.requests.length).toBeGreaterThan(0)
  expect(before).toBeGreaterThanOrEqual(10)
})
