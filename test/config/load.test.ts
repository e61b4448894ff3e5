// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of YAML.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { load } from '../../src/config/load.ts'
import type { Settings } from '../../src/config/settings.ts'
import { type Config, placeOf } from '../../src/policy/config.ts'
import { limitsOf } from '../../src/policy/limits/named-rules.ts'
import { found, kinds, loadFiles, loadGood, problemsOf, small } from './files.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

function example() {
  const result = load('config.example.yaml', { CLOUD_KEY: 'sk-live' }, root)
  if (!result.ok) throw new Error(inspect(result.problems))
  return result.loaded
}

test('the configuration of this repository loads without a word', () => {
  const { warnings, files } = example()

  expect(warnings).toEqual([])
  expect(files).toEqual([
    'config.example.yaml',
    ...['embeddings', 'images', 'models', 'plans', 'pools', 'routing', 'tools'].map(name => `policies/${name}.yaml`),
  ])
})

test('the configuration of this repository needs CLOUD_KEY and says so', () => {
  const result = load('config.example.yaml', {}, root)

  expect(problemsOf(result).map(({ rule, message }) => `${rule} ${message}`)).toEqual([
    'missing-env CLOUD_KEY is not set',
    'missing-env CLOUD_KEY is not set',
  ])
})

test('names are linked to the very objects they name', () => {
  const { plans, models, pools, aliases, defaultModel } = example().config

  const core = models.get('svc-core')
  expect(aliases.get('svc-auto')?.model).toBe(core)
  expect(defaultModel).toBe(aliases.get('svc-auto'))
  expect(core?.serve).toEqual([pools.get('onprem-core'), pools.get('cloud-core')])
  expect(core?.serve[0]).toBe(pools.get('onprem-core'))
  expect([...(plans.get('free')?.models.keys() ?? [])]).toEqual(['svc-embed-fast', 'svc-core', 'svc-embed'])
})

test('numbers people say become exact integers', () => {
  const { plans, models } = example().config

  expect(plans.get('team')).toMatchObject({
    limits: limitsOf({ rpm: 600, tpm: 2_000_000 }),
    monthlyNanoUsd: 200e9,
    overage: { capNanoUsd: 100e9 },
  })
  expect(plans.get('guest-device')).toMatchObject({
    limits: limitsOf({ rpm: 10, tpm: 10_000, per_day: 7200 }),
    monthlyNanoUsd: 500_000_000,
    overage: false,
  })
  expect(models.get('svc-core')).toMatchObject({
    context: 32_000,
    maxOutput: 4000,
    price: { input: 100_000, output: 400_000 },
  })
  expect(models.get('svc-ultra-pro')).toMatchObject({ thinking: { default: true, minMaxTokens: 2000 } })
})

test('placeOf points to the line of a field, or to the thing where the field was left out', () => {
  const plan = loadGood(small.replace('{ models: all, rpm', '\n    {\n      models: all,\n      rpm')).config.plans.get(
    'free',
  )
  if (!plan) throw new Error('no plan')

  expect(placeOf(plan, 'rpm')).toEqual({ file: 'config.yaml', line: 6, column: 7 })
  expect(placeOf(plan, 'per_day')).toEqual({ file: 'config.yaml', line: 3, column: 3 })
})

test('an inclusion tells which entry of the plan it comes from', () => {
  const { plans } = loadGood(small.replace('models: all', 'models: [tier:guest]')).config

  expect(plans.get('free')?.models.get('small')).toEqual({
    by: 'tier:guest',
    at: { file: 'config.yaml', line: 3, column: 20 },
  })
})

test('a model that a plan names itself is included by its name, not by its tier', () => {
  const { plans } = loadGood(small.replace('models: all', 'models: [tier:guest, small]')).config

  expect(plans.get('free')?.models.get('small')?.by).toBe('small')
})

test('a pool overrides the timeouts of failover one by one', () => {
  const failover = 'failover: { connect_timeout: 2s, eject: { after: 9 } }\n'
  const { backends } = loadGood(
    failover + small.replace('{ site', '{ idle_timeout: 1.5s, eject: { for: 1m }, site'),
  ).settings

  expect(backends.get('near')).toEqual({
    connectTimeout: 2000,
    headersTimeout: 15_000,
    firstContentTimeout: 30_000,
    idleTimeout: 1500,
    streamTimeout: 600_000,
    answerTimeout: 600_000,
    eject: { after: 9, for: 60_000 },
    waitForRetryAfter: 2000,
    spill: {},
    queueTimeout: 500,
  })
})

