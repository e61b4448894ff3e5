import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished } from 'vitest'
import { startTree, type Tree } from '../server/workers/tree.ts'
import {
  answer,
  type Backend,
  type Behaviour,
  chunk,
  SSE_HEADERS,
  startBackend,
  status,
  stream,
  streamThenReset,
  write,
} from '../support/backend.ts'
import { Door } from '../support/door.ts'
import { eventually } from '../support/eventually.ts'
import { startTestGateway, type TestGateway, type TestPools } from '../support/gateway.ts'
import { startRedis } from '../support/redis/redis.ts'
import { FIRES, itWatches, PrometheusServer } from './prometheus-server.ts'

const USAGE = { prompt_tokens: 900, completion_tokens: 300, total_tokens: 1200 }

async function backendThat(behaviour: Behaviour): Promise<Backend> {
  const backend = await startBackend()
  backend.always(behaviour)
  onTestFinished(() => backend.close())
  return backend
}

async function gatewayOn(pools: TestPools): Promise<TestGateway> {
  const test = await startTestGateway(pools)
  onTestFinished(() => test.close().catch(() => {}))
  return test
}

/** Does something over and over until the test is over, or until the function that it returns is called. */
function keepOn(act: () => Promise<unknown>, everyMs = 100): () => Promise<void> {
  let isOver = false
  const ended = (async () => {
    while (!isOver) await Promise.all([act().catch(() => {}), sleep(everyMs)])
  })()
  const stop = () => {
    isOver = true
    return ended
  }
  onTestFinished(stop)
  return stop
}

const ask = (test: TestGateway, key: string, body: object = {}) =>
  test.chat(key, { model: 'svc-core', max_tokens: 5, ...body }).then(response => response.text())

