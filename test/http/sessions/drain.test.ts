import { afterEach, beforeEach, expect, it } from 'vitest'
import type { TestGateway } from '../../support/gateway.ts'
import { openSocket, SocketBackend } from '../../support/socket-backend.ts'
import { joined, responseDone, startLive } from './fixture.ts'

let backend: SocketBackend
let test: TestGateway
let key: string

beforeEach(async () => {
  backend = await SocketBackend.start()
  test = await startLive({ onprem: [backend] })
  key = await test.key('pro')
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

const REALTIME = '/v1/realtime'

it('a gateway that drains ends its sessions once its delay is over, so that clients come back elsewhere', async () => {
  await test.reload({}, yaml => yaml.replace('server:', 'server:\n  drain_delay: 5s'))
  const { client, server } = await joined(test, backend, REALTIME, key)
  server.say(responseDone(100, 20))
  await client.next()

  const left = test.gateway.drain()
  client.say('still served')
  expect(await server.next()).toBe('still served')
  const late = await joined(test, backend, REALTIME, key)
  test.clock.advance(5000)

  expect(await client.end()).toEqual({ code: 1012, reason: 'service restart' })
  expect(await late.client.end()).toEqual({ code: 1012, reason: 'service restart' })
  expect(await server.end()).toMatchObject({ code: 1001 })
  expect(await left).toBe(true)
  test = await test.restart()
  expect((await test.ledger()).map(({ inputTokens }) => inputTokens).sort()).toEqual([0, 100])
})

it('a session that is still waited for when the gateway leaves is refused', async () => {
  backend.isSilent = true
  const asked = openSocket(`${test.url}${REALTIME}`, { key }).catch((error: { status?: number }) => error.status)
  await backend.until(() => backend.asked.length === 1)

  test.gateway.cut()
  const again = test.restart()

  expect(await asked).toBe(503)
  test = await again
  expect(await test.ledger()).toEqual([])
})

it('a session outlives a reload that removes its route, and opens none after it', async () => {
  const { client, server } = await joined(test, backend, REALTIME, key)
  await test.reload({}, yaml => yaml.replace('include: [live.yaml]', ''))

  client.say('still served')
  expect(await server.next()).toBe('still served')
  await expect(openSocket(`${test.url}${REALTIME}`, { key })).rejects.toThrow('404')
})