test("a pool's settings for probes, waits, room and cost override failover one by one", () => {
  const failover = 'failover: { wait_for_retry_after: 2s, probe: { path: /up, every: 1m } }\n'
  const own =
    'context: 8k, max_concurrent: 5, queue_timeout: 2s, max_usd_per_hour: 1.5, cost_usd_per_1m: { input: 0.10 }'
  const { backends } = loadGood(
    failover +
      small
        .replace('  near:', '  far: { site: cloud, replicas: [http://10.0.0.12:8000/v1], model: m }\n  near:')
        .replace('{ site: on-premises', `{ wait_for_retry_after: 10s, probe: { every: 5s }, ${own}, site: on-premises`)
        .replace('serve: [near]', 'serve: [near, far]'),
  ).settings

  expect(backends.get('near')).toMatchObject({
    waitForRetryAfter: 10_000,
    probe: { path: '/up', every: 5000 },
    context: 8000,
    maxConcurrent: 5,
    queueTimeout: 2000,
    cost: { input: 100_000, output: 0 },
    maxNanoUsdPerHour: 1_500_000_000,
  })
  expect(backends.get('far')).toMatchObject({
    waitForRetryAfter: 2000,
    probe: { path: '/up', every: 60_000 },
    queueTimeout: 500,
  })
  for (const absent of ['context', 'maxConcurrent', 'cost', 'maxNanoUsdPerHour'])
    expect(backends.get('far')).not.toHaveProperty(absent)
})

test.each([
  ['true', { path: '/health', every: 10_000 }],
  ['false', undefined],
  ['{ path: "/ping?x=1" }', { path: '/ping?x=1', every: 10_000 }],
])('`probe: %s` of a pool holds whatever failover says', (written, probe) => {
  const failover = `failover: { probe: ${written === 'false'} }\n`
  const { backends } = loadGood(failover + small.replace('{ site', `{ probe: ${written}, site`)).settings

  expect(backends.get('near')?.probe).toEqual(probe)
})

test('an answer is committed as its model and its plan say, with its first content by default', () => {
  const { models, plans } = loadGood(
    small
      .replace('context: 32k', 'commit: complete, context: 32k')
      .replace('{ models: all', '{ commit: first_content, models: all'),
  ).config

  expect(models.get('small')).toMatchObject({ commit: 'complete' })
  expect(plans.get('free')).toMatchObject({ commit: 'first_content' })
  expect(loadGood(small).config.models.get('small')).toMatchObject({ commit: 'first_content' })
  expect(loadGood(small).config.plans.get('free')).not.toHaveProperty('commit')
})

test('a trailing slash of a replica is not kept', () => {
  expect(loadGood(small.replace(':8000/v1]', ':8000/v1/]')).config.pools.get('near')?.replicas).toEqual([
    'http://10.0.0.11:8000/v1',
  ])
})

test('the public address and the links follow from what is given', () => {
  const url = 'public_url: https://api.example.com/'
  const console = 'console_url: https://example.com/console'
  const { server, errors } = loadGood(`server: { ${url} }\n${small}`).settings

  expect(server.publicUrl).toBe('https://api.example.com')
  expect(errors).toEqual({ form: 'auto', backendWords: false, docs: 'https://api.example.com/docs/errors' })
  expect(loadGood(`server: { ${url}, ${console} }\n${small}`).settings.errors).toEqual({
    form: 'auto',
    backendWords: false,
    docs: 'https://api.example.com/docs/errors',
    topup: 'https://example.com/console/billing',
  })
  expect(loadGood(`server: { listen: 0.0.0.0:81 }\n${small}`).settings.server.publicUrl).toBe('http://localhost:81')
})

test('aliases of YAML are followed, and their fields keep their places', () => {
  const config = small.replace(
    'default_model',
    '  large:\n    serve: &serve [near]\n    context: &c 64k\n    kind: chat\n    tier: t\n    usd_per_1m: { input: 1, output: 1 }\n  huge:\n    serve: *serve\n    context: *c\n    kind: chat\n    tier: t\n    usd_per_1m: { input: 1, output: 1 }\ndefault_model',
  )
  const huge = loadGood(config).config.models.get('huge')

  expect(huge).toMatchObject({ context: 64_000, serve: [{ name: 'near' }], fields: { context: { line: 14 } } })
})

test('the revision changes with every byte, and only then', () => {
  expect(loadGood(small).config.revision).toMatch(/^[0-9a-f]{12}$/)
  expect(loadGood(small).config.revision).toBe(loadGood(small).config.revision)
  expect(loadGood(small).config.revision).not.toBe(loadGood(`${small}#`).config.revision)
})