describe('a real Prometheus, in which a minute is a second', () => {
  itWatches('is silent of a gateway that serves', async () => {
    const backend = await backendThat(answer({ content: 'Hi' }))
    const test = await gatewayOn({ onprem: [backend] })
    const key = await test.key('pro')
    const prometheus = await PrometheusServer.start([test.admin])
    keepOn(() => ask(test, key))

    await prometheus.scrapes('svc_requests_total', 50)

    // A machine without CPU for a gateway delays its scrapes and its event loop, which alerts say for a while.
    await eventually(async () => expect([...(await prometheus.firing())]).toEqual([]), FIRES)
  })

  itWatches('says that backends fail, that clients notice, and what it costs', async () => {
    const [onprem, cloud] = [await backendThat(answer({ content: 'Hi' })), await backendThat(status(503))]
    const test = await gatewayOn({
      onprem: [onprem],
      cloud: [cloud],
      fields: { onprem: 'cost_usd_per_1m: { input: 300, output: 500 }' },
    })
    const key = await test.key('pro')
    const prometheus = await PrometheusServer.start([test.admin])
    keepOn(() => ask(test, key))
    // Second attempts wait for it.
    keepOn(async () => test.clock.advance(50), 50)
    await prometheus.scrapes('svc_charged_requests_total', 10)

    onprem.always(status(408))

    await prometheus.fires(
      'SvcBackendsFail',
      'SvcFailedAttemptsCost',
      'SvcNoPoolAnswers',
      'SvcPoolDown',
      'SvcReplicaDown',
      'SvcAlarm',
      'SvcErrorBudgetBurnsFast',
      'SvcErrorBudgetBurnsSlow',
    )
  })

  itWatches('says that streams begin late and end early', async () => {
    const backend = await startBackend()
    onTestFinished(() => backend.close())
    const test = await gatewayOn({ onprem: [backend] })
    let count = 0
    backend.always(exchange => {
      test.clock.advance(6000)
      count++
      const behaviour = count % 3 === 0 ? streamThenReset({ chunks: ['Hel', 'lo'] }) : stream({ chunks: ['Hi'] })
      return behaviour(exchange)
    })
    const key = await test.key('pro')
    const prometheus = await PrometheusServer.start([test.admin])

    keepOn(() => ask(test, key, { stream: true }))

    await prometheus.fires('SvcFirstTokenBudgetBurnsFast', 'SvcFirstTokenBudgetBurnsSlow', 'SvcAnswersInterrupted')
  })

  itWatches('says that limits refuse many, or are about to', async () => {
    const backend = await backendThat(answer({ content: 'Hi' }))
    const test = await gatewayOn({ onprem: [backend], fields: { pro: 'max_concurrent: 1' } })
    const [pro, tight] = [await test.key('pro', 'ada'), await test.key('tight', 'bea')]
    const prometheus = await PrometheusServer.start([test.admin])

    keepOn(() => ask(test, pro))
    keepOn(() => ask(test, tight))

    await prometheus.fires('SvcLimitRefusesMany', 'SvcLimitsNearlyFull')
  })

  itWatches('says that files are not served, load is shed, the archive is behind and a gateway is gone', async () => {
    const backend = await backendThat(answer({ content: 'Hi' }))
    const warehouse = new Door((_received, response) => response.writeHead(503).end())
    await warehouse.open()
    onTestFinished(() => warehouse.close())
    let lagMs = 0
    const test = await gatewayOn({
      onprem: [backend],
      yaml: `ledger: { archive: { to: "${warehouse.origin}/rows", keep: 1d } }`,
      sample: () => ({ lagMs, heapRatio: 0, cpuRatio: 1 }),
    })
    const key = await test.key('pro')
    const prometheus = await PrometheusServer.start([test.admin])
    await ask(test, key)
    test.clock.advance(27 * 3_600_000)

    await test.reload({}, () => 'version: 1\nplans: {}')
    lagMs = 10_000
    keepOn(async () => {
      test.clock.advance(250)
      await ask(test, key)
    })

    await prometheus.fires('SvcFilesNotServed', 'SvcOverloaded', 'SvcArchiveBehind')
    await test.gateway.close(0)
    await prometheus.fires('SvcGatewayDown')
  })

  itWatches('says that gateways differ, that one is not on the store, and that the store is away', async () => {
    const backend = await backendThat(answer({ content: 'Hi' }))
    const [redis, other] = [await startRedis(), await startRedis()]
    const store = { redis, redisAnswerMs: 200 }
    const tests = [
      await gatewayOn({ onprem: [backend], ...store, name: 'gw-1' }),
      await gatewayOn({ onprem: [backend], ...store, name: 'gw-2', fields: { pro: 'max_concurrent: 7' } }),
      await gatewayOn({ onprem: [backend], redis: other, name: 'gw-3' }),
    ]
    onTestFinished(async () => {
      redis.resume()
      await Promise.all(tests.map(test => test.gateway.close(0)))
      await Promise.all([redis.stop(), other.stop()])
    })
    const prometheus = await PrometheusServer.start(tests.map(({ admin }) => admin))
    // Each announces itself once a second of its clock.
    keepOn(async () => tests.map(({ clock }) => clock.advance(250)), 250)

    await prometheus.fires('SvcRevisionsDiffer', 'SvcGatewayNotOnStore')
    redis.pause()
    // A gateway waits two seconds of its clock for the store.
    await prometheus.fires('SvcStoreDown')
  })

  itWatches('says that a process died under requests, and that one answers late', async () => {
    const backend = await backendThat(answer({ content: 'Hi', usage: USAGE }))
    const tree = await startTree(2, directory => treeYaml(directory, backend.url))
    onTestFinished(async () => void (await tree.end()))
    const key = await tree.mint('pro', 'ada')
    const prometheus = await PrometheusServer.start([tree.admin])
    await prometheus.scrapes('svc_worker_lag_seconds', 0)
    // A worker that is killed before the first checkpoint, 250 ms after its request began, leaves nothing to charge.
    const orphans = async () =>
      expect(await metricOf(tree, 'svc_ledger_rows_total', 'kind="orphan"')).toBeGreaterThan(0)
    const isCharged = () =>
      eventually(orphans, { timeout: 10_000, interval: 250 }).then(
        () => true,
        () => false,
      )
    do await killUnder(tree, key, backend)
    while (!(await isCharged()))
    keepOn(async () => {
      const [store] = tree.pids('store')
      if (store === undefined) return
      process.kill(store, 'SIGSTOP')
      await sleep(200)
      process.kill(store, 'SIGCONT')
    }, 250)
    keepOn(() => tree.chat(key).then(response => response.text()))

    await prometheus.fires('SvcGatewayDied', 'SvcEventLoopLags', 'SvcGatewaySlow')
  })

  itWatches('says that lines of the log are lost, and that descriptors are nearly gone', async () => {
    const backend = await backendThat(answer({ content: 'Hi' }))
    const tree = await startTree(1, directory => treeYaml(directory, backend.url), undefined, [
      'prlimit',
      `--nofile=${DESCRIPTORS}:${DESCRIPTORS}`,
    ])
    onTestFinished(async () => void (await tree.end()))
    const prometheus = await PrometheusServer.start([tree.admin])

    // The log reader stalls: pipes and some MB fill up after about ten thousand lines.
    tree.process.stdout?.pause()
    onTestFinished(() => void tree.process.stdout?.resume())
    const stop = keepOn(() => burst(tree), 0)
    await prometheus.fires('SvcLinesLost')
    await stop()
    const open = await metricOf(tree, 'svc_process_open_fds')
    const { hostname, port } = new URL(tree.url)
    for (let count = open; count < 0.92 * DESCRIPTORS; count++) {
      const socket = connect(Number(port), hostname).on('error', () => {})
      onTestFinished(() => void socket.destroy())
    }

    await prometheus.fires('SvcDescriptorsNearlyGone')
  })
})

