import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { randomInt, seeded } from '../random.ts'
import { blackHole, FaultProxy } from './fault-proxy.ts'

/** Says back what it hears, and remembers in which pieces that came. */
let echo: Server
let heard: Buffer[]
let proxy: FaultProxy
beforeEach(async () => {
  heard = []
  echo = createServer({ allowHalfOpen: true, noDelay: true }, socket => {
    socket.on('error', () => {}).on('data', bytes => heard.push(bytes))
    socket.pipe(socket)
  })
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  proxy = await new FaultProxy({ backend: echo.address() as AddressInfo, seed: 1 }).listen()
})
afterEach(async () => {
  await proxy.refuse()
  echo.close()
})

/** A client's received bytes, and how the connection ended. */
interface Said {
  text: string
  /** `open` as long as nothing ended it. */
  end: string
}

async function client(): Promise<{ socket: Socket; said: Said }> {
  const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('utf8')
  const said = { text: '', end: 'open' }
  socket.on('data', bytes => {
    said.text += bytes
  })
  socket.on('end', () => {
    said.end = 'end'
  })
  socket.on('error', error => {
    said.end = 'code' in error ? String(error.code) : error.name
  })
  await once(socket, 'connect')
  return { socket, said }
}

const over = async (said: Said) => {
  while (said.end === 'open') await sleep(5)
}
const readSoFar = async (said: Said, length: number) => {
  while (said.text.length < length && said.end === 'open') await sleep(5)
}

test('without a toxic bytes and ends pass in both directions', async () => {
  const { socket, said } = await client()

  socket.end('hello')
  await once(socket, 'end')

  expect(said).toEqual({ text: 'hello', end: 'end' })
  expect(proxy.accepted).toBe(1)
})

test('slicer cuts into small segments that are the same bytes', async () => {
  proxy.add({ kind: 'slicer', most: 3, gapMs: 3 }, ['up'])
  const { socket, said } = await client()

  socket.end('añ€😀'.repeat(3))
  await once(socket, 'end')

  expect(Buffer.concat(heard).toString()).toBe('añ€😀'.repeat(3))
  expect(said.text.length).toBe('añ€😀'.repeat(3).length)
  expect(Math.min(...heard.map(bytes => bytes.length))).toBeLessThanOrEqual(3)
  expect(heard.length).toBeGreaterThan(5)
})

test.each([
  ['latency', { kind: 'latency', ms: 100, jitterMs: 10 }],
  ['bandwidth', { kind: 'bandwidth', bytesPerSecond: 50 }],
] as const)('%s holds bytes back, and no longer once it is removed', async (_, toxic) => {
  const remove = proxy.add(toxic, ['down'])
  const { socket, said } = await client()
  const start = performance.now()

  socket.write('12345')
  await readSoFar(said, 5)
  const slow = performance.now() - start
  remove()
  socket.write('67890')
  await readSoFar(said, 10)

  expect(said.text).toBe('1234567890')
  // No machine is so busy that it is faster.
  expect(slow).toBeGreaterThanOrEqual(50)
})

test('reset passes so many bytes, on each connection, and resets both sides', async () => {
  proxy.add({ kind: 'reset', after: 4 }, ['down'])

  for (let n = 0; n < 2; n++) {
    const { socket, said } = await client()
    socket.write('12')
    await readSoFar(said, 2)
    expect(said).toEqual({ text: '12', end: 'open' })
    socket.write('345')
    await over(said)
    expect(said.text).toMatch(/^12(34)?$/)
  }
})

test('silence passes so many bytes and swallows the rest', async () => {
  proxy.add({ kind: 'silence', after: 2 }, ['up'])
  const { socket, said } = await client()

  socket.write('123')
  await sleep(50)
  socket.write('456')
  await sleep(50)

  expect(said).toEqual({ text: '12', end: 'open' })
  socket.destroy()
})

test('a black hole accepts and swallows, and a later connection is none once it is removed', async () => {
  const remove = proxy.add(blackHole)
  const lost = await client()
  lost.socket.write('123')
  await sleep(50)
  remove()
  const found = await client()
  found.socket.write('456')
  await readSoFar(found.said, 3)

  expect(lost.said).toEqual({ text: '', end: 'open' })
  expect(found.said.text).toBe('456')
  expect(Buffer.concat(heard).toString()).toBe('456')
})

test('halfClose ends one direction only', async () => {
  proxy.add({ kind: 'halfClose', after: 2 }, ['down'])
  const { socket, said } = await client()

  socket.write('123')
  await once(socket, 'end')
  socket.write('456')
  while (Buffer.concat(heard).length < 6) await sleep(5)

  expect(said).toEqual({ text: '12', end: 'end' })
  expect(Buffer.concat(heard).toString()).toBe('123456')
})

test('cut resets what is open, refuse also what comes, and listen takes it back', async () => {
  const { said } = await client()
  proxy.cut()
  await over(said)
  expect(said.end).toBe('ECONNRESET')

  await proxy.refuse()
  await expect(client()).rejects.toMatchObject({ code: 'ECONNREFUSED' })

  await proxy.listen()
  const again = await client()
  again.socket.end('a')
  await once(again.socket, 'end')
  expect(again.said.text).toBe('a')
})

test('a backend that refuses is a reset to the client', async () => {
  echo.close()
  const { said } = await client()
  await over(said)

  expect(said.end).toBe('ECONNRESET')
})

test('the same seed makes the same choices', () => {
  const choices = (seed: number) => {
    const random = seeded(seed)
    return Array.from({ length: 100 }, () => randomInt(random, 1, 6))
  }

  expect(choices(7)).toEqual(choices(7))
  expect(choices(7)).not.toEqual(choices(8))
  expect(new Set(choices(7))).toEqual(new Set([1, 2, 3, 4, 5, 6]))
})
