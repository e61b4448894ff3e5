import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect } from 'vitest'
import { times } from '../../support/times.ts'
import { handshake, joined } from './fixture.ts'
import { liveTest } from './live-test.ts'

const it = liveTest
  /** A connection of a client after its 101, of which the test writes the bytes. */
  .extend('raw', ({ gateway, key }) => async (): Promise<{ socket: Socket; closed: Promise<unknown> }> => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    const closed = new Promise(resolve => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.write(handshake(REALTIME, key))
    await once(socket, 'data')
    socket.resume()
    return { socket, closed }
  })

const REALTIME = '/v1/realtime'

const opcode = fc.constantFrom(0, 1, 2, 3, 7, 8, 9, 10, 11, 15)
const payload = fc.uint8Array({ maxLength: 200 })

/** Frames that are nearly right: any opcode, masked or not, in fragments, of lengths that are not theirs. */
const frame = fc
  .record({
    ...{ fin: fc.boolean(), rsv: fc.constantFrom(0, 0, 0, 0x40, 0x20), opcode, isMasked: fc.boolean(), payload },
    length: fc.constantFrom('own', 'own', 'own', 'short', 'huge', 'beyond'),
  })
  .map(({ fin, rsv, opcode, isMasked, payload, length }) => {
    const mask = isMasked ? 0x80 : 0
    const head = [(fin ? 0x80 : 0) | rsv | opcode]
    if (length === 'huge') head.push(mask | 127, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff)
    else if (length === 'beyond') head.push(mask | 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)
    else if (length === 'short') head.push(mask | Math.max(0, Math.min(125, payload.length) - 1))
    else if (payload.length < 126) head.push(mask | payload.length)
    else head.push(mask | 126, payload.length >> 8, payload.length & 255)
    const key = isMasked ? [1, 2, 3, 4] : []
    const body = isMasked ? payload.map((byte, at) => byte ^ (1 + (at % 4))) : payload
    return Buffer.concat([Buffer.from([...head, ...key]), body])
  })

const bytes = fc.array(fc.oneof(frame, frame, frame, payload), { minLength: 1, maxLength: 12 })

it('no frames of a client end anything but its own session', async ({ backend, gateway, key, raw }) => {
  const { client, server } = await joined(gateway, backend, REALTIME, key)

  await fc.assert(
    fc.asyncProperty(bytes, fc.boolean(), async (pieces, isCut) => {
      const { socket, closed } = await raw()
      for (const piece of pieces) socket.write(piece)
      if (isCut) socket.destroy()
      else socket.end()
      await closed
    }),
    { numRuns: times(100) },
  )

  client.say('still here')
  expect(await server.next()).toBe('still here')
  expect(gateway.alarms).toEqual([])
})

it('no frames of a backend end anything but its own session', async ({ backend, gateway, key, raw }) => {
  const { client, server } = await joined(gateway, backend, REALTIME, key)

  await fc.assert(
    fc.asyncProperty(bytes, async pieces => {
      backend.onRaw = socket => {
        for (const piece of pieces) socket.write(piece)
        socket.end()
      }
      const { closed, socket } = await raw()
      // It says goodbye too, once it is told.
      socket.on('data', bytes => bytes.includes(0x88) && socket.end())
      await closed
      backend.onRaw = undefined
    }),
    { numRuns: times(100) },
  )

  client.say('still here')
  expect(await server.next()).toBe('still here')
})

it('every session that was fuzzed left its row, and holds nothing any more', async ({ gateway, running, raw }) => {
  const count = 20
  for (let i = 0; i < count; i++) {
    const { socket, closed } = await raw()
    socket.end(Buffer.from([0xff, 0xff, i]))
    await closed
  }

  await gateway.logged(count)
  const rows = await gateway.ledger()
  expect(rows).toHaveLength(count)
  expect(await running.store.accounts.readSpend(rows[0]?.account ?? '')).toMatchObject({ held: 0 })
})

it('a message in more fragments than there may be is too large, however small it is', async ({ gateway, raw }) => {
  const { socket, closed } = await raw()
  const first = Buffer.from([0x02, 0x81, 0, 0, 0, 0, 7])
  const more = Buffer.from([0x00, 0x81, 0, 0, 0, 0, 7])

  socket.write(Buffer.concat([first, ...Array.from({ length: 2000 }, () => more)]))

  await closed
  expect((await gateway.logged(1))[0]).toMatchObject({ interrupted: 'client: message too large' })
})

it('a client that pings too often ends its own session, and its backend is not blamed', async ({
  backend,
  gateway,
  key,
}) => {
  const { client, server } = await joined(gateway, backend, REALTIME, key)

  for (let i = 0; i < 30; i++) client.ws.ping(Buffer.from('x'))
  await client.until(() => client.got.length === 30)
  for (let i = 0; i < 5000; i++) client.ws.ping(Buffer.from('x'))

  expect(await client.end()).toEqual({ code: 1008, reason: 'too many pings' })
  expect(await server.end()).toMatchObject({ code: 1001 })
  expect(server.got).toHaveLength(30)
})

it('a message of several fragments with a ping between them arrives whole', async ({ backend, raw }) => {
  const { socket } = await raw()
  const server = await backend.socket()
  const part = (head: number, text: string) =>
    Buffer.concat([Buffer.from([head, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])

  socket.write(Buffer.concat([part(0x01, 'Hel'), part(0x89, 'p'), part(0x00, 'lo '), part(0x80, 'there')]))

  expect([await server.next(), await server.next()]).toEqual(['ping:p', 'Hello there'])
  socket.destroy()
})

it.for(['client', 'backend'] as const)(
  'who does not read slows the other side, and little is kept: the %s',
  async (slow, { backend, gateway, key }) => {
    const { client, server } = await joined(gateway, backend, REALTIME, key)
    const [reader, writer] = slow === 'client' ? [client, server] : [server, client]
    reader.ws.pause()
    const message = Buffer.alloc(50_000)
    let written = 0
    let isOver = false
    const more = () => {
      if (isOver) return
      written += message.length
      writer.ws.send(message, { binary: true }, () => more())
    }
    const before = external()
    more()
    let last = -1
    while (last !== written) {
      last = written
      await new Promise(resolve => setTimeout(resolve, 200))
    }
    isOver = true

    // The kernel buffers this much of two loopback connections, without any gateway.
    expect(written).toBeLessThan(40_000_000)
    // The collector frees unused memory in its own time.
    await expect.poll(() => external() - before).toBeLessThan(4_000_000)
    reader.ws.resume()
    await reader.until(() => reader.got.length * message.length === written)
  },
)

/** Bytes of buffers that are in use: none of them is on the heap. */
function external(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().arrayBuffers
}
