import { describe, expect, it } from 'vitest'
import { readSchema } from '../../src/config/model/schema.ts'
import type { Granted, SpendClaim } from '../../src/policy/decision.ts'
import type { CallerKey, InferenceRequest, OrgTerms, Terms } from '../../src/policy/facts.ts'
import type { StoredReadings } from '../../src/policy/limits/readings.ts'
import type { ClaimsLine, Seen } from '../../src/policy/record.ts'
import type { DecisionLine } from '../../src/wire/decision-line.ts'
import { codesIn, subjectOf, tableAbout } from '../docs/tables.ts'
import { textOf } from './files.ts'

const page = textOf('docs/policy-testing.md')

/** The rows of the table about these fields, by field. Fails if it leaves one of its rows empty. */
function documented(fields: readonly string[]): ReadonlyMap<string, string> {
  const table = tableAbout(fields, page)
  expect(table.filter(([, meaning]) => !meaning)).toEqual([])
  return new Map(table.map(row => [subjectOf(row) ?? row.join(' | '), row[1] ?? '']))
}

const sorted = (names: Iterable<string>): readonly string[] => [...names].sort()

interface Node {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Node>>
}
const schema = readSchema('tests.schema.json') as Node & { readonly $defs: Readonly<Record<string, Node>> }
const definition = ({ $ref, ...own }: Node): Node => ($ref ? (schema.$defs[$ref.split('/').at(-1) ?? ''] ?? {}) : own)

/** The fields of an object with their descriptions. */
function fieldsOf({ properties = {} }: Node, prefix = ''): (readonly [field: string, description: string])[] {
  return Object.entries(properties).flatMap(([name, node]) => {
    const { description = '', properties: inner } = definition(node)
    const deeper = inner && IN_PLACE.has(name) ? fieldsOf({ properties: inner }, `${prefix}${name}.`) : []
    return [[`${prefix}${name}`, description] as const, ...deeper]
  })
}
/** Objects whose fields are rows behind their own; all others have a table. */
const IN_PLACE = new Set(['request', 'minute', 'day'])

/** The facts of a description: its code spans and HTTP statuses. */
const factsIn = (description: string): readonly string[] => [
  ...codesIn(description),
  ...(description.match(/\b[1-5]\d\d\b/g) ?? []),
]

describe.each(['case', 'usage', 'expect', 'claim'])('of the fields that tests.schema.json has for %s', name => {
  const fields = new Map(fieldsOf(schema.$defs[name] ?? {}))

  it('docs/policy-testing.md explains each, and no other', () => {
    expect(fields.size).toBeGreaterThan(5)
    expect(sorted(documented([...fields.keys()]).keys())).toEqual(sorted(fields.keys()))
  })

  it('docs/policy-testing.md names each value and status that the schema describes', () => {
    const rows = documented([...fields.keys()])
    const missing = [...fields].flatMap(([field, description]) =>
      factsIn(description)
        .filter(fact => !rows.get(field)?.includes(fact))
        .map(fact => `${field}: ${fact}`),
    )
    expect(missing).toEqual([])
  })
})

type Keys<T> = T extends unknown ? keyof T : never
/** A field that is added to a line of the decision log does not compile until it is listed here. */
const line: Record<Keys<DecisionLine>, true> = {
  ...{ v: true, id: true, at: true, account: true, request: true, seen: true, granted: true, denial: true },
  ...{
    revision: true,
    caller: true,
    terms: true,
    orgTerms: true,
    health: true,
    signals: true,
    verdict: true,
    plan: true,
  },
  ...{ model: true, route: true, pools: true, claims: true, minute: true, key: true },
}
const request: Record<Keys<InferenceRequest>, true> = {
  ...{ kind: true, model: true, textBytes: true, user: true, stream: true, messages: true, images: true, tools: true },
  ...{
    hosted: true,
    cap: true,
    choices: true,
    optional: true,
    developer: true,
    thinking: true,
    inputs: true,
    tokenIds: true,
    base64: true,
    dimensions: true,
    size: true,
    path: true,
    cacheTime: true,
    unknown: true,
    address: true,
    labels: true,
    session: true,
    draw: true,
  },
  ...{
    extras: true,
    dialect: true,
    losses: true,
    lostFields: true,
    providerTools: true,
    cuttable: true,
    native: true,
    onlyNative: true,
  },
}
const seen: Record<Exclude<Keys<Seen>, 'minute'>, true> = {
  ...{ at: true, readings: true, rules: true, shared: true, gone: true, tool: true, unavailable: true },
}
const readings: Record<keyof StoredReadings, true> = {
  ...{ requests: true, tokens: true, day: true, open: true, used: true, held: true },
}
const granted: Record<keyof Granted, true> = { output: true, tokens: true, cost: true }
const terms: Record<keyof Terms, true> = {
  override: true,
  claimed: true,
  overage: true,
  grants: true,
  frozen: true,
  limits: true,
  org: true,
  orgClaimed: true,
  deactivated: true,
}
const orgTerms: Record<keyof OrgTerms, true> = { frozen: true, limits: true }
const key: Record<Exclude<keyof CallerKey, 'name'>, true> = {
  ...{ id: true, models: true, limits: true, labels: true, origin: true },
}
const claims: Record<keyof ClaimsLine, true> = {
  ...{ requests: true, tokens: true, day: true, concurrency: true, rules: true, spend: true, output: true },
}
const spend: Record<keyof SpendClaim, true> = {
  ...{ limit: true, allotment: true, overageEnabled: true, window: true, price: true, items: true },
}

it('docs/policy-testing.md explains every field of a line of the decision log, and no other', () => {
  const parts = { '': line, 'request.': request, 'seen.': seen, 'seen.readings.': readings, 'granted.': granted }
  const more = { 'key.': key, 'terms.': terms, 'orgTerms.': orgTerms, 'claims.': claims, 'claims.spend.': spend }
  const fields = Object.entries({ ...parts, ...more }).flatMap(([prefix, part]) =>
    Object.keys(part).map(name => prefix + name),
  )

  expect(sorted(documented(fields).keys())).toEqual(sorted(fields))
})