test('several mistakes in one plan are all found at once, in the order of their lines', () => {
  const plan = '  pro:\n    models: [tier:guest, smal]\n    rpm: 20\n    tpm: 40_000\n    monthly_used: 1\n  free:'
  const result = loadFiles({ 'config.yaml': `brand: \${BRAND}\n${small.replace('  free:', plan)}` })

  expect(found(result)).toEqual([
    'config.yaml:1:8 missing-env',
    'config.yaml:5:26 unknown-model',
    'config.yaml:7:10 not-a-number',
    'config.yaml:8:5 unknown-field',
  ])
})

test('a mistake in one model does not hide what is hardly meant in another', () => {
  const models =
    '  odd: { kind: chat, tier: t, serve: [near], context: 2k, usd_per_1m: { input: 1, output: 1 } }\n  worse: { kind: talk }\ndefault'
  const result = loadFiles({ 'config.yaml': small.replace('default', models) })

  expect(found(result).map(each => each.split(' ')[1])).toEqual(
    expect.arrayContaining(['no-room-for-prompt', 'unknown-value']),
  )
})

test('a very long list of problems is cut, and says how many more there are', () => {
  const plans = Array.from({ length: 5000 }, (_, n) => `  p${n}: 1\n`).join('')
  const result = loadFiles({ 'config.yaml': small.replace('  free:', `${plans}  free:`) })

  expect(result.ok).toBe(false)
  expect(problemsOf(result).length).toBe(1001)
  expect(problemsOf(result).at(-1)).toMatchObject({ line: 1003, message: 'and 4000 more from here on' })
})

test('while anything is wrong, nothing is called unused', () => {
  const spare = '  far: { site: cloud, replicas: [http://b/v1], model: m }\n'
  const rules = (config: string) => problemsOf(loadFiles({ 'config.yaml': config })).map(({ rule }) => rule)

  expect(rules(small + spare)).toEqual(['unused-pool'])
  expect(rules(small.replace('[near]', '[nea]') + spare)).toEqual(['unknown-pool'])
})

test('a byte order mark and Windows line ends do not shift places', () => {
  const result = loadFiles({
    'config.yaml': `\ufeffbrand: X\r\n${small.replaceAll('\n', '\r\n').replace('rpm: 20', 'rpm: 0')}`,
  })

  expect(found(result)).toEqual(['config.yaml:1:8 bad-value', 'config.yaml:4:29 out-of-range'])
})

test('an unreadable file is refused by its name', () => {
  expect(found(loadFiles({}))).toEqual(['config.yaml:1:1 no-file'])
  expect(found(loadFiles({ 'config.yaml/a': '' }))).toEqual(['config.yaml:1:1 unreadable-file'])
  expect(found(loadFiles({ 'config.yaml': Buffer.from([0x61, 0xff]) }))).toEqual(['config.yaml:1:1 not-utf8'])
  expect(found(loadFiles({ 'config.yaml': `${small}#${'x'.repeat(1_000_000)}` }))).toEqual([
    'config.yaml:1:1 file-too-large',
  ])
})

test.each([
  ['lists', `a: ${'['.repeat(100_000)}`],
  ['closed lists', `a: ${'['.repeat(200)}${']'.repeat(200)}`],
  ['maps', '{a: '.repeat(5000)],
  ['dashes', `${'- '.repeat(20_000)}a`],
])('%s nested without end are a problem, not a crash', (_, config) => {
  expect(problemsOf(loadFiles({ 'config.yaml': config })).length).toBeGreaterThan(0)
})

test('a configuration of ten thousand lines loads', () => {
  const many = (line: (n: number) => string) => Array.from({ length: 500 }, (_, n) => line(n)).join('')
  const config = `version: 1
plans:
${many(n => `  p${n}:\n    models: [m${n}, tier:t${n % 7}]\n    rpm: 20\n    tpm: 40k\n    monthly_usd: 1\n`)}models:
${many(n => `  m${n}:\n    kind: chat\n    tier: t${n % 7}\n    serve: [o${n}]\n    context: 32k\n    usd_per_1m:\n      input: 0.1\n      output: 0.4\n`)}default_model: a0
aliases:
${many(n => `  a${n}: m${n}\n`)}pools:
${many(n => `  o${n}:\n    site: here\n    replicas:\n      - http://10.0.0.1/v${n}\n    model: x\n    key: \${KEY}\n`)}`

  const { config: loaded, warnings } = loadGood(config, { KEY: 'k' })

  expect(config.split('\n').length).toBeGreaterThan(10_000)
  expect([loaded.plans.size, loaded.models.size, loaded.aliases.size, loaded.pools.size]).toEqual([500, 500, 500, 500])
  expect(loaded.plans.get('p499')?.models.get('m499')).toEqual({
    by: 'm499',
    at: { file: 'config.yaml', line: 2499, column: 14 },
  })
  expect(warnings).toEqual([])
})

