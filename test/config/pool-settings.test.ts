import { describe, expect, it, test } from 'vitest'
import { shownPool } from '../../src/cli/show/shown-settings.ts'
import { comparePools } from '../../src/config/diff/pools.ts'
import { configSchema } from '../../src/config/model/schema.ts'
import { durationText, readUnit, type Unit } from '../../src/config/model/units.ts'
import { defaultAt, isSetting, POOL_SETTINGS, type PoolSetting, unitAt } from '../../src/config/pool-settings.ts'
import type { Loaded } from '../../src/config/settings.ts'
import { loadGood, small } from './files.ts'

/** Each row, by the names that lead to its value in the settings of a pool. */
const ROWS: readonly { readonly names: readonly string[]; readonly row: PoolSetting }[] = Object.entries(
  POOL_SETTINGS,
).flatMap(([name, row]) =>
  isSetting(row)
    ? [{ names: [name], row }]
    : Object.entries(row).map(([part, each]) => ({ names: [name, part], row: each })),
)

/** The fields that `failover` may say for all pools. */
const OF_ALL = new Set(Object.keys(configSchema.$defs?.failover.properties))

/** A value of each unit that is no default. */
const WRITTEN: Readonly<Record<Unit['kind'], string | number>> = {
  ...{ count: 7, duration: '7s', size: '7KB', usd: 7, price: 7, share: 0.7, percent: '7%', factor: '7x' },
}
const PLANNED: Readonly<Record<Unit['kind'], string>> = {
  ...{ count: '7', duration: '7s', size: '7KB', usd: '7.00', price: '7.00', share: '0.7', percent: '7%', factor: '7x' },
}

/** `{ eject: { after: 7 } }` */
const yamlOf = (path: string, value: string | number): string =>
  path.split('.').reduceRight((inner, name) => `{ ${name}: ${inner} }`, String(value))

/** The other settings that a row needs. */
const NEEDED = { maxConcurrent: 'max_concurrent: 5, ', maxConcurrentEach: 'max_concurrent_each: 5, ' } as const
const BESIDE: { readonly [Path in PoolSetting['path']]?: string } = {
  max_usd_per_hour: 'cost_usd_per_1m: { input: 1 }, ',
  'spill.waiting_over': 'load: { from: vllm }, ',
}

function loadWith(row: PoolSetting, pool: string, failover = ''): Loaded {
  const [need] = row.needs ?? []
  const needed = `${need ? NEEDED[need] : ''}${BESIDE[row.path] ?? ''}`
  return loadGood(failover + small.replace('{ site', `{ ${needed}${pool}site`))
}

const withinBraces = (yaml: string): string => `${yaml.slice(2, -2)}, `

function settingOf({ settings }: Loaded, names: readonly string[]): unknown {
  return names.reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], settings.backends.get('near'))
}

function shownAt({ settings, config }: Loaded, path: string): unknown {
  const pool = config.pools.get('near')
  if (!pool) throw new Error('the pool is gone')
  const section = shownPool(pool, settings.backends.get('near'), true)
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], section)
}

/** The default in the largest unit that says it whole. */
function writtenDefault(row: PoolSetting): string | number | undefined {
  const otherwise = defaultAt(row.path)
  return otherwise !== undefined && unitAt(row.path) === 'duration'
    ? durationText(Number(valueIn(row, otherwise)))
    : otherwise
}

const changesOf = (before: Loaded, after: Loaded) =>
  comparePools({ before: sideOf(before), after: sideOf(after), isUnknown: () => false })
const sideOf = (loaded: Loaded) => ({ loaded, directory: '/' })

const valueIn = ({ path }: PoolSetting, written: string | number) =>
  readUnit({ kind: unitAt(path), min: 0, max: Number.MAX_SAFE_INTEGER }, written)

describe.each(ROWS)('the pool setting $row.path', ({ names, row }) => {
  const { path } = row
  const written = WRITTEN[unitAt(path)]
  const own = withinBraces(yamlOf(path, written))
  const otherwise = defaultAt(path)

  it('holds as a pool writes it, and as failover does where the pool is silent', () => {
    expect(settingOf(loadWith(row, own), names)).toBe(valueIn(row, written))
    if (!OF_ALL.has(path.split('.')[0] ?? '')) return
    expect(settingOf(loadWith(row, '', `failover: ${yamlOf(path, written)}\n`), names)).toBe(valueIn(row, written))
  })

  it('is the default of the schema where the files are silent', () => {
    expect(settingOf(loadWith(row, ''), names)).toBe(otherwise === undefined ? undefined : valueIn(row, otherwise))
  })

  it('is shown at its path as the files would write it', () => {
    expect(shownAt(loadWith(row, own), path)).toBe(written)
    expect(shownAt(loadWith(row, ''), path)).toBe(writtenDefault(row))
  })

  it('is planned with what clients feel of the change', () => {
    const [before, after] = [loadWith(row, ''), loadWith(row, own)]
    const from = String(writtenDefault(row) ?? row.absent)
    const effect = row.change === 'nothing' ? 'plumbing' : 'less'

    expect(changesOf(before, after)).toMatchObject([
      { field: path, effect, text: `pool near: ${path} ${from} → ${PLANNED[unitAt(path)]}` },
    ])
    expect(changesOf(after, after)).toEqual([])
  })
})

test('a setting that means nothing beside the others is neither shown nor planned', () => {
  const before = loadGood(small)
  const after = loadGood(`failover: { queue_timeout: 7s }\n${small}`)

  expect(settingOf(after, ['queueTimeout'])).toBe(7000)
  expect(shownAt(after, 'queue_timeout')).toBeUndefined()
  expect(changesOf(before, after)).toEqual([])
})
