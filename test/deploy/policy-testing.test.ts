import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readSchema } from '../../src/config/check/schema.ts'
import type { Granted, SpendClaim } from '../../src/policy/decision.ts'
import type { CallerKey, InferenceRequest, OrgTerms, Terms } from '../../src/policy/facts.ts'
import type { StoredReadings } from '../../src/policy/limits/readings.ts'
import type { ClaimsLine, Seen } from '../../src/policy/record.ts'
import type { DecisionLine } from '../../src/wire/decision-line.ts'
import { root } from '../simulate/example.ts'

const page = readFileSync(`${root}/docs/policy-testing.md`, 'utf8')
const rowsOf = (title: string): string[] =>
  [...sectionOf(title).matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, field, text]) => `${field}: ${text}`)
const sectionOf = (title: string): string =>
  page.split(/^##+ /m).find(section => section.startsWith(`${title}\n`)) ?? ''

interface Node {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Node>>
}
const schema = readSchema('tests.schema.json') as Node & { readonly $defs: Readonly<Record<string, Node>> }
const definition = ({ $ref, ...own }: Node): Node => ($ref ? (schema.$defs[$ref.split('/').at(-1) ?? ''] ?? {}) : own)

function fieldsOf({ properties = {} }: Node, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, node]) => {
    const { description, properties: inner } = definition(node)
    const deeper = inner && IN_PLACE.has(name) ? fieldsOf({ properties: inner }, `${prefix}${name}.`) : []
    return [`${prefix}${name}: ${description}`, ...deeper]
  })
}
/** All others have a section of their own. */
const IN_PLACE = new Set(['request', 'minute', 'day'])

it.each([
  ['cases', 'case'],
  ['usage', 'usage'],
  ['expect', 'expect'],
  ['invariants', 'claim'],
])('the section %s of docs/policy-testing.md has every field of the schema, in its words', (title, name) => {
  expect(rowsOf(title)).toEqual(fieldsOf(schema.$defs[name] ?? {}))
})

type Keys<T> = T extends unknown ? keyof T : never
/** Every field there is: one that is added to a line of the decision log does not compile before it is named here. */
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
    thinking: true,
    inputs: true,
    tokenIds: true,
    dimensions: true,
    size: true,
    path: true,
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
}
const orgTerms: Record<keyof OrgTerms, true> = { frozen: true, limits: true }
const key: Record<Exclude<keyof CallerKey, 'name'>, true> = {
  ...{ id: true, models: true, limits: true, origin: true },
}
const claims: Record<keyof ClaimsLine, true> = {
  ...{ requests: true, tokens: true, day: true, concurrency: true, rules: true, spend: true, output: true },
}
const spend: Record<keyof SpendClaim, true> = {
  ...{ limit: true, allotment: true, overageEnabled: true, window: true, price: true, items: true },
}

it('docs/policy-testing.md has every field of a line of the decision log, and no other', () => {
  const parts = { '': line, 'request.': request, 'seen.': seen, 'seen.readings.': readings, 'granted.': granted }
  const more = { 'key.': key, 'terms.': terms, 'orgTerms.': orgTerms, 'claims.': claims, 'claims.spend.': spend }
  const fields = Object.entries({ ...parts, ...more }).flatMap(([prefix, part]) =>
    Object.keys(part).map(name => prefix + name),
  )

  expect(
    rowsOf('The decision log')
      .map(row => row.split(': ')[0])
      .sort(),
  ).toEqual(fields.sort())
})