test('every default in the schema is the one that holds', () => {
  const { $defs, properties } = JSON.parse(readFileSync(`${root}/schema/config.schema.json`, 'utf8'))
  const { listen, admin, state_dir, instances } = $defs.server.properties
  const timeouts = ['connect', 'headers', 'first_content', 'idle', 'stream', 'answer'].map(
    name => `  ${name}_timeout: ${$defs[`${name}_timeout`].default}\n`,
  )
  const eject = `eject: { after: ${$defs.eject.properties.after.default}, for: ${$defs.eject.properties.for.default} }`
  const { image_tokens, vision } = $defs.chat_model.properties
  // The defaults of memory depend on the machine.
  const {
    body,
    body_memory: _bodies,
    answer_memory: _answers,
    embedding_batch,
    image_sizes,
    ...listener
  } = $defs.limits.properties
  const connections = Object.entries<{ default: unknown }>(listener).map(
    ([name, field]) => `, ${name}: ${field.default}`,
  )
  const { log, max_size, files } = $defs.decisions.properties
  const { format, level } = $defs.log.properties
  const { dimensions } = $defs.embedding_model.properties
  const spelt = `brand: ${properties.brand.default}
store: ${properties.store.default}
ledger: { keep: ${$defs.ledger.properties.keep.default} }
decisions: { log: ${log.default}, max_size: ${max_size.default}, files: ${files.default} }
log: { format: ${format.default}, level: ${level.default} }
metrics: { public: ${$defs.metrics.properties.public.default}, otlp: { endpoint: http://localhost:4318, every: ${$defs.metrics_otlp.properties.every.default} } }
traces: { endpoint: http://localhost:4318, sample: ${$defs.traces.properties.sample.default} }
server: { listen: ${listen.default}, admin: ${admin.default}, state_dir: ${state_dir.default}, instances: ${instances.default} }
limits: { body: ${body.default}, embedding_batch: ${embedding_batch.default}, image_sizes: [${image_sizes.default}]${connections.join('')} }
failover:\n${timeouts.join('')}  ${eject}\n`
  // A max_output that is written lowers caps of clients, which its default does not.
  const model = `vision: ${vision.default}, context`
  const { settings, config } = loadGood(
    spelt +
      kinds
        .replace('context', model)
        .replace('context: 8k', `context: 8k, dimensions: ${dimensions.default}`)
        .replace('rpm', `overage: ${$defs.plan.properties.overage.default}, rpm`),
  )

  const silent = loadGood(kinds)
  const inside = (path: string) => path.replace(/^.*\/(?=data)/, '')
  const storeOf = ({ store }: Settings) => store.kind === 'embedded' && inside(store.path)
  expect({ ...settings.server, stateDir: inside(settings.server.stateDir) }).toEqual({
    ...silent.settings.server,
    stateDir: inside(silent.settings.server.stateDir),
  })
  expect(storeOf(settings)).toBe(storeOf(silent.settings))
  const collectors = [
    'traces: { endpoint: http://localhost:4318 }',
    'metrics: { otlp: { endpoint: http://localhost:4318 } }',
  ]
  const { traces: silentTraces, metrics: silentMetrics } = loadGood(`${kinds}${collectors.join('\n')}\n`).settings
  const logOf = ({ decisions }: Settings) => ({ ...decisions, directory: inside(decisions.directory) })
  expect(logOf(settings)).toEqual(logOf(silent.settings))
  expect(settings.traces).toEqual(silentTraces)
  expect([settings.log, settings.metrics]).toEqual([silent.settings.log, silentMetrics])
  expect([settings.brand, settings.ledger, settings.limits, settings.listener, settings.backends]).toEqual([
    silent.settings.brand,
    silent.settings.ledger,
    silent.settings.limits,
    silent.settings.listener,
    silent.settings.backends,
  ])
  const modelsOf = ({ models }: Config) =>
    [...models.values()].map(model => ({ ...model, fields: {}, at: {}, serve: [] }))
  expect(modelsOf(config)).toEqual(modelsOf(silent.config))
  expect(config.plans.get('free')?.overage).toBe(silent.config.plans.get('free')?.overage)
  expect(config.models.get('small')).toMatchObject({ imageTokens: Number(image_tokens.default.replace('k', '000')) })
})
