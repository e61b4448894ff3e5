import type { ValidateFunction } from 'ajv/dist/2020.js'
import { type Accept, check, newAjv } from '../config/check/check.ts'
import { counted } from '../config/format/problem-text.ts'
import { fieldsIn, readSchema } from '../config/model/schema.ts'
import { entriesOf, isRecord, keyAt, type MapNode, type Node, nodeAt, type Path } from '../config/model/tree.ts'
import type { Report } from '../config/problem.ts'
import { parse } from '../config/read/compose.ts'
import { readSource, type Source } from '../config/read/disk.ts'
import type { Loaded } from '../config/settings.ts'
import type { Config, Place } from '../policy/config.ts'
import type { JsonObject } from '../wire/json-safety.ts'
import { checkNames } from './declared-names.ts'
import type { Case, Claim, Invariant, TestsFile } from './file.ts'
import { checkSlots } from './given-slots.ts'
import { type Given, type Scenario, type Situation, SPOKEN, scenarioOf, situationOf } from './scenario.ts'
import { checkUsed, type Refuse } from './used-limits.ts'

/** The tests of one file, in its order. */
export interface Tests {
  readonly file: string
  /** The cells of its matrix, plan by plan in each row. */
  readonly cells: readonly Example[]
  readonly cases: readonly Example[]
  readonly rules: readonly Rule[]
}

/** One request with its expectation. */
export interface Example {
  readonly name: string
  readonly at: Place
  readonly scenario: Scenario
  readonly expect: JsonObject
}

/** A rule for all requests. */
export interface Rule {
  readonly name: string
  readonly at: Place
  readonly quantifier: 'never' | 'always'
  readonly claim: Claim
}

/** Reads a file of tests; undefined when something in it was reported. Nothing comes from the environment. */
export function readTests(
  path: string,
  cwd: string,
  { config, settings }: Pick<Loaded, 'config' | 'settings'>,
  report: Report,
): { readonly source?: Source; readonly tests?: Tests } {
  const source = readSource(path, cwd, undefined, report)
  if (!source) return {}
  const told = new Set<string>()
  // Problems that the schema found are not reported again.
  const count: Report = problem => {
    const id = JSON.stringify([problem.line, problem.column, problem.rule])
    if (!told.has(id)) report(problem)
    told.add(id)
  }
  const root = parse(source, {}, count)
  if (!root) return { source }
  // First, so that the schema's Problem of the same field is left out.
  checkRenamed(root, count)
  const data = check(root, testsFile, count)
  checkNames(root, config, count)
  if (!data || told.size > 0) return { source }
  checkShape(root, data, { config, settings }, count)
  return told.size > 0 ? { source } : { source, tests: testsOf(source.file, root, data, config) }
}

function testsOf(file: string, root: MapNode, data: TestsFile, config: Config): Tests {
  const { given = {}, matrix, cases = [], invariants = [] } = data
  const place = (path: Path): Place => {
    const { file, line, column } = keyAt(root, path) ?? nodeAt(root, path)?.span ?? root.span
    return { file, line, column }
  }
  const example = (name: string, at: Place, own: Situation, expect: JsonObject): Example => {
    const scenario = scenarioOf(config, own)
    if (!scenario) throw new Error(`${name} has no caller, and no problem was reported`)
    return { name, at, scenario, expect }
  }
  const { plans = [], ...rows } = matrix ?? {}
  return {
    file,
    cells: Object.entries(rows).flatMap(([model, cells]) =>
      plans.map((plan, column) =>
        example(
          `${plan} × ${model}`,
          nodeAt(root, ['matrix', model, column])?.span ?? place(['matrix', model]),
          situationOf(config, given, { plan, model }),
          CELLS[cells[column] === 'ok' ? 'ok' : 'no'],
        ),
      ),
    ),
    cases: cases.map((each, index) => {
      const { name, expect, ...own } = each
      return example(
        name,
        place(['cases', index, 'name']),
        situationOf(config, given, own),
        isRecord(expect) ? expect : {},
      )
    }),
    rules: invariants.map((each, index) => ruleOf(each, place(['invariants', index, each.never ? 'never' : 'always']))),
  }
}

const CELLS = { ok: { status: 200 }, no: { status: 429, type: 'plan_limit' } }

function ruleOf({ name, never, always }: Invariant, at: Place): Rule {
  const quantifier = never ? 'never' : 'always'
  const claim = never ?? always ?? {}
  const parts = Object.entries(claim).map(([field, value]) => `${field} ${value}`)
  return { name: name ?? `${quantifier}: ${parts.join(', ')}`, at, quantifier, claim }
}

