import { startTestGateway, type TestGateway, type TestPools } from '../../support/gateway.ts'
import { type HeldSocket, openSocket, type SocketBackend } from '../../support/socket-backend.ts'

/** Routes with every meter; `SERVE` stands for the pools. */
export const ROUTES = `
models:
  svc-live: { kind: passthrough, tier: standard, serve: [SERVE], usd_per_1m: { input: 4, output: 16 } }
aliases: { svc-live-latest: svc-live }
passthrough:
  - path: /v1/realtime
    methods: [GET]
    model: svc-live
    upgrade: websocket
    idle_timeout: 60s
    max_session: 10m
    max_message: 100KB
    meter: { usage: { max_input: 5k, max_output: 1k } }
  - { path: /v1/live/second, methods: [GET], model: svc-live, upgrade: websocket, meter: { usd_per_second: 0.001, max_seconds: 120 } }
  - { path: /v1/live/call, methods: [GET], model: svc-live, upgrade: websocket, meter: { usd_per_call: 0.05 } }
  - { path: /v1/live/mb, methods: [GET], model: svc-live, upgrade: websocket, meter: { usd_per_mb: 0.5, max_mb: 1 } }
`

/** A gateway with routes that speak WebSocket, of every meter. */
export const startLive = ({ cloud, yaml = '', ...pools }: TestPools): Promise<TestGateway> =>
  startTestGateway({
    ...pools,
    ...(cloud && { cloud }),
    yaml: `include: [live.yaml]\n${yaml}`,
    files: { 'live.yaml': ROUTES.replaceAll('SERVE', cloud ? 'onprem, cloud' : 'onprem') },
  })

/** A client and the backend's side of its session. */
export async function joined(
  test: Pick<TestGateway, 'url'>,
  backend: SocketBackend,
  path: string,
  key: string,
): Promise<{ client: HeldSocket; server: HeldSocket }> {
  const index = backend.sockets.length
  const client = await openSocket(`${test.url}${path}`, { key })
  return { client, server: await backend.socket(index) }
}

/** An event of a backend by which a response of a session is over. */
export const responseDone = (input: number, output: number) => ({
  type: 'response.done',
  response: {
    status: 'completed',
    usage: { total_tokens: input + output, input_tokens: input, output_tokens: output },
  },
})

/** A request for a WebSocket, as it goes over the wire. */
export const handshake = (path: string, key: string): string =>
  [
    `GET ${path} HTTP/1.1`,
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    `Authorization: Bearer ${key}`,
    '\r\n',
  ].join('\r\n')

/** The backend's side of the session that was opened last, or will be first. */
export const joinedBy = (backend: SocketBackend): Promise<HeldSocket> =>
  backend.socket(Math.max(0, backend.sockets.length - 1))
