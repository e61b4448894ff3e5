import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { claimsText } from '../../../src/adapters/redis/codec.ts'
import { quotaTable } from '../../../src/cli/quota/quota.ts'
import { shownPlan } from '../../../src/cli/show/shown-policy.ts'
import { NO_COUNTERS, usedOf } from '../../../src/policy/counters/account-counters.ts'
import { judge } from '../../../src/policy/counters/judge.ts'
import {
  CALENDAR_RULES,
  COLUMN_RULES,
  COUNT_RULES,
  limitsOf,
  mostOf,
  NAMED_RULES,
  namedRule,
} from '../../../src/policy/limits/named-rules.ts'
import {
  type Readings,
  readingNumbers,
  readingsJson,
  readingsOfNumbers,
  readingsOfStored,
  storedReadings,
} from '../../../src/policy/limits/readings.ts'
import { ruleText } from '../../../src/policy/limits/text.ts'
import { claimsLine } from '../../../src/policy/record.ts'
import { shownStanding } from '../../../src/wire/admin/event.ts'
import { rateTypes } from '../../../src/wire/errors/codes.ts'
import { limited } from '../../../src/wire/errors/texts.ts'
import { config } from '../fixture.ts'
import { ASK, claimsOf, NOON, WIDE } from '../play.ts'

const jsonOf = (path: string) => JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'))
const schema = jsonOf('schema/config.schema.json').$defs.plan
const usage = jsonOf('schema/tests.schema.json').$defs.usage
const openapi = parse(readFileSync(new URL('../../../openapi.yaml', import.meta.url), 'utf8'))

/** Another number for every reading. */
const READINGS: Readings = readingsOfNumbers(readingNumbers(readingsOfNumbers([])).map((_, index) => index + 3))
/** Another number for every limit. */
const ALL = limitsOf(Object.fromEntries(COUNT_RULES.map(({ name }, index) => [name, 1000 + index])))
const free = config.plans.get('free')
if (!free) throw new Error('the fixture has no plan `free`')
const plan = { ...free, limits: ALL }

describe.each(NAMED_RULES.map(row => [row.name, row] as const))('the rule %s', (name, row) => {
  it('is a field of plans with a unit and a description', () => {
    expect(schema.properties[name]).toMatchObject({
      $ref: `#/$defs/${row.measure === 'usd' ? 'usd' : 'count'}`,
      description: expect.any(String),
    })
  })

  it('has a type, which documents and openapi.yaml know', () => {
    expect(rateTypes.filter(({ type }) => type === row.type)).toHaveLength(1)
    expect(JSON.stringify(openapi.components)).toContain(`"${row.type}"`)
  })
})

describe.each(COUNT_RULES.map(row => [row.name, row] as const))('the rule %s', (name, row) => {
  const refused = judge(NO_COUNTERS, { ...claimsOf(WIDE, ASK, NOON), limits: limitsOf({ [name]: 0 }) }, NOON)

  it('refuses with its type, and in the words of a rule', () => {
    if (!('denial' in refused) || refused.denial.code !== 'rate_limit_exceeded') throw new Error('it is not refused')
    expect(refused.denial).toMatchObject({ type: row.type, limit: 0 })
    const { body } = limited(refused.denial, 'https://docs')
    expect(JSON.stringify(body)).toContain(` 0 ${ruleText(namedRule(name, 0))}.`)
  })

  it('is in what is shown of a plan, in a line of the decision log and in the claims that Redis gets', () => {
    const most = mostOf(ALL, name)
    const claims = { ...claimsOf(WIDE, ASK, NOON), limits: ALL }

    expect(shownPlan(plan)).toMatchObject({ [name]: most })
    expect(claimsLine(claims)).toMatchObject({ [row.claim]: { limit: most } })
    expect(claimsText(claims).split(' ')).toContain(String(most))
  })
})

it('every reading is read by its name, and comes back from its stored forms', () => {
  const values = Object.values(READINGS)

  expect(new Set(values).size).toBe(values.length)
  expect(readingNumbers(READINGS).toSorted()).toEqual(values.toSorted())
  expect(readingsOfNumbers(readingNumbers(READINGS))).toEqual(READINGS)
  expect(readingsOfStored(storedReadings(READINGS))).toEqual(READINGS)
  expect(readingsJson(READINGS)).toBe(JSON.stringify(storedReadings(READINGS)))
  for (const { name, reading } of NAMED_RULES) expect(usedOf(READINGS, name)).toBe(READINGS[reading])
})

it('readings of an older gateway, which has fewer, are read as if nothing was used of the others', () => {
  const old = { requests: 1, tokens: 2, day: 3, open: 4, used: READINGS.used, held: READINGS.held }

  expect(readingsOfStored(old as Parameters<typeof readingsOfStored>[0])).toMatchObject({ day: 3, concurrent: 4 })
  expect(Object.values(readingsOfStored(old as Parameters<typeof readingsOfStored>[0]))).not.toContain(undefined)
  expect(readingsOfNumbers([1, 2, 3, 4, 5, 6])).toMatchObject({ requests: 1, tokens: 2, day: 3, concurrent: 4 })
})

it('requests of the day are the first calendar counter, whose place is that in the files of older gateways', () => {
  expect(CALENDAR_RULES[0]?.name).toBe('per_day')
})

it('what was used of each calendar window can be said in tests of policies', () => {
  for (const { reading } of CALENDAR_RULES) expect(Object.keys(usage.properties)).toContain(reading)
})

it('quota screens have a column for each limit that names one, with what is used and the limit', () => {
  const record = { account: 'acct_a', kind: 'developer' as const, label: 'ada', terms: { override: 'free' } }
  const files = { ...config, plans: new Map([...config.plans, ['free', plan]]) }
  const row = shownStanding(files, { ...READINGS, record, window: { start: 0, end: NOON }, at: NOON }, [])
  const [head = ''] = quotaTable([row]).split('\n')

  for (const { name, reading, column } of COLUMN_RULES) {
    const most = mostOf(ALL, name)
    expect(row).toMatchObject({ [reading]: READINGS[reading], [`${reading}_limit`]: most })
    expect(head).toContain(column)
  }
})
