import { expect, test } from 'vitest'
import type { Side } from '../../../src/config/diff/changes.ts'
import { Secret } from '../../../src/config/settings.ts'
import { changesOf, edit, sideOf } from './edited.ts'
import { uncommented } from './uncommented.ts'

/** The files that ship, with every field written that may be left out. */
const FULL = () =>
  sideOf(
    edit(
      [
        [
          'policies/plans.yaml',
          '    rpm: 20\n',
          '    rpm: 20\n    per_day: 100\n    max_concurrent: 4\n    commit: complete\n    overage: { cap_usd: 1 }\n    limits: [{ usd: 5, per: day, of: key }]\n',
        ],
        ['policies/models.yaml', '    max_output: 16k\n', '    max_output: 16k\n    vision: true\n'],
        [
          'policies/models.yaml',
          'input: 2, output: 8 }',
          'input: 2, output: 8, cached_input: 1, cache_write: { 5m: 3, 1h: 4 } }',
        ],
        [
          'policies/pools.yaml',
          'input: 0.10, output: 0.40 }',
          'input: 0.1, output: 0.4, cached_input: 1, cache_write: { 5m: 3, 1h: 4 } }',
        ],
        [
          'policies/pools.yaml',
          '    max_concurrent: 50',
          `    context: 16k\n    auth: api-key\n    headers: { x-a: b, x-b: "\${CLOUD_KEY}" }\n    query: { v: 1.0.0 }\n    speaks: [chat, messages]\n    cap: both\n    betas: [a, b]\n    provider_tools: [a, b]\n    unknown_fields: drop\n    passes: [a, b]\n    fetches: true\n    spill: { first_token_over: 5s }\n    balance: busy\n    cost_usd_per_image: 0.01\n    probe: true\n    max_concurrent: 50`,
        ],
        [
          'policies/tools.yaml',
          '    timeout: 10s',
          `    description: What is asked\n    key: \${CLOUD_KEY}\n    timeout: 10s`,
        ],
        ['policies/tools.yaml', '    description: "Converts', `    key: \${CLOUD_KEY}\n    description: "Converts`],
        ['config.example.yaml', '  # trusted_proxies', '  trusted_proxies'],
        ['config.example.yaml', '  label_claim:', '  groups: [{ claim: groups, is: ml, plan: pro }]\n  label_claim:'],
        ['config.example.yaml', '  log: true\n', '  log: true\n  path: ./decisions\n'],
        ['config.example.yaml', `  # secret: \${GUEST_SECRET}`, `  secret: \${CLOUD_KEY}`],
        ['config.example.yaml', `  # token: \${METRICS_TOKEN}`, `  token: \${CLOUD_KEY}`],
        [
          'config.example.yaml',
          'store:',
          'labels: { project: { from: [key, header x-p], values: [a], required: [plan:pro] } }\nstore:',
        ],
        [
          'config.example.yaml',
          'store:',
          `notice_targets: { ops: { smtp: "smtps://a@b.example", password: "\${CLOUD_KEY}", from: a@b.example, to: [c@b.example] } }\nnotices: [{ at: [80%], of: [account], to: [ops] }]\nstore:`,
        ],
        ['config.example.yaml', 'store:', `responses: { keep: 24h, key: "\${CLOUD_KEY}" }\nstore:`],
        [
          'config.example.yaml',
          '# traces: #',
          `traces: { endpoint: http://localhost:4318, sample: 0.5, headers: [{ name: x-a, secret: "\${CLOUD_KEY}" }] }\n# traces: #`,
        ],
      ],
      uncommented(),
    ),
    { CLOUD_KEY: 'k'.repeat(43) },
  )

/** Another value of the same form: of a map or an object with one of its parts changed. */
function others(value: unknown): readonly unknown[] {
  if (typeof value === 'number') return [value + 1_000_000]
  if (typeof value === 'string') return [`${value}x`]
  if (typeof value === 'boolean') return [!value]
  if (value instanceof Secret) return [new Secret(`${value.reveal()}x`)]
  if (Array.isArray(value)) return [value.length > 0 ? value.slice(1) : ['x']]
  if (value instanceof Map) return [new Map([...value].slice(1))]
  if (typeof value !== 'object' || value === null) return []
  // Replaces a linked value by another one.
  if ('name' in value && 'at' in value) return [{ ...value, name: `${value.name}x` }]
  const parts = Object.entries(value).filter(([key]) => key !== 'kind')
  return parts.flatMap(([key, part]) => others(part).map(other => ({ ...value, [key]: other })))
}

/** Fields of which nothing is said: names, places, what other fields are compared for, and what follows from other plans. */
const SILENT = new Set([
  'name',
  'at',
  'fields',
  'kind',
  'revision',
  'matchers',
  'declared',
  'counts',
  'servicePlans',
  'backends',
  'tools of settings',
])

/** Every field of a thing, with configurations in which it alone is another. */
function fieldsOf(where: string, thing: object | undefined, put: (changed: object) => Side) {
  return Object.entries(thing ?? {})
    .filter(([field]) => !SILENT.has(field) && !SILENT.has(`${field} of ${where}`))
    .map(([field, value]) => ({
      field: `${field} of ${where}`,
      sides: others(value).map(other => put({ ...thing, [field]: other })),
    }))
}

/** Every field of the example, with configurations in which it alone is another. */
function changedFields(full: Side) {
  const { config, settings } = full.loaded
  const withConfig = (part: object): Side => ({ ...full, loaded: { ...full.loaded, config: { ...config, ...part } } })
  const withSettings = (part: object): Side => ({
    ...full,
    loaded: { ...full.loaded, settings: { ...settings, ...part } },
  })
  const inConfig = (section: 'plans' | 'models' | 'pools' | 'tools' | 'passthrough', name: string) =>
    fieldsOf(section, config[section].get(name), changed =>
      withConfig({ [section]: new Map<string, object>(config[section]).set(name, changed) }),
    )
  const inSettings = (section: 'backends' | 'tools', name: string) =>
    fieldsOf(`settings.${section}`, settings[section].get(name), changed =>
      withSettings({ [section]: new Map<string, object>(settings[section]).set(name, changed) }),
    )
  return [
    ...inConfig('plans', 'free'),
    ...['svc-ultra-pro', 'svc-embed', 'svc-image', 'svc-voice'].flatMap(name => inConfig('models', name)),
    ...inConfig('pools', 'cloud-core'),
    ...inConfig('tools', 'docs_search'),
    ...['/v1/audio/speech', '/v1/audio/transcriptions', '/v1/realtime', '/v1/rerank'].flatMap(path =>
      inConfig('passthrough', path),
    ),
    ...fieldsOf('routes', config.routes[1], changed => withConfig({ routes: [config.routes[0], changed] })),
    ...inSettings('backends', 'cloud-core'),
    ...['docs_search', 'convert_units', 'calculator'].flatMap(name => inSettings('tools', name)),
    ...fieldsOf('config', config, withConfig).filter(({ sides }) => sides.length > 0),
    ...fieldsOf('settings', settings, withSettings),
  ]
}

test('the change of any field of the configuration or the settings is told', () => {
  const full = FULL()
  const fields = changedFields(full)

  const untold = fields.filter(({ sides }) => sides.some(side => changesOf(full, side).length === 0))

  expect(fields.filter(({ sides }) => sides.length === 0).map(({ field }) => field)).toEqual([])
  expect(untold.map(({ field }) => field)).toEqual([])
  expect(fields.length).toBeGreaterThan(80)
})
