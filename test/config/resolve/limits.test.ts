import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { configText } from '../../../src/cli/show/run.ts'
import { found, loadFiles, loadGood, small } from '../files.ts'

const withRows = (rows: string, plan = 'free') =>
  small.replace(`  ${plan}: {`, `  ${plan}: {\n    limits: [${rows}],\n   `)

const planOf = (config: string, plan = 'free') => {
  const found = loadGood(config).config.plans.get(plan)
  if (!found) throw new Error(`no plan ${plan}`)
  return found
}

test('each row is a limit with its place, in the unit that is counted', () => {
  const rows =
    '{ tokens: 2M, per: day, model: small }, { usd: 5, per: 30d, of: key }, { seconds: 1.5k, per: week, of: user, model: "tier:guest" }, { concurrent: 3, of: org }'

  expect(planOf(withRows(rows)).rules).toEqual([
    { rule: { measure: 'tokens', most: 2_000_000, per: 'day', model: 'small' }, at: at(14) },
    { rule: { measure: 'usd', most: 5_000_000_000, per: '30d', of: 'key' }, at: at(54) },
    { rule: { measure: 'seconds', most: 1500, per: 'week', of: 'user', model: 'tier:guest' }, at: at(85) },
    { rule: { measure: 'concurrent', most: 3, of: 'org' }, at: at(146) },
  ])
})

const at = (column: number) => ({ file: 'config.yaml', line: 4, column })

test('a row that means a named rule is that rule, at the place of the row', () => {
  const { limits, rules, fields } = planOf(withRows('{ requests: 7k, per: day }, { concurrent: 3 }'))

  expect(limits.map(({ name, most }) => [name, most])).toEqual([
    ['rpm', 20],
    ['tpm', 40_000],
    ['per_day', 7000],
    ['max_concurrent', 3],
  ])
  expect(rules).toEqual([])
  expect(fields).toMatchObject({ per_day: at(14), max_concurrent: at(42) })
})

test('a limit with another model, scope or window than a named limit applies in addition', () => {
  const rows = '{ requests: 9, per: minute, model: small }, { tokens: 9, per: minute, of: key }, { usd: 1, per: 30d }'

  expect(planOf(withRows(rows)).rules).toHaveLength(3)
})

test('limits of everybody and of organizations count the requests of all plans, and hold for their own', () => {
  const other = '  other: { models: all, rpm: 20, tpm: 40k, monthly_usd: 1'
  const rows = '{ usd: 5, per: day, of: everybody }, { usd: 6, per: day, of: plan }, { tokens: 7, per: day, of: org }'
  const others = '{ usd: 9, per: day, of: everybody }'
  const config = withRows(rows).replace(
    'models:\n  small',
    `${other} }\n  third: { models: all, rpm: 20, tpm: 40k, monthly_usd: 1, limits: [${others}] }\nmodels:\n  small`,
  )
  const { plans } = loadGood(config).config
  const most = Number.MAX_SAFE_INTEGER

  expect([...plans.values()].map(({ name, counts }) => [name, counts])).toEqual([
    ['free', []],
    [
      'other',
      [
        { measure: 'usd', most, per: 'day', of: 'everybody' },
        { measure: 'tokens', most, per: 'day', of: 'org' },
      ],
    ],
    ['third', [{ measure: 'tokens', most, per: 'day', of: 'org' }]],
  ])
})

test('a row may use variables, and what they hold is checked', () => {
  const config = withRows(`{ tokens: "\${MOST}", per: day }`)
  const load = (most: string) => loadFiles({ 'config.yaml': config }, { MOST: most })

  const good = load('2M')

  expect(good.ok && good.loaded.config.plans.get('free')?.rules[0]?.rule.most).toBe(2_000_000)
  expect(found(load('much'))).toEqual(['config.yaml:4:24 not-a-number'])
})

test('guests may have their day as a row', () => {
  const guests = withRows('{ requests: 7k, per: day }').replace(
    'plans:',
    'guests: { plan: free, usd_per_day_total: 1 }\nplans:',
  )

  expect(found(loadFiles({ 'config.yaml': guests }))).toEqual([])
  expect(found(loadFiles({ 'config.yaml': guests.replace('7k, per: day }', '100, per: hour }') }))).toEqual([
    'config.yaml:4:3 guest-without-day-cap',
  ])
})

test('svcctl show has the rows with their places, and what it prints means the same', () => {
  const rows = '{ tokens: 2M, per: day, model: small }, { usd: 0.5, per: 30d, of: key }, { concurrent: 3, of: org }'
  const loaded = loadGood(withRows(rows))

  const text = configText(loaded)

  expect(text).toContain(`    limits:
      - { tokens: 2000000, per: day, model: small } # config.yaml:4
      - { usd: 0.5, per: 30d, of: key } # config.yaml:4
      - { concurrent: 3, of: org } # config.yaml:4
`)
  expect(planOf(text).rules.map(({ rule }) => rule)).toEqual(
    loaded.config.plans.get('free')?.rules.map(({ rule }) => rule),
  )
})

test('the rows that the shipped plans show as a comment are in order', () => {
  const file = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')
  const plans = file('policies/plans.yaml').replace(/# (?=limits: #)|# {3}(?=- \{)/g, '')
  const policies = ['embeddings', 'images', 'models', 'pools', 'routing', 'tools'].map(name => [
    `policies/${name}.yaml`,
    file(`policies/${name}.yaml`),
  ])
  const files = {
    ...Object.fromEntries(policies),
    'policies/plans.yaml': plans,
    'config.yaml': file('config.example.yaml'),
  }
  const result = loadFiles(files, { CLOUD_KEY: 'k' })

  expect(found(result)).toEqual(
    found(loadFiles({ ...files, 'policies/plans.yaml': file('policies/plans.yaml') }, { CLOUD_KEY: 'k' })),
  )
  expect(result.ok && result.loaded.config.plans.get('team')?.rules).toHaveLength(3)
})
