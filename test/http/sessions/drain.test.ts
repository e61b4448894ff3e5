import { expect } from 'vitest'
import { openSocket } from '../../support/socket-backend.ts'
import { joined, responseDone } from './fixture.ts'
import { liveTest as it } from './live-test.ts'

const REALTIME = '/v1/realtime'

it('a gateway that drains ends its sessions once its delay is over, so that clients come back elsewhere', async ({
  backend,
  gateway,
  running,
  restart,
  key,
}) => {
  await gateway.reload({}, yaml => yaml.replace('server:', 'server:\n  drain_delay: 5s'))
  const { client, server } = await joined(gateway, backend, REALTIME, key)
  server.say(responseDone(100, 20))
  await client.next()

  const left = running.drain()
  client.say('still served')
  expect(await server.next()).toBe('still served')
  const late = await joined(gateway, backend, REALTIME, key)
  gateway.clock.advance(5000)

  expect(await client.end()).toEqual({ code: 1012, reason: 'service restart' })
  expect(await late.client.end()).toEqual({ code: 1012, reason: 'service restart' })
  expect(await server.end()).toMatchObject({ code: 1001 })
  expect(await left).toBe(true)
  const restarted = await restart()
  expect((await restarted.ledger()).map(({ inputTokens }) => inputTokens).sort()).toEqual([0, 100])
})

it('a session that is still waited for when the gateway leaves is refused', async ({
  backend,
  gateway,
  running,
  restart,
  key,
}) => {
  backend.isSilent = true
  const asked = openSocket(`${gateway.url}${REALTIME}`, { key }).catch((error: { status?: number }) => error.status)
  await backend.until(() => backend.asked.length === 1)

  running.cut()
  const again = restart()

  expect(await asked).toBe(503)
  expect(await (await again).ledger()).toEqual([])
})

it('a session outlives a reload that removes its route, and opens none after it', async ({ backend, gateway, key }) => {
  const { client, server } = await joined(gateway, backend, REALTIME, key)
  await gateway.reload({}, yaml => yaml.replace('include: [live.yaml]', ''))

  client.say('still served')
  expect(await server.next()).toBe('still served')
  await expect(openSocket(`${gateway.url}${REALTIME}`, { key })).rejects.toThrow('404')
})
