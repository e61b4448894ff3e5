import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ByteBackend } from '../../support/bytes.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { answersIn } from '../../support/raw.ts'
import { startPassing } from './fixture.ts'

const yaml = 'limits: { headers_timeout: 1s, request_timeout: 1s, idle_timeout: 3s }\n'
/** A request is late by Node's own clock. Later steps use the clock of the test. */
const SOON = { headersTimeout: 50, requestTimeout: 50 }
/** The minimum that 2.5 seconds must bring. */
const PIECE = 20_480
const LENGTH = 5 * PIECE

let backend: ByteBackend
let test: TestGateway
let key: string
/** How many bytes of the upload the backend has. */
let got: number
let socket: Socket
let text: string

beforeAll(async () => {
  backend = await ByteBackend.start()
  backend.on((request, response) => {
    request.on('data', part => {
      got += part.length
      backend.happened()
    })
    request.on('end', () => response.end('{"text":"ok"}'))
  })
  test = await startPassing({ onprem: [backend], yaml, listener: SOON })
  key = await test.key('pro')
})

afterAll(async () => {
  await test.close()
  await backend.close()
})

beforeEach(async () => {
  // Nothing is late until a test says so.
  await test.reload({ listener: {} }, files => files.replaceAll('_timeout: 1s', '_timeout: 60s'))
  got = 0
  text = ''
  socket = connect({ port: test.gateway.listen.port, host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.on('data', chunk => (text += chunk.toString()))
})
afterEach(() => socket.destroy())

/** Sends the head of an upload. Resolves once its body is asked for. */
async function begin(type = 'audio/wav', path = 'transcriptions'): Promise<void> {
  socket.write(
    `POST /v1/audio/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\nContent-Length: ${LENGTH}\r\nExpect: 100-continue\r\n\r\n`,
  )
  await heard('100 Continue')
}

/** Sends more of the body. Resolves once the backend has it. */
async function bring(bytes: number): Promise<void> {
  socket.write(Buffer.alloc(bytes, 'x'))
  const wanted = got + bytes
  await backend.until(() => got === wanted)
}

/** Lets `request_timeout` pass. */
async function becomeLate(): Promise<void> {
  await test.reload({ listener: SOON })
  // Other timeouts hold from the next connection on.
  const next = connect({ port: test.gateway.listen.port, host: '127.0.0.1' })
  next.once('connect', () => next.destroy())
}

/** Becomes late too, and resolves once the upload has been awaited for this long. */
async function becomeLateAndWait(ms: number): Promise<void> {
  const { clock } = test
  const waiting = clock.waits(ms, clock.waiting(ms) + 1)
  await becomeLate()
  await waiting
}

async function heard(wanted: string): Promise<void> {
  while (!text.includes(wanted)) await new Promise(resolve => socket.once('data', resolve))
}

async function status(): Promise<unknown> {
  await heard('content-length')
  return answersIn(text).answers[0]?.status
}

describe('an upload that takes longer than request_timeout', () => {
  it('is served while it keeps pace', async () => {
    await begin()
    await bring(PIECE)
    await becomeLateAndWait(2500)

    while (got < LENGTH) {
      await bring(PIECE)
      test.clock.advance(2500)
    }

    expect(await status()).toBe(200)
  })

  it('is late when it brings a byte now and then', async () => {
    await begin()
    await bring(10)
    await becomeLateAndWait(1000)

    await bring(1)
    test.clock.advance(1000)

    expect(await status()).toBe(408)
  })

  it('is late when it stops, however much of it came', async () => {
    await begin()
    await bring(LENGTH - 1)
    await becomeLateAndWait(3000)

    test.clock.advance(3000)

    expect(await status()).toBe(408)
  })

  it('is late likewise before a backend got any of it', async () => {
    await begin('multipart/form-data; boundary=b0undary')

    await becomeLate()

    expect(await status()).toBe(408)
  })

  it('is late where it is JSON, which is read whole, at whatever pace', async () => {
    await begin('application/json', 'speech')
    socket.write(' '.repeat(PIECE))

    await becomeLate()

    expect(await status()).toBe(408)
  })
})
