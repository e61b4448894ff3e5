import { check } from '../config/check/check.ts'
import type { Report } from '../config/problem.ts'
import { parse } from '../config/read/compose.ts'
import { readSource, type Source } from '../config/read/source.ts'
import { isRecord, keyAt, type MapNode, nodeAt, type Path } from '../config/read/tree.ts'
import type { Config, Place } from '../policy/config.ts'
import type { JsonObject } from '../wire/json-safety.ts'
import { testsFile } from './accept.ts'
import type { Claim, Invariant, TestsFile } from './file.ts'
import type { Hypothesis } from './hypothesis.ts'
import { checkNames } from './names.ts'
import { checkRenamed } from './renamed.ts'
import { checkShape } from './shape.ts'
import { hypothesisOf, type Situation, situationOf } from './situation.ts'

/** The tests of one file, in its order. */
export interface Tests {
  readonly file: string
  /** The cells of its matrix, plan by plan in each row. */
  readonly cells: readonly Example[]
  readonly cases: readonly Example[]
  readonly rules: readonly Rule[]
}

/** One request, and what is to become of it. */
export interface Example {
  readonly name: string
  readonly at: Place
  readonly hypothesis: Hypothesis
  readonly expect: JsonObject
}

/** What holds for all requests. */
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
  config: Config,
  report: Report,
): { readonly source?: Source; readonly tests?: Tests } {
  const source = readSource(path, cwd, undefined, report)
  if (!source) return {}
  const told = new Set<string>()
  // What the schema has found need not be told again.
  const count: Report = problem => {
    const id = JSON.stringify([problem.line, problem.column, problem.rule])
    if (!told.has(id)) report(problem)
    told.add(id)
  }
  const root = parse(source, {}, count)
  if (!root) return { source }
  // First, so that what the schema says of the same field is not told.
  checkRenamed(root, count)
  const data = check(root, testsFile, count)
  checkNames(root, config, count)
  if (!data || told.size > 0) return { source }
  checkShape(root, data, config, count)
  return told.size > 0 ? { source } : { source, tests: testsOf(source.file, root, data, config) }
}

function testsOf(file: string, root: MapNode, data: TestsFile, config: Config): Tests {
  const { given = {}, matrix, cases = [], invariants = [] } = data
  const place = (path: Path): Place => {
    const { file, line, column } = keyAt(root, path) ?? nodeAt(root, path)?.span ?? root.span
    return { file, line, column }
  }
  const example = (name: string, at: Place, own: Situation, expect: JsonObject): Example => {
    const hypothesis = hypothesisOf(config, own)
    if (!hypothesis) throw new Error(`${name} has no caller, and no problem was reported`)
    return { name, at, hypothesis, expect }
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
