import { type Backend, type Behaviour, json, startBackend, status } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { post } from '../passthrough/fixture.ts'
import { fine } from './fixture.ts'

export const error = (message: string, code: string | null = null, type = 'invalid_request_error') => ({
  error: { message, type, code },
})

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const vector = Array.from({ length: 768 }, (_, i) => i / 64)
const embeddings = json({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: vector }],
  usage: { prompt_tokens: 1, total_tokens: 1 },
})
const picture = json({
  created: 1,
  data: [{ b64_json: PNG }],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
})

/** The answer of a validating server to a request without content. */
export const incomplete = status(400, error('content is required', 'missing_required_parameter'))

/** An endpoint, the model behind it, what goes to it, and how a backend serves it that takes nothing ill. */
export const kinds: readonly (readonly [string, string, (text: string) => object, Behaviour])[] = [
  ['/v1/chat/completions', 'svc-core', text => ({ messages: [{ role: 'user', content: text }] }), fine],
  ['/v1/embeddings', 'svc-embed', text => ({ model: 'svc-embed', input: text }), embeddings],
  ['/v1/images/generations', 'svc-image', text => ({ model: 'svc-image', prompt: text }), picture],
  ['/v1/audio/speech', 'svc-voice', text => ({ input: text }), fine],
]
/** Those whose pools are asked for their models, and then for nothing. */
export const listed = kinds.slice(2)

export const route = (path: string, fields: string) =>
  `  - { path: ${path}, methods: [POST], ${fields}, meter: { usd_per_call: 0.01 } }`
const ROUTES = [route('/v1/audio/speech', 'model: svc-voice')]
const routesYaml = (routes: readonly string[]) => `
models:
  svc-voice: { kind: passthrough, tier: standard, serve: [onprem] }
passthrough:
${routes.join('\n')}
`

/** A gateway of two replicas and a cloud, between which some models fail over; the others go to the cloud alone. */
export async function open(served: Behaviour, models: readonly string[], routes = ROUTES) {
  const onprem = [await startBackend(), await startBackend()] as const
  const cloud = await startBackend()
  for (const backend of [...onprem, cloud]) backend.always(served)
  const paired = (yaml: string) =>
    yaml.replaceAll(/(svc-[\w-]+):( \{|\n)([\s\S]*?)serve: \[[^\]]*\]/g, (_, model, opens, fields) => {
      return `${model}:${opens}${fields}serve: [${models.includes(model) ? 'onprem, cloud' : 'cloud'}]`
    })
  const test = await startTestGateway({
    onprem,
    cloud: [cloud],
    yaml: 'include: [passthrough.yaml]\n',
    files: { 'passthrough.yaml': paired(routesYaml(routes)) },
  })
  await test.reload({}, paired)
  const send = (path: string, key: string, body: object) =>
    post(
      test,
      path,
      body instanceof FormData ? { key, body } : { key, type: 'application/json', body: JSON.stringify(body) },
    )
  return { onprem, cloud, test, send, paired, ada: await test.key('pro'), eve: await test.key('pro', 'eve') }
}

export type Site = Awaited<ReturnType<typeof open>>
export const close = async ({ test, onprem, cloud }: Site) => {
  await test.close()
  await Promise.all([...onprem, cloud].map((backend: Backend) => backend.close()))
}
export const states = ({ test, onprem }: { test: TestGateway; onprem: readonly Backend[] }) => {
  const { pools } = test.gateway.app
  return onprem.map(({ url }) => pools.of('onprem').replica(url).breaker.state(test.clock.now()))
}
