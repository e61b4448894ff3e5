import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import type { ListenerSettings } from '../../../src/config/settings.ts'
import { clientAddresses } from '../../../src/http/listener/client-address.ts'
import { Connections } from '../../../src/http/listener/connections.ts'
import { VirtualClock } from '../../support/clock.ts'

it('a connection is idle once it had no request for so long, and is not while one runs', () => {
  const clock = new VirtualClock(0)
  const limits = { connectionsPerAddress: 10, idleTimeout: 65_000, headersTimeout: 10_000 } as ListenerSettings
  const connections = new Connections({
    limits: () => limits,
    clock,
    alarm: () => {},
    addresses: () => clientAddresses([]),
  })
  const [used, unused] = [0, 1].map(() => Object.assign(new EventEmitter(), { remoteAddress: '127.0.0.1' }) as Socket)
  if (!used || !unused) throw new Error('no sockets')
  for (const socket of [used, unused]) connections.admit(socket)
  const idle = () => connections.idleFor(5000)
  expect(idle()).toBe(0)
  clock.advance(5001)
  expect(idle()).toBe(2)

  const leave = connections.enter({ socket: used } as IncomingMessage)
  clock.advance(60_000)
  expect(idle()).toBe(1)
  leave?.()
  expect(idle()).toBe(1)
  clock.advance(5001)
  expect(idle()).toBe(2)
  unused.emit('close')
  expect(idle()).toBe(1)
  used.emit('close')
})
