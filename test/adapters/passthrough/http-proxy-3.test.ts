import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProxyServer } from 'http-proxy-3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openPassthroughSender } from '../../../src/adapters/passthrough/sender.ts'
import type { PassthroughHead } from '../../../src/gateway/ports.ts'
import { type Backend, startBackend, status } from '../../support/backend.ts'

/** The reasons for our stand-ins: docs/decisions/012. If one of the first three fails, the library has changed. */
let backend: Backend
let front: http.Server

beforeEach(async () => {
  backend = await startBackend()
})

afterEach(async () => {
  front?.close()
  await backend.close()
})

/** A proxy as its README has it, which takes the client's credentials away before the headers are sent. */
async function proxy(): Promise<number> {
  const proxy = createProxyServer({ target: backend.url, ignorePath: true })
  proxy.on('proxyReq', sent => sent.removeHeader('authorization'))
  proxy.on('error', () => {})
  front = http.createServer((request, response) => {
    try {
      proxy.web(request, response)
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await once(front.listen(0, '127.0.0.1'), 'listening')
  return (front.address() as AddressInfo).port
}

const ask = async (port: number, headers: http.OutgoingHttpHeaders, path = '/') => {
  const request = http.request({
    port,
    host: '127.0.0.1',
    path,
    method: 'POST',
    headers: { authorization: 'Bearer mine', ...headers },
  })
  request.end('{}')
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  return Buffer.concat(parts).toString()
}

it('alone, what an event takes away of the headers is gone', async () => {
  await ask(await proxy(), {})

  expect(backend.requests[0]?.headers.authorization).toBeUndefined()
})

it('alone, it sends the client’s credentials along when that expects 100-continue', async () => {
  await ask(await proxy(), { expect: '100-continue' })

  expect(backend.requests[0]?.headers.authorization).toBe('Bearer mine')
})

it('alone, it throws at a target that is no URL, although the path is to be ignored', async () => {
  expect(await ask(await proxy(), {}, 'http://[')).toContain('Invalid URL')
})

it('between stand-ins, nothing but what we say reaches the backend, and nothing but what the body is comes back', async () => {
  backend.next(status(200, 'sound', { 'content-type': 'audio/mpeg', 'set-cookie': 'a=b', server: 'x' }))
  const { sendPassthrough, close } = openPassthroughSender(new Map())
  const told: string[] = []
  let headers: PassthroughHead['headers'] = {}

  await new Promise<void>(resolve => {
    sendPassthrough(
      {
        ...{
          pool: 'near',
          replica: `${backend.url}/`,
          fresh: false,
          path: '/audio/speech',
          requestId: 'req_1',
          method: 'POST',
        },
        body: { contentType: 'application/json', bytes: Buffer.from('{"a":1}') },
      },
      {
        connected: () => told.push('connected'),
        head: head => {
          headers = head.headers
          told.push(`head ${head.status}`)
        },
        data: bytes => told.push(String(bytes)),
        end: () => resolve(),
        failed: error => {
          told.push(String(error))
          resolve()
        },
      },
    )
  })

  expect(told).toEqual(['connected', 'head 200', 'sound'])
  expect(headers).toEqual({ 'content-type': 'audio/mpeg' })
  expect(backend.requests).toMatchObject([{ path: '/v1/audio/speech', body: { a: 1 } }])
  close()
})

it('a connection that is kept is used again, and one that had died is told from a fault', async () => {
  const { sendPassthrough, close } = openPassthroughSender(new Map())
  const send = (fresh = false) =>
    new Promise<string>(resolve => {
      sendPassthrough(
        {
          ...{ pool: 'near', replica: backend.url, fresh, path: '/x', requestId: 'req_1', method: 'POST' },
          body: { contentType: 'application/json', bytes: Buffer.from('{}') },
        },
        {
          connected: () => {},
          head: () => {},
          data: () => {},
          end: () => resolve('end'),
          failed: (_, stale) => resolve(`failed ${stale}`),
        },
      )
    })

  expect([await send(), await send(), backend.accepted]).toEqual(['end', 'end', 1])
  backend.next(({ response }) => void response.socket?.destroy())
  expect(await send()).toBe('failed true')
  backend.next(({ response }) => void response.socket?.destroy())
  expect(await send(true)).toBe('failed false')
  close()
})
