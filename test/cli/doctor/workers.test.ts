import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { checkPorts } from '../../../src/cli/doctor/check-ports.ts'
import type { Loaded } from '../../../src/config/settings.ts'

const REVISION = '8f5337f55caa'

/** doctor's finding on a gateway with these workers. */
async function found(workers: readonly object[]): Promise<string> {
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ status: 'ready', store: 'ok', revision: REVISION, workers })),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
  const settings = { server: { listen: address, admin: address } }
  const { finding } = await checkPorts({ config: { revision: REVISION }, settings } as unknown as Loaded)
  return `${finding.state}: ${finding.text}`
}

const worker = (number: number, more: object = {}) => ({
  ...{ worker: number, state: 'serving', restarts: 0, started_at: '2026-11-21T09:00:00.123Z', ...more },
})

it('workers that serve are counted', async () => {
  expect(await found([worker(0), worker(1, { restarts: 2 })])).toBe(
    `ok: a gateway runs here, ready, with revision ${REVISION} and 2 workers`,
  )
})

it('a worker that does not serve is named', async () => {
  expect(await found([worker(0), worker(1, { state: 'silent', restarts: 9 })])).toBe(
    'warning: workers of the gateway running here do not serve:  1 (silent)',
  )
})

it('a worker that was started again and again is named', async () => {
  expect(await found([worker(0), worker(1, { restarts: 7 })])).toBe(
    'warning: workers of the gateway running here ended and were restarted: 1 (7 times, last at 2026-11-21T09:00:00Z)',
  )
})
