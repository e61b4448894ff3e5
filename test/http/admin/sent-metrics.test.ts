import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { Door } from '../../support/door.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

const HEADER = 'Basic c2VjcmV0LW9mLXRoZS1jb2xsZWN0b3I='

interface Point {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[]
  readonly asDouble?: number
  readonly count?: number
  readonly sum?: number
  readonly bucketCounts?: readonly number[]
  readonly explicitBounds?: readonly number[]
}

interface Sent {
  readonly name: string
  readonly unit: string
  readonly sum?: {
    readonly isMonotonic: boolean
    readonly aggregationTemporality: number
    readonly dataPoints: readonly Point[]
  }
  readonly gauge?: { readonly dataPoints: readonly Point[] }
  readonly histogram?: { readonly dataPoints: readonly Point[] }
}

let collector: Door
let backend: Backend
let test: TestGateway
let answering: (response: { writeHead(status: number): { end(): void } }) => unknown

beforeEach(async () => {
  answering = response => response.writeHead(200).end()
  collector = new Door((_received, response) => answering(response))
  await collector.open()
  backend = await startBackend()
})
afterEach(async () => {
  await test.close()
  await Promise.all([backend.close(), collector.close()])
})

const otlp = () =>
  `metrics: { otlp: { endpoint: "${collector.origin}/otlp", every: 1h, headers: [{ name: Authorization, secret: "\${OTLP}" }] } }`

async function start(yaml = otlp()): Promise<string> {
  test = await startTestGateway({ onprem: [backend], yaml, env: { CLOUD_KEY: 'sk-cloud-secret-1234', OTLP: HEADER } })
  return test.key('pro')
}

const ask = (key: string) =>
  fetch(`${test.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'the-prompt-that-nobody-else-may-read' }] }),
  }).then(response => response.text())

/** The collector's last metrics, by name. */
async function sent(): Promise<ReadonlyMap<string, Sent>> {
  await test.gateway.close(0)
  const { rawBody = '{}' } = collector.requests.at(-1) ?? {}
  const [{ scopeMetrics }] = JSON.parse(rawBody).resourceMetrics
  return new Map(
    scopeMetrics.flatMap(({ metrics }: { metrics: Sent[] }) => metrics).map((each: Sent) => [each.name, each]),
  )
}

const labelsOf = ({ attributes }: Point) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]))

it('a collector is sent what /metrics shows: sums, gauges and histograms, with its header', async () => {
  const key = await start()
  await ask(key)
  await ask(key)

  const metrics = await sent()

  expect(collector.requests.at(-1)).toMatchObject({ path: '/otlp/v1/metrics', headers: { authorization: HEADER } })
  const requests = metrics.get('svc_requests')
  expect(requests?.sum).toMatchObject({ isMonotonic: true, aggregationTemporality: 2 })
  const answered = requests?.sum?.dataPoints.find(point => labelsOf(point).code === '200')
  expect(answered?.asDouble).toBe(2)
  const durations = metrics.get('svc_request_duration')
  expect(durations?.unit).toBe('s')
  const [point] = durations?.histogram?.dataPoints ?? []
  expect(point?.count).toBe(2)
  expect(point?.bucketCounts?.reduce((sum, each) => sum + Number(each), 0)).toBe(2)
  expect(point?.bucketCounts).toHaveLength((point?.explicitBounds?.length ?? 0) + 1)
  expect(metrics.get('svc_pool_up')?.gauge?.dataPoints.length).toBeGreaterThan(0)
})

it('a reload sends them to another collector from then on, and the first gets the last sums before', async () => {
  const other = new Door((_received, response) => response.writeHead(200).end())
  await other.open()
  try {
    const key = await start()
    await ask(key)
    await test.reload({}, yaml => yaml.replace(collector.origin, other.origin))
    await expect.poll(() => collector.requests.length).toBe(1)
    await test.gateway.close(0)

    expect(collector.requests).toHaveLength(1)
    expect(other.requests.map(({ path }) => path)).toEqual(['/otlp/v1/metrics'])
  } finally {
    await other.close()
  }
})

it('no prompt, answer or key is among them', async () => {
  const key = await start()
  await ask(key)
  await sent()

  const all = collector.requests.map(({ rawBody }) => rawBody).join('')
  expect(all).not.toContain('the-prompt-that-nobody-else-may-read')
  expect(all).not.toContain(key)
})

it('a collector that takes nothing is one alarm, and requests go on', async () => {
  answering = response => response.writeHead(400).end()
  const key = await start()

  expect(await ask(key)).toContain('"object":"chat.completion"')
  await test.gateway.close(0)

  expect(test.alarms.filter(alarm => alarm.startsWith('metrics cannot be sent'))).toHaveLength(1)
})

it('without the setting nothing is sent', async () => {
  await ask(await start(''))
  await test.gateway.close(0)

  expect(collector.requests).toEqual([])
})
