import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exposition, Metrics, processMetrics } from '../../src/adapters/metrics/metrics.ts'
import { load } from '../../src/config/load.ts'
import { isWellFormed, keyOf, maskOf, newAccountId, newKey, newRequestId } from '../../src/gateway/accounts/keys.ts'
import { Pools } from '../../src/gateway/pools/pools.ts'
import { VitalsMetrics } from '../../src/server/workers/vitals.ts'
import { blocksOf, PAGES } from '../docs/page.ts'
import { codesIn } from '../docs/tables.ts'
import { VirtualClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { ROOT, textOf } from './files.ts'

/** The names of all metrics that a gateway exposes, and of the buckets of its histograms. */
async function metricNames(): Promise<ReadonlySet<string>> {
  const result = load('config.example.yaml', { CLOUD_KEY: 'x' }, ROOT)
  if (!result.ok) throw new Error('the example is not valid')
  const { config, settings } = result.loaded
  const metrics = new Metrics()
  const current = () => ({ config, settings, loadedAt: 0 })
  metrics.watch({
    clock: new VirtualClock(0),
    pools: new Pools(() => {}),
    current,
    dropped: () => ({ decisions: 0, log: 0 }),
    underWay: () => 0,
  })
  metrics.watchGateway({
    current,
    reloads: { ok: 0, failed: 0 },
    fleet: { members: [] },
    storeHealth: { isWritable: async () => true },
    keptTotal: { read: async () => 0 },
    canaries: { recordOf: () => undefined },
    keptBytes: () => 0,
    archiving: () => undefined,
  })
  const { text: own } = await exposition(metrics.registries(processMetrics()))
  const text = `${own}\n${await new VitalsMetrics().registry.metrics()}`
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  return new Set(types.flatMap(([, name = '', type]) => (type === 'histogram' ? [name, `${name}_bucket`] : [name])))
}

/** Names that are no metrics: tables of the archive, a tool of the demo. */
const OTHER_NAMES = new Set(['svc_ledger', 'svc_ledger_schema', 'svc_current_time'])

it('every metric that a page names is one that a gateway exposes', async () => {
  const known = await metricNames()
  const named = PAGES.flatMap(page => {
    const code = [...blocksOf(page).map(({ text }) => text), ...codesIn(textOf(page))].join('\n')
    // `svc_7Hq2…` is a key, `svc_worker_…` stands for all metrics that begin so.
    const names = [...code.matchAll(/\bsvc_[a-z][a-z0-9_]*\b(?!…)/g)].map(([name]) => name)
    return names.filter(name => !OTHER_NAMES.has(name)).map(name => ({ page, name }))
  })
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter(({ name }) => !known.has(name))).toEqual([])
})

const yamlOf = (page: string): readonly string[] =>
  blocksOf(page).flatMap(({ language, text }) => (language === 'yaml' ? [text] : []))

/** The folder of a configuration, until the test ends. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder('documents')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** A gateway's report on config.yaml in the folder: its problems or, if it loads, its warnings. */
function findingsIn(folder: string, env: NodeJS.ProcessEnv): readonly object[] {
  const result = load('config.yaml', env, folder)
  return result.ok ? result.loaded.warnings : result.problems
}

it('the policy in README.md loads without a warning', () => {
  const [yaml = ''] = yamlOf('README.md').filter(text => text.startsWith('version: 1'))
  expect(findingsIn(folderWith({ 'config.yaml': yaml }), { CLOUD_KEY: 'x' })).toEqual([])
})

it.each(yamlOf('docs/dialects.md'))('the pools in docs/dialects.md load without a warning: %#', yaml => {
  const [, first] = /^models:\n {2}([\w-]+):/.exec(yaml) ?? []
  const plans = 'plans: { all: { models: all, rpm: 10, tpm: 2M, monthly_usd: 10 } }'
  const folder = folderWith({
    'config.yaml': `version: 1\n${plans}\ndefault_model: ${first}\n${yaml}`,
    'vertex-token': 'ya29.x',
  })
  const variables = [...yaml.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'x'])

  expect(findingsIn(folder, Object.fromEntries(variables))).toEqual([])
})

it('the pass-through routes in docs/pass-through.md load together without a warning', () => {
  const shown = yamlOf('docs/pass-through.md')
  const pools = [...new Set(shown.flatMap(yaml => /serve: \[([\w-]+)\]/.exec(yaml)?.[1] ?? []))]
  const parts = Object.fromEntries(shown.map((yaml, index) => [`${index}.yaml`, yaml]))
  const config = [
    'version: 1',
    `include: [${Object.keys(parts).join(', ')}]`,
    'plans: { all: { models: all, rpm: 10, tpm: 2M, monthly_usd: 10 } }',
    'default_model: chat',
    'models: { chat: { kind: chat, tier: t, serve: [voice], context: 8k, usd_per_1m: { input: 1, output: 1 } } }',
    `pools: { ${pools.map(pool => `${pool}: { site: s, model: m, replicas: ["http://127.0.0.1:1/v1"] }`).join(', ')} }`,
  ]

  expect(shown.length).toBeGreaterThan(1)
  expect(findingsIn(folderWith({ ...parts, 'config.yaml': config.join('\n') }), {})).toEqual([])
})

const [pattern] = blocksOf('SECURITY.md').filter(({ language }) => language === 'regex')
const scanner = new RegExp(pattern?.text ?? 'none', 'g')
const found = (text: string) => text.match(scanner)

it('the pattern for secret scanners in SECURITY.md finds every minted key, whatever surrounds it', () => {
  for (let turn = 0; turn < 200; turn++) {
    for (const key of [newKey('svc', randomBytes), keyOf('svc', randomBytes(32))]) {
      expect(isWellFormed('svc', key)).toBe(true)
      for (const text of [key, `"${key}"`, `Bearer ${key}\n`, `KEY=${key};`]) expect(found(text)).toEqual([key])
    }
  }
})

it('the pattern for secret scanners in SECURITY.md matches no masked key, id, token or metric', async () => {
  const jwt = `eyJhbGciOiJSUzI1NiJ9.${randomBytes(60).toString('base64url')}.${randomBytes(256).toString('base64url')}`
  const others = [
    maskOf(newKey('svc', randomBytes)),
    newAccountId(randomBytes),
    newRequestId(1_795_000_000_000, randomBytes),
    `dev_${randomBytes(20).toString('hex')}`,
    randomBytes(24).toString('base64url'),
    jwt,
    ...(await metricNames()),
  ]
  expect(others.filter(found)).toEqual([])
})
