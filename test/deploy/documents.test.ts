import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { exposition, Metrics, processMetrics } from '../../src/adapters/metrics/metrics.ts'
import { load } from '../../src/config/load.ts'
import { isWellFormed, keyOf, maskOf, newAccountId, newKey, newRequestId } from '../../src/gateway/accounts/keys.ts'
import { Pools } from '../../src/gateway/upstream/pools.ts'
import { VitalsMetrics } from '../../src/server/workers/vitals.ts'
import { VirtualClock } from '../support/clock.ts'
import { ROOT, textOf } from './files.ts'

const operations = textOf('docs/operations.md')

/** Every metric that a gateway tells, by name. */
async function told(): Promise<ReadonlySet<string>> {
  const result = load('config.example.yaml', { CLOUD_KEY: 'x' }, ROOT)
  if (!result.ok) throw new Error('the example is not valid')
  const { config } = result.loaded
  const metrics = new Metrics()
  metrics.watch({
    clock: new VirtualClock(0),
    pools: new Pools(() => {}),
    current: () => ({ config, loadedAt: 0 }),
    reloads: { ok: 0, failed: 0 },
    dropped: () => ({ decisions: 0, log: 0 }),
    underWay: () => 0,
    fleet: { members: [] },
    storeHealth: { isWritable: async () => true },
    archiving: () => undefined,
  })
  const { text: own } = await exposition(metrics.registries(processMetrics()))
  const text = `${own}\n${await new VitalsMetrics().registry.metrics()}`
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  return new Set(types.flatMap(([, name = '', type]) => (type === 'histogram' ? [name, `${name}_bucket`] : [name])))
}

it('every metric that docs/operations.md names is one that a gateway tells', async () => {
  const known = await told()
  const named = [...operations.matchAll(/\bsvc_[a-z0-9_]+\b/g)].map(([name]) => name)
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter(name => !known.has(name))).toEqual([])
})

it('the policy that README.md shows is valid, without a warning', () => {
  const yaml = /```yaml\n(version: 1[\s\S]*?)```/.exec(textOf('README.md'))?.[1] ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'readme-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'config.yaml'), yaml)
  const result = load('config.yaml', { CLOUD_KEY: 'x' }, folder)
  expect(result.ok ? result.loaded.warnings : result.problems).toEqual([])
})

it.each(Array.from(textOf('docs/dialects.md').matchAll(/```yaml\n([\s\S]*?)```/g), ([, yaml = '']) => yaml))(
  'the pools that docs/dialects.md shows are valid, without a warning: %#',
  yaml => {
    const folder = mkdtempSync(join(tmpdir(), 'dialects-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const [, first] = /^models:\n {2}([\w-]+):/.exec(yaml) ?? []
    const plans = 'plans: { all: { models: all, rpm: 10, tpm: 2M, monthly_usd: 10 } }'
    writeFileSync(join(folder, 'config.yaml'), `version: 1\n${plans}\ndefault_model: ${first}\n${yaml}`)
    writeFileSync(join(folder, 'vertex-token'), 'ya29.x')

    const variables = [...yaml.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'x'])
    const result = load('config.yaml', Object.fromEntries(variables), folder)

    expect(result.ok ? result.loaded.warnings : result.problems).toEqual([])
  },
)

it('the pass-through routes that docs/pass-through.md shows are valid together, without a warning', () => {
  const shown = Array.from(textOf('docs/pass-through.md').matchAll(/```yaml\n([\s\S]*?)```/g), ([, yaml = '']) => yaml)
  const pools = [...new Set(shown.flatMap(yaml => /serve: \[([\w-]+)\]/.exec(yaml)?.[1] ?? []))]
  const base = [
    'plans: { all: { models: all, rpm: 10, tpm: 2M, monthly_usd: 10 } }',
    'default_model: chat',
    'models: { chat: { kind: chat, tier: t, serve: [voice], context: 8k, usd_per_1m: { input: 1, output: 1 } } }',
    `pools: { ${pools.map(pool => `${pool}: { site: s, model: m, replicas: ["http://127.0.0.1:1/v1"] }`).join(', ')} }`,
  ]
  const folder = mkdtempSync(join(tmpdir(), 'pass-through-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [index, yaml] of shown.entries()) writeFileSync(join(folder, `${index}.yaml`), yaml)
  const included = `include: [${shown.map((_, index) => `${index}.yaml`).join(', ')}]`
  writeFileSync(join(folder, 'config.yaml'), ['version: 1', included, ...base].join('\n'))

  const result = load('config.yaml', {}, folder)

  expect(shown.length).toBeGreaterThan(1)
  expect(result.ok ? result.loaded.warnings : result.problems).toEqual([])
})

const scanner = new RegExp(/```regex\n(.+)\n```/.exec(textOf('SECURITY.md'))?.[1] ?? 'none', 'g')
const found = (text: string) => text.match(scanner)

it('the pattern for secret scanners finds every key that is minted, wherever it stands', () => {
  for (let turn = 0; turn < 200; turn++) {
    for (const key of [newKey('svc', randomBytes), keyOf('svc', randomBytes(32))]) {
      expect(isWellFormed('svc', key)).toBe(true)
      for (const text of [key, `"${key}"`, `Bearer ${key}\n`, `KEY=${key};`]) expect(found(text)).toEqual([key])
    }
  }
})

it('the pattern for secret scanners finds no mask, id, token or metric', async () => {
  const jwt = `eyJhbGciOiJSUzI1NiJ9.${randomBytes(60).toString('base64url')}.${randomBytes(256).toString('base64url')}`
  const others = [
    maskOf(newKey('svc', randomBytes)),
    newAccountId(randomBytes),
    newRequestId(1_795_000_000_000, randomBytes),
    `dev_${randomBytes(20).toString('hex')}`,
    randomBytes(24).toString('base64url'),
    jwt,
    ...(await told()),
  ]
  expect(others.filter(found)).toEqual([])
})
