import type { Report } from '../problem.ts'
import { isBroken, isRecord, type MapNode, nodeAt, type Path, plain } from '../read/tree.ts'
import type { Accept } from './accept.ts'
import { explain, type Finding, misspeltOf } from './messages.ts'
import type { ErrorObject } from './schema.ts'

/** Holds a tree against a schema. Reports one Problem per mistake, and gives the data that has none. */
export function check<T>(root: MapNode, { accepts, errorsIn, fields }: Accept<T>, report: Report): T | undefined {
  const data = plain(root)
  if (accepts(data)) return data
  const findings = findingsOf(errorsIn(data))
  const explained = findings.slice(0, MOST_EXPLAINED)
  const misspelt = misspeltOf(explained)
  for (const finding of explained) {
    if (isBroken(nodeAt(root, finding.path))) continue
    const problem = explain(finding, misspelt, root, fields)
    if (problem) report(problem)
  }
  for (const { path } of findings.slice(MOST_EXPLAINED)) {
    const at = (nodeAt(root, path) ?? nodeAt(root, path.slice(0, -1)) ?? root).span
    report({
      ...at,
      rule: 'more-mistakes',
      severity: 'error',
      message: `\`${path.at(-1)}\` is wrong too`,
      hint: 'correct those above',
    })
  }
  for (const { path } of findings) prune(data, path)
  return accepts(data) ? data : undefined
}

/** To explain a mistake is to look for what was meant: of one file so many are. */
const MOST_EXPLAINED = 1000

/** One finding for each place, whatever number of keywords failed there. */
export function findingsOf(errors: readonly ErrorObject[]): readonly Finding[] {
  const found = new Map<string, Finding>()
  for (const error of errors) {
    const finding = findingOf(error)
    const id = JSON.stringify([finding.about, finding.path])
    const other = found.get(id)
    if (!other || rank(error) < rank(other.error)) found.set(id, finding)
  }
  return [...found.values()]
}

function findingOf(error: ErrorObject): Finding {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map(step => step.replace(/~1/g, '/').replace(/~0/g, '~'))
  const { propertyName } = error
  if (propertyName !== undefined) return { about: 'name', path: [...path, propertyName], error }
  if (error.keyword === 'propertyNames')
    return { about: 'name', path: [...path, String(error.params.propertyName)], error }
  if (error.keyword === 'additionalProperties') {
    return { about: 'unknown', path: [...path, String(error.params.additionalProperty)], error }
  }
  if (error.keyword === 'required')
    return { about: 'missing', path: [...path, String(error.params.missingProperty)], error }
  if (error.keyword === 'false schema') return { about: 'kind', path, error }
  if (error.keyword === 'uniqueItems')
    return { about: 'double', path: [...path, String(Math.max(error.params.i, error.params.j))], error }
  if (error.keyword === 'discriminator') return { about: 'value', path: [...path, error.params.tag], error }
  return { about: 'value', path, error }
}

/** The keyword that knows most about a mistake comes first. */
function rank({ keyword }: ErrorObject): number {
  const position = ['x-unit', 'format', 'type', 'const', 'enum', 'minItems', 'minLength', 'pattern'].indexOf(keyword)
  return position < 0 ? 99 : position
}

/** Takes out what is wrong, with the plan, model, pool or section around it. */
function prune(data: unknown, [section, name]: Path): void {
  if (!isRecord(data) || section === undefined) return
  const inner = data[section]
  if (NAMED.has(String(section)) && isRecord(inner) && name !== undefined) delete inner[name]
  else delete data[section]
}

const NAMED: ReadonlySet<string> = new Set(['plans', 'models', 'aliases', 'pools', 'hosted_tools'])
