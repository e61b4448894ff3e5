import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { peersOf } from '../../../src/adapters/peers/peers.ts'

it('another gateway is asked with the admin token as it is at that moment', async () => {
  const server = createServer((request, response) => response.end(JSON.stringify(request.headers)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  let token = 'the-first-admin-token'
  const { ask } = peersOf({ token: () => token, tls: () => undefined })
  const sent = () => ask({ admin: `http://127.0.0.1:${port}` }, { method: 'GET', path: '/', patience: 5000 })

  const before = await sent()
  token = 'the-second-admin-token'

  expect([before, await sent()]).toMatchObject([
    { body: { authorization: 'Bearer the-first-admin-token' } },
    { body: { authorization: 'Bearer the-second-admin-token' } },
  ])
})
