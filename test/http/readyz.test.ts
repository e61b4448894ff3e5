import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { StoreUnavailable } from '../../src/gateway/store.ts'
import { type Backend, startBackend } from '../support/backend.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { send } from './calls.ts'

let backend: Backend
let test: TestGateway

beforeAll(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend] })
})

afterAll(async () => {
  await test.close()
  await backend.close()
})

const readyz = (url: string) => send({ url }, 'GET /readyz')

it('a store that is down shows to operators, and keeps no balancer away: all gateways have the same one', async () => {
  vi.spyOn(test.gateway.store, 'findCaller').mockRejectedValue(new StoreUnavailable('down'))

  const [operators, clients] = [await readyz(test.admin), await readyz(test.url)]
  vi.restoreAllMocks()

  expect([operators.status, clients.status]).toEqual([200, 200])
  expect(operators.body).toMatchObject({ status: 'ready', store: 'unavailable' })
  expect((await readyz(test.admin)).body).toMatchObject({ store: 'ok' })
})

it('nothing of files and reloads is told to clients', async () => {
  expect((await readyz(test.url)).body).toEqual({ status: 'ready', revision: test.gateway.app.config.revision })
})
