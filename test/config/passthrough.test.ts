import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { shownConfig } from '../../src/cli/show/run.ts'
import { docsOf } from '../../src/config/docs/doc.ts'
import { isOwnPath } from '../../src/config/lint/passthrough.ts'
import { publicEndpoints } from '../../src/http/public/public.ts'
import { sideOf } from './diff/edited.ts'
import { uncommented } from './diff/uncommented.ts'
import { loadFiles, loadGood, problemsOf } from './files.ts'

const base = `version: 1
plans: { free: { models: all, rpm: 20, tpm: 40k, monthly_usd: 100 } }
models:
  small: { kind: chat, tier: guest, serve: [near], context: 32k, usd_per_1m: { input: 1, output: 1 } }
  voice: { kind: passthrough, tier: guest, serve: [near], usd_per_1m: { input: 2 } }
default_model: small
pools: { near: { site: here, replicas: ["http://10.0.0.1/v1"], model: m } }
`
const route = (fields: string) => `${base}passthrough:\n  - { model: voice, methods: [POST], ${fields} }\n${USAGE}`
/** The price of tokens must be of use. */
const USAGE = '  - { path: /v1/rank, model: voice, methods: [POST], meter: { usage: { max_input: 1k } } }\n'
const linked = (fields: string) => loadGood(route(fields)).config.passthrough.get('/v1/say')

test('a route is JSON alone, and bounded by the body of the limits, unless it says otherwise', () => {
  expect(linked('path: /v1/say, meter: { usd_per_call: 0.5 }')).toMatchObject({
    name: '/v1/say',
    methods: ['POST'],
    accepts: ['json'],
    maxBody: 32_000_000,
    meter: { by: 'call', price: 500_000_000 },
  })
  const limited = `limits: { body: 2MB }\n${route('path: /v1/say, meter: { usd_per_call: 0 }')}`
  expect(loadGood(limited).config.passthrough.get('/v1/say')?.maxBody).toBe(2_000_000)
})

test.each<[string, object]>([
  ['usd_per_second: 0.0001, max_seconds: 2k', { by: 'second', price: 100_000, max: 2000 }],
  ['usd_per_mb: 5, max_mb: 10', { by: 'mb', price: 5_000_000_000, max: 10 }],
  ['usage: { max_input: 2k }', { by: 'usage', input: 2000, output: 0 }],
  ['usage: { max_input: 2k, max_output: 10 }', { by: 'usage', input: 2000, output: 10 }],
])('a meter of { %s } is what it says', (written, meter) => {
  expect(linked(`path: /v1/say, meter: { ${written} }`)?.meter).toEqual(meter)
})

test('a WebSocket has bounds, which the files may change', () => {
  const live = (fields: string) =>
    loadGood(
      `${base}passthrough:\n  - { path: /v1/live, model: voice, methods: [GET], upgrade: websocket, meter: { usd_per_call: 1 }${fields} }\n${USAGE}`,
    ).config.passthrough.get('/v1/live')?.upgrade

  expect(live('')).toEqual({ maxSession: 3_600_000, idleTimeout: 300_000, maxMessage: 1_000_000 })
  expect(live(', max_session: 10m, idle_timeout: 30s, max_message: 64KB')).toEqual({
    maxSession: 600_000,
    idleTimeout: 30_000,
    maxMessage: 64_000,
  })
})

test('routes may stand in several files, each path in one', () => {
  const other = 'passthrough: [{ path: /v1/PATH, methods: [POST], model: voice, meter: { usd_per_call: 1 } }]\n'
  const files = (path: string) => ({
    'config.yaml': `include: [more.yaml]\n${route('path: /v1/say, meter: { usd_per_call: 1 }')}`,
    'more.yaml': other.replace('PATH', path),
  })
  const both = loadFiles(files('sing'))

  expect(both.ok && [...both.loaded.config.passthrough.keys()]).toEqual(['/v1/say', '/v1/rank', '/v1/sing'])
  expect(loadFiles(files('say'))).toMatchObject({
    ok: false,
    problems: [{ rule: 'duplicate-key', file: 'more.yaml', hint: expect.stringContaining('config.yaml') }],
  })
})

test('the paths that the gateway keeps for itself are those it serves', () => {
  const own = publicEndpoints.map(({ path }) => path).filter(path => path.startsWith('/v1/'))

  for (const path of own) expect(isOwnPath(path), path).toBe(true)
  expect(isOwnPath('/v1/models/any')).toBe(true)
  for (const path of ['/v1/audio/speech', '/v1/models/a/b', '/v1/keys', '/v1/chat', '/v1/embedding'])
    expect(isOwnPath(path), path).toBe(false)
})

test('the output of `svcctl show` is a file with the same meaning', () => {
  const { loaded } = sideOf(uncommented())
  const shown = shownConfig(loaded)

  const again = loadFiles(
    {
      'config.yaml': JSON.stringify({ ...shown, store: 'embedded:./data' }).replace(
        /"•+"|"\[redacted\]"/g,
        `"\${CLOUD_KEY}"`,
      ),
    },
    { CLOUD_KEY: 'k' },
  )

  expect(parse(JSON.stringify(shown.passthrough))).toMatchObject([
    { path: '/v1/audio/speech', meter: { usd_per_call: 0.01 } },
    { path: '/v1/audio/transcriptions', accepts: ['multipart'], max_body: 50_000_000 },
    {
      ...{ path: '/v1/realtime', methods: ['GET'], upgrade: 'websocket', max_session: '30m', idle_timeout: '5m' },
      ...{ max_message: '1MB', meter: { usage: { max_input: 16_000, max_output: 4000 } } },
    },
    { path: '/v1/rerank', methods: ['GET', 'POST'], meter: { usage: { max_input: 8000, max_output: 0 } } },
  ])
  const strip = (config: typeof loaded.config) =>
    [...config.passthrough.values()].map(({ name, methods, accepts, maxBody, meter, model, upgrade }) => ({
      ...{ name, methods, accepts, maxBody, meter, model: model.name, upgrade },
    }))
  expect(again.ok ? strip(again.loaded.config) : again.problems).toEqual(strip(loaded.config))
})

test.each([
  'passthrough',
  'passthrough.meter',
  'passthrough.meter.usd_per_mb',
  'passthrough.accepts',
  'passthrough.upgrade',
  'passthrough.max_session',
  'models.usd_per_1m',
])('`svcctl doc %s` explains it', field => {
  const docs = docsOf(field)
  expect('unknown' in docs ? docs : docs.map(({ description }) => description.length > 20)).not.toContain(false)
  expect(docs).not.toHaveProperty('unknown')
})

test('a pool whose sessions may have tools of the provider says so, and one without sessions cannot', () => {
  const withTools = (fields: string) =>
    route(`path: /v1/live, ${fields}`)
      .replace('model: m }', 'model: m, provider_tools: [mcp] }')
      .replace('methods: [POST], path: /v1/live', 'methods: [GET], path: /v1/live')

  const live = loadGood(withTools('upgrade: websocket, meter: { usd_per_call: 1 }'))
  expect(live.config.pools.get('near')?.providerTools).toEqual(['mcp'])
  const none = loadFiles({ 'config.yaml': withTools('meter: { usd_per_call: 1 }') })
  expect(problemsOf(none).map(({ rule }) => rule)).toContain('needs-dialect')
})
