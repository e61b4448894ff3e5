import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createServer, type Server } from 'node:tls'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { joinedBy, responseDone, startLive } from '../../http/sessions/fixture.ts'
import { selfSigned } from '../../support/certificate.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { SocketBackend } from '../../support/socket-backend.ts'

/** The SDK speaks TLS alone: in front of the gateway stands what ends it, as in production. */
export async function realtimeScenarios(): Promise<void> {
  const { OpenAI } = await import('openai')
  const { OpenAIRealtimeWS } = await import('openai/realtime/ws')
  let backend: SocketBackend
  let test: TestGateway
  let front: Server
  let key: string

  beforeEach(async () => {
    backend = await SocketBackend.start()
    test = await startLive({ onprem: [backend] })
    key = await test.key('pro')
    front = createServer(selfSigned(), socket => {
      const through = connect(Number(new URL(test.url).port), '127.0.0.1')
      socket
        .on('error', () => {})
        .pipe(through.on('error', () => {}))
        .pipe(socket)
    })
    front.listen(0, '127.0.0.1')
    await once(front, 'listening')
  })

  afterEach(async () => {
    front.close()
    await test.close()
    await backend.close()
  })

  const open = (model: string, apiKey = key) => {
    const baseURL = `https://127.0.0.1:${(front.address() as AddressInfo).port}/v1`
    const client = new OpenAI({ baseURL, apiKey })
    return new OpenAIRealtimeWS({ model, options: { rejectUnauthorized: false } }, client)
  }

  it('a session sends and hears events, and pays for what its responses used', async () => {
    const realtime = open('svc-live')
    const heard: string[] = []
    realtime.on('event', ({ type }) => heard.push(type))
    await once(realtime.socket, 'open')
    const server = await joinedBy(backend)

    realtime.send({ type: 'response.create' })
    expect(JSON.parse(await server.next())).toMatchObject({ type: 'response.create' })
    server.say({ type: 'response.output_text.delta', delta: 'Hello' })
    server.say(responseDone(100, 20))
    await new Promise(resolve => realtime.on('response.done', resolve))
    realtime.close()

    expect(heard).toEqual(['response.output_text.delta', 'response.done'])
    expect(await server.end()).toMatchObject({ code: 1000 })
    await test.logged(1)
    expect(await test.ledger()).toMatchObject([{ model: 'svc-live', inputTokens: 100, outputTokens: 20 }])
  })

  it('what is refused is an error of the SDK, with its status', async () => {
    const realtime = open('svc-live', 'svc_nothing')

    const error = await new Promise<Error>(resolve => realtime.on('error', resolve))

    expect(error.message).toContain('401')
  })
}