/** Checks that a schema cannot express: fields that exclude each other, rows of the wrong length, repeated names, a request without a sender. */
function checkShape(
  root: MapNode,
  data: TestsFile,
  { config, settings }: Pick<Loaded, 'config' | 'settings'>,
  report: Report,
): void {
  const refuse: Refuse = (path, rule, message, hint) => {
    const span = keyAt(root, path) ?? nodeAt(root, path)?.span ?? root.span
    report({ ...span, rule, severity: 'error', message, hint })
  }
  checkRows(data, refuse)
  checkCases(data, config, refuse)
  checkUsed(data.given?.usage, ['given', 'usage'], config, refuse)
  checkSlots(data.given?.pools, ['given', 'pools'], { config, settings }, refuse)
  for (const [index, { usage, pools }] of (data.cases ?? []).entries()) {
    checkUsed(usage, ['cases', index, 'usage'], config, refuse)
    checkSlots(pools, ['cases', index, 'pools'], { config, settings }, refuse)
  }
  for (const [index, { never, always }] of (data.invariants ?? []).entries()) {
    if ((never === undefined) === (always === undefined))
      refuse(['invariants', index], 'no-claim', 'an invariant has one of `never` and `always`', 'write one of them')
  }
}

function checkRows({ matrix }: TestsFile, refuse: Refuse): void {
  const width = matrix?.plans.length ?? 0
  for (const [model, row] of Object.entries(matrix ?? {})) {
    if (row.length === width) continue
    refuse(
      ['matrix', model],
      'row-length',
      `\`${model}\` has ${counted(row.length, 'cell')} for ${width} plans`,
      'write one each',
    )
  }
}

function checkCases({ given = {}, cases = [] }: TestsFile, config: Config, refuse: Refuse): void {
  const names = new Set<string>()
  for (const [index, each] of cases.entries()) {
    const at = ['cases', index, 'name']
    if (names.has(each.name)) refuse(at, 'duplicate-name', `two cases are called \`${each.name}\``, 'rename one')
    names.add(each.name)
    refuseDouble(each, index, refuse)
    refuseOrg(each, given, index, config, refuse)
    if (!scenarioOf(config, situationOf(config, given, each)))
      refuse(at, 'no-plan', 'the request has no sender', 'write `plan`, `auth` or `claims`, here or under `given`')
  }
}

/** One caller and one request; a whole request says all of it. */
function refuseDouble(each: Case, index: number, refuse: Refuse): void {
  const second = SPOKEN.filter(field => each[field] !== undefined)[1]
  if (second) refuse(['cases', index, second], 'two-requests', `\`${second}\` is a second request`, ONE_REQUEST)
  const [first, another] = CALLERS.filter(field => each[field] !== undefined)
  if (another)
    refuse(
      ['cases', index, another],
      'two-callers',
      `\`${first}\` and \`${another}\` exclude each other`,
      'write one of them',
    )
  for (const field of each.request ? (['model', 'max_tokens', 'stream', 'headers'] as const) : [])
    if (each[field] !== undefined)
      refuse(
        ['cases', index, field],
        'two-requests',
        `\`${field}\` cannot be combined with \`request\``,
        'write it in `request`',
      )
}

/** Only an account on a plan may be put into an org. */
function refuseOrg(each: Case, given: Given, index: number, { guestPlan }: Config, refuse: Refuse): void {
  if (each.org === undefined) return
  const sender = CALLERS.find(field => field !== 'plan' && each[field] !== undefined)
  const at = ['cases', index, 'org']
  if (sender) refuse(at, 'two-callers', `\`org\` has no effect beside \`${sender}\``, ORG_OF_PLAN)
  else if (guestPlan && (each.plan ?? given.plan) === guestPlan.name)
    refuse(at, 'two-callers', 'guests belong to no org', ORG_OF_PLAN)
}

const ORG_OF_PLAN = 'remove it, or write the `plan` of an account; claims name an org by their groups'

const CALLERS = ['plan', 'auth', 'claims'] as const
const ONE_REQUEST = 'write one of `chat`, `chat_tokens`, `input`, `prompt` and `request`'

/** Former names of fields in files of tests, with the present ones. */
const USAGE: Readonly<Record<string, string>> = { held_usd: 'reserved_usd', under_way: 'concurrent' }
const RENAMED = {
  usage: USAGE,
  expect: { rule: 'route' },
} as const

/** The present name for a former one; undefined for any other name. */
export const usageNowCalled = (name: string): string | undefined =>
  Object.hasOwn(USAGE, name) ? USAGE[name] : undefined

/** Reports fields by an old name, with the new one. */
function checkRenamed(root: MapNode, report: Report): void {
  const cases = nodeAt(root, ['cases'])
  for (const node of [nodeAt(root, ['given']), ...(cases?.is === 'list' ? cases.items : [])]) {
    if (!node) continue
    checkIn(nodeAt(node, ['usage']), RENAMED.usage, report)
    checkIn(nodeAt(node, ['expect']), RENAMED.expect, report)
  }
}

function checkIn(node: Node | undefined, names: Readonly<Record<string, string>>, report: Report): void {
  for (const [name, { key }] of entriesOf(node)) {
    const now = names[name]
    if (now === undefined) continue
    const message = `unknown field \`${name}\``
    report({ ...key, rule: 'unknown-field', severity: 'error', message, hint: `it is called \`${now}\`` })
  }
}

const schema = readSchema('tests.schema.json')
const validate: ValidateFunction<TestsFile> = newAjv({ allErrors: true, verbose: true }).compile(schema)

/** A file of tests. */
const testsFile: Accept<TestsFile> = {
  accepts: data => validate(data),
  errorsIn: data => (validate(data) ? [] : (validate.errors ?? [])),
  fields: fieldsIn(schema),
}