/** Kills the workers while one of them answers a request. */
async function killUnder(tree: Tree, key: string, backend: Backend): Promise<void> {
  await eventually(async () => expect((await tree.chat(key)).status).toBe(200))
  backend.next(async ({ response }) => {
    response.writeHead(200, SSE_HEADERS)
    await write(response, chunk('test-model', { content: 'Hel' }, null))
  })
  const { length } = backend.requests
  const cut = tree.chat(key, { stream: true }).then(response => response.text(), String)
  await backend.received(length + 1)
  await sleep(1000)
  for (const pid of tree.pids('worker')) process.kill(pid, 'SIGKILL')
  await cut.catch(() => {})
}

/**
 * Asks for what is not there, so that each request costs little and leaves a line of the log. The next burst waits until the gateway
 * has answered this one and a scrape: also with little CPU, it answers Prometheus in time.
 */
async function burst(tree: Tree): Promise<void> {
  const { host, hostname, port } = new URL(tree.url)
  const request = `GET /${'x'.repeat(250)} HTTP/1.1\r\nhost: ${host}\r\n`
  const socket = connect(Number(port), hostname).on('error', () => {})
  const closed = once(socket, 'close')
  socket.resume().write(`${`${request}\r\n`.repeat(BURST - 1)}${request}connection: close\r\n\r\n`)
  await closed
  await tree.ask('GET', '/metrics')
}

/** Requests of a burst: a scrape waits for no more of them than this. */
const BURST = 50

/** The sum of a metric's series, of which the text of the labels has this. */
async function metricOf(tree: Tree, name: string, labels = ''): Promise<number> {
  const { text } = await tree.ask('GET', '/metrics')
  const series = [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\d+)`, 'gm'))]
  return series.reduce((sum, [, own = '', value]) => sum + (own.includes(labels) ? Number(value) : 0), 0)
}

/** The limit of a gateway with few descriptors. */
const DESCRIPTORS = 300

const treeYaml = (directory: string, backend: string) => `
version: 1
server: { listen: 127.0.0.1:0, admin: 127.0.0.1:0, state_dir: ${directory} }
store: embedded:${directory}/store
limits: { shed_load: false }
plans: { pro: { models: all, rpm: 100k, tpm: 900M, monthly_usd: 500 } }
models:
  small: { kind: chat, tier: basic, serve: [onprem], context: 32k, usd_per_1m: { input: 1, output: 10 } }
default_model: small
pools: { onprem: { site: on-premises, model: test-model, replicas: ["${backend}"] } }
`
