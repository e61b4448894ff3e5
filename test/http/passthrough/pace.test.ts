import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ByteBackend } from '../../support/bytes.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { answersIn, gone } from '../../support/raw.ts'
import { startPassing } from './fixture.ts'

// The clocks of sockets are node's own, and run in real time: all of these run at once.
const yaml = 'limits: { headers_timeout: 1s, request_timeout: 1s, idle_timeout: 3s }\n'
const LENGTH = 400_000

let backend: ByteBackend
let test: TestGateway
let key: string

beforeAll(async () => {
  backend = await ByteBackend.start()
  test = await startPassing({ onprem: [backend], yaml })
  key = await test.key('pro')
})

afterAll(async () => {
  await test.close()
  await backend.close()
})

/** Sends the head of an upload and some of it, then as much more every 100 ms; resolves to the first answer's status. */
async function upload(first: number, more: number, type = 'audio/wav', path = 'transcriptions'): Promise<unknown> {
  const socket = connect({ port: test.gateway.listen.port, host: '127.0.0.1' })
  socket.on('error', () => {})
  let text = ''
  let left = LENGTH
  const send = (bytes: number) => {
    const size = Math.min(bytes, left)
    left -= size
    if (socket.writable && size > 0) socket.write(Buffer.alloc(size, 'x'))
  }
  const dripping = setInterval(() => send(more), 100)
  const answered = new Promise<void>(resolve => {
    socket.on('data', chunk => {
      text += chunk.toString()
      if (text.includes('\r\n\r\n')) resolve()
    })
  })
  socket.write(
    `POST /v1/audio/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\nContent-Length: ${LENGTH}\r\n\r\n`,
  )
  send(first)
  await Promise.race([answered, gone(socket)])
  clearInterval(dripping)
  socket.destroy()
  return answersIn(text).answers[0]?.status
}

describe.concurrent('an upload that takes longer than request_timeout', () => {
  it('is served while it keeps pace', async () => {
    expect(await upload(0, 10_000)).toBe(200)
  })

  it('is late when it brings a byte now and then', async () => {
    expect(await upload(10, 1)).toBe(408)
  })

  it('is late when it stops, however much of it came', async () => {
    expect(await upload(LENGTH - 1, 0)).toBe(408)
  })

  it('is late likewise before a backend got any of it', async () => {
    expect(await upload(0, 0, 'multipart/form-data; boundary=b0undary')).toBe(408)
  })

  it('is late where it is JSON, which is read whole, at whatever pace', async () => {
    expect(await upload(0, 10_000, 'application/json', 'speech')).toBe(408)
  })
})
