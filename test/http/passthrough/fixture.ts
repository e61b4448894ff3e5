import type { Backend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway, type TestPools } from '../../support/gateway.ts'

/** Routes of every meter and form of body; svc-voice is for `pro` alone, svc-rank for every plan. */
const ROUTES = `
models:
  svc-voice: { kind: passthrough, tier: standard, serve: [SERVE] }
  svc-rank: { kind: passthrough, tier: guest, serve: [SERVE], usd_per_1m: { input: 2, output: 10 } }
aliases: { svc-voice-latest: svc-voice }
passthrough:
  - { path: /v1/audio/speech, methods: [POST], model: svc-voice, meter: { usd_per_call: 0.01 } }
  - path: /v1/audio/transcriptions
    methods: [POST]
    model: svc-voice
    accepts: [multipart, binary]
    max_body: 60MB
    meter: { usd_per_call: 0.02 }
  - path: /v1/audio/convert
    methods: [POST]
    model: svc-voice
    accepts: [json, binary, multipart]
    meter: { usd_per_mb: 0.5, max_mb: 4 }
  - path: /v1/audio/sing
    methods: [POST]
    model: svc-voice
    accepts: [json, binary]
    meter: { usd_per_second: 0.001, max_seconds: 20 }
  - { path: /v1/audio/voices, methods: [GET], model: svc-voice, meter: { usd_per_call: 0 } }
  - { path: /v1/rerank, methods: [POST], model: svc-rank, meter: { usage: { max_input: 2k, max_output: 100 } } }
  - { path: /v1/moderations, methods: [POST], model: svc-rank, meter: { usd_per_call: 0.001 } }
`

/** A gateway that passes these through. With two pools, a JSON body may reach the second. */
export const startPassing = ({ cloud, yaml = '', ...pools }: TestPools): Promise<TestGateway> =>
  startTestGateway({
    ...pools,
    ...(cloud && { cloud }),
    yaml: `include: [passthrough.yaml]\n${yaml}`,
    files: { 'passthrough.yaml': ROUTES.replaceAll('SERVE', cloud ? 'onprem, cloud' : 'onprem') },
  })

/** A request of a test. */
export interface Sent {
  readonly key: string
  readonly body?: string | Uint8Array | ReadableStream<Uint8Array> | FormData
  readonly type?: string
  readonly method?: string
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

export function post({ url }: Pick<TestGateway, 'url'>, path: string, sent: Sent): Promise<Response> {
  const { key, body, type, method = 'POST', signal, headers } = sent
  return fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(type !== undefined && { 'content-type': type }), ...headers },
    ...(body !== undefined && { body }),
    ...(body instanceof ReadableStream && { duplex: 'half' }),
    ...(signal && { signal }),
  } as RequestInit)
}

/** A JSON body. */
export const say = (test: Pick<TestGateway, 'url'>, path: string, key: string, body: object = { input: 'Hello' }) =>
  post(test, path, { key, type: 'application/json', body: JSON.stringify(body) })

/** The examined parts of a backend's requests. */
export const seenBy = ({ requests }: Backend) =>
  requests.map(({ method, path, body, headers }) => ({ method, path, body, auth: headers.authorization }))
