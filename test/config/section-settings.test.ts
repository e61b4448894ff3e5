import { describe, expect, it, test } from 'vitest'
import { shownSettings } from '../../src/cli/show/shown-settings.ts'
import { compareSettings } from '../../src/config/diff/settings.ts'
import { durationText, readUnit, type Unit } from '../../src/config/model/units.ts'
import { valueAt } from '../../src/config/model/value-at.ts'
import {
  defaultAt,
  type Part,
  SECTION_SETTINGS,
  type SectionSetting,
  settlePart,
  unitAt,
} from '../../src/config/section-settings.ts'
import type { Loaded } from '../../src/config/settings.ts'
import { loadGood, small } from './files.ts'

const ROWS = Object.entries(SECTION_SETTINGS).flatMap(([part, rows]) =>
  Object.entries<SectionSetting>(rows).map(([name, row]) => ({ part: part as Part, name, row })),
)

/** The other settings that a setting needs, by its section. */
const BESIDE: Readonly<Record<string, Record<string, unknown>>> = {
  redis: { store: 'redis://127.0.0.1:6379' },
  server: { store: 'redis://127.0.0.1:6379' },
  metrics: { metrics: { otlp: { endpoint: 'http://collector:4318' } } },
  traces: { traces: { endpoint: 'http://collector:4318' } },
  identity: { identity: { issuer: 'https://id.example.com', default_plan: 'free' } },
  guests: { guests: { plan: 'free', usd_per_day_total: 2 } },
  responses: { responses: { keep: '30d', key: `\${RESPONSES_KEY}` } },
}
/** Sections that `show` leaves out. */
const HIDDEN: ReadonlySet<string> = new Set(['decisions', 'log', 'metrics', 'traces'])
const KEY = Buffer.alloc(32, 7).toString('base64')

/** A value of each unit that is no default. */
const NUMBERS: Readonly<Record<Unit['kind'], string | number>> = {
  ...{ count: 7, duration: '7s', size: '7KB', usd: 7, price: 7, share: 0.7, percent: '7%', factor: '7x' },
}
const PLANNED: Readonly<Record<Unit['kind'], string>> = {
  ...{ count: '7', duration: '7s', size: '7KB', usd: '7.00', price: '7.00', share: '0.7', percent: '7%', factor: '7x' },
}
/** Where that is out of range, or no number is meant: as the files and `plan` write it. A new word or text needs its other value here. */
const OTHERS: Readonly<Record<string, string | number | boolean>> = {
  'limits.request_timeout': '61s',
  'limits.body_memory': '700MB',
  'limits.answer_memory': '700MB',
  'ledger.keep': '7d',
  'decisions.max_size': '7MB',
  'responses.keep': '7d',
  'responses.max_bytes_per_account': '70MB',
  'responses.max_bytes_total': '700MB',
  'log.format': 'json',
  'log.level': 'warn',
  'errors.form': 'spec',
  'billing.round': 'cent',
  'server.contact': 'mailto:help@example.com',
  'identity.issuer': 'https://other.example.com',
  'identity.plan_claim': 'tier',
  'identity.label_claim': 'email',
  'identity.account_claim': 'oid',
  'identity.client_id': 'other',
  'identity.console_client_id': 'console',
}

function otherValue({ path }: SectionSetting): string | number | boolean {
  const other = OTHERS[path]
  if (other !== undefined) return other
  const [unit, otherwise] = [unitAt(path), defaultAt(path)]
  if (unit !== undefined) return NUMBERS[unit]
  if (typeof otherwise === 'boolean') return !otherwise
  throw new Error(`${path} has no other value in this table`)
}

/** The files with a setting as it is given; with none, it is silent about it. */
function loadWith({ path }: SectionSetting, value?: string | number | boolean): Loaded {
  const [section = '', ...names] = path.split('.')
  const file: Record<string, unknown> = structuredClone(BESIDE[section] ?? {})
  const last = names.pop() ?? ''
  const parent = [section, ...names].reduce<Record<string, unknown>>((within, name) => {
    within[name] ??= {}
    return within[name] as Record<string, unknown>
  }, file)
  if (value !== undefined) parent[last] = value
  const yaml = Object.entries(file).map(([name, each]) => `${name}: ${JSON.stringify(each)}\n`)
  return loadGood(small + yaml.join(''), { RESPONSES_KEY: KEY })
}

const partIn = ({ settings }: Loaded, part: Part): object => {
  if (part === 'collector') return settings.metrics.otlp ?? {}
  return (part === 'redis' ? settings.store : settings[part]) ?? {}
}

const meant = ({ path }: SectionSetting, written: unknown) => {
  const kind = unitAt(path)
  return kind === undefined
    ? written
    : readUnit({ kind, min: 0, max: Number.MAX_SAFE_INTEGER }, written as string | number)
}

const sideOf = (loaded: Loaded) => ({ loaded, directory: '/' })
const changesOf = (before: Loaded, after: Loaded) =>
  compareSettings({ before: sideOf(before), after: sideOf(after), isUnknown: () => false })

/** A value as the files would write it, in the largest unit that says it whole. */
function written(row: SectionSetting, value: unknown): unknown {
  return unitAt(row.path) === 'duration' && value !== undefined ? durationText(Number(meant(row, value))) : value
}

const EFFECTS = {
  nothing: ['plumbing'],
  'high is more': ['more', 'less'],
  'on is more': ['more', 'less'],
  other: ['other'],
  lost: ['lost'],
} as const satisfies Record<SectionSetting['change'], readonly string[]>

describe.each(ROWS)('the setting $row.path', ({ part, name, row }) => {
  const other = otherValue(row)
  const silent = () => loadWith(row)
  const own = () => loadWith(row, other)

  it('holds as the files write it', () => {
    expect(valueAt(partIn(own(), part), name)).toBe(meant(row, other))
  })

  it('is the default of the schema where the files are silent', () => {
    const otherwise = defaultAt(row.path)
    if (otherwise === undefined) return
    expect(valueAt(partIn(silent(), part), name)).toBe(meant(row, otherwise))
  })

  it('is shown at its path as the files would write it, in the sections that are shown', () => {
    const { settings, config } = own()
    const isHidden = HIDDEN.has(row.path.split('.')[0] ?? '')
    expect(valueAt(shownSettings(settings, config), row.path)).toBe(isHidden ? undefined : written(row, other))
  })

  it('is planned with its old and new value, and what clients feel of the change', () => {
    const unit = unitAt(row.path)
    const after = own()
    const change = changesOf(silent(), after).find(({ field }) => field === row.path)

    expect(change?.text).toContain(` → ${unit === undefined ? other : (OTHERS[row.path] ?? PLANNED[unit])}`)
    expect(EFFECTS[row.change]).toContain(change?.effect)
    expect(changesOf(after, after)).toEqual([])
  })
})

test('a part has the settings of its rows and no others', () => {
  const { settings } = loadGood(small)

  for (const part of ['log', 'limits', 'listener'] as const)
    expect(Object.keys(settings[part])).toEqual(Object.keys(settlePart(part, { version: 1 })))
})
