import { createRequire } from 'node:module'
import type { Ajv2020, AnySchemaObject, Options } from 'ajv/dist/2020.js'
import { FORMATS } from '../model/formats.ts'
import { isRefusal } from '../model/scalar.ts'
import {
  type ConfigFile,
  configSchema,
  type ErrorObject,
  type Field,
  fields,
  type PolicyFile,
  policySchema,
  toolKinds,
} from '../model/schema.ts'
import { isBroken, isRecord, type MapNode, nodeAt, type Path, plain } from '../model/tree.ts'
import { readUnit, type Unit } from '../model/units.ts'
import type { Report } from '../problem.ts'
import { explain, type Finding, misspeltOf } from './messages.ts'
import { leadsToSchema } from './pointers.ts'

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

/** Explaining a mistake searches for the intended name, so a file gets at most this many explanations. */
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
  if (SECTIONS.some(each => each === section) && isRecord(inner) && name !== undefined) delete inner[name]
  else delete data[section]
}

/** Accepts the data of files of one kind. */
export interface Accept<T> {
  accepts(data: unknown): data is T
  /** All that is wrong with data that is not accepted. */
  errorsIn(data: unknown): readonly ErrorObject[]
  /** All fields that files of the kind have. */
  readonly fields: readonly Field[]
}

const require = createRequire(import.meta.url)

interface Acceptors {
  acceptsConfig(data: unknown): boolean
  acceptsPolicy(data: unknown): boolean
  /** Accepts the `parameters` of a hosted tool. */
  acceptsParameters(data: unknown): boolean
}

let acceptors: Acceptors | undefined

/** Generated from the schemas; src/config and dist/config lie equally deep in the package. */
export function generated(): Acceptors {
  if (acceptors) return acceptors
  const formats = Object.keys(FORMATS).map(name => [name, { validate: fitsFormat(name) }])
  const made: Acceptors = require('../../../schema/accepts.cjs')(Object.fromEntries(formats), fitsUnit, leadsToSchema)
  acceptors = made
  return made
}

// Made for the first file with a mistake: it takes longer than all else that reads a configuration.
let thorough: Ajv2020 | undefined

/** A main file. */
export const configFile = accept<ConfigFile>(data => generated().acceptsConfig(data), configSchema)
/** An included file. */
export const policyFile = accept<PolicyFile>(data => generated().acceptsPolicy(data), policySchema)

function accept<T>(accepts: (data: unknown) => boolean, schema: AnySchemaObject): Accept<T> {
  return {
    accepts: (data): data is T => accepts(data),
    errorsIn: data => {
      thorough ??= newAjv({ allErrors: true, verbose: true, messages: false }, telling())
      return errorsIn(data, schema.$id ?? '', thorough)
    },
    fields,
  }
}

/** The sections whose entries have names of the operator's choice. */
const SECTIONS = ['plans', 'models', 'aliases', 'pools', 'hosted_tools'] as const

/** Looks at the entries of a section one by one: for each that has errors, ajv copies all it found before. */
function errorsIn(data: unknown, id: string, ajv: Ajv2020): readonly ErrorObject[] {
  if (!isRecord(data)) return errorsAt('', data, id, ajv)
  const rest: Record<string, unknown> = { ...data }
  const found = SECTIONS.flatMap(section => {
    const entries = data[section]
    if (!isRecord(entries)) return []
    rest[section] = {}
    const part = `${configSchema.$id}#/$defs/${section}`
    return Object.entries(entries).flatMap(([name, entry]) => errorsAt(`/${section}`, { [name]: entry }, part, ajv))
  })
  return [...errorsAt('', rest, id, ajv), ...found]
}

function errorsAt(instancePath: string, data: unknown, id: string, ajv: Ajv2020): readonly ErrorObject[] {
  const validate = ajv.getSchema(id)
  if (!validate) throw new Error(`there is no schema ${id}`)
  const around = { parentData: {}, parentDataProperty: '', rootData: {}, dynamicAnchors: {} }
  if (validate(data, { ...around, instancePath }) === true) return []
  // The error of a branch repeats the errors within it.
  return (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if')
}

/** The schema with hosted tools held against the kind whose field they have, and not against each. */
function telling(): AnySchemaObject {
  const { oneOf, ...tool } = configSchema.$defs.hosted_tool
  const branch = toolKinds.reduceRight(
    (otherwise: AnySchemaObject | false, kind, index) => ({
      if: { required: [kind] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: oneOf[index],
      else: otherwise,
    }),
    false,
  )
  return { ...configSchema, $defs: { ...configSchema.$defs, hosted_tool: { ...tool, ...(branch || {}) } } }
}

/** A validator that knows the units and formats of our schemas, and those of the configuration. */
export function newAjv(options: Options, main: AnySchemaObject = configSchema): Ajv2020 {
  // Most files have no mistake: a start need not wait for the library.
  const { Ajv2020 }: typeof import('ajv/dist/2020.js') = require('ajv/dist/2020.js')
  // A test holds the schemas against their own, and what is run once need not be run fast.
  const quickly: Options = { validateSchema: false, code: { optimize: false } }
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false, discriminator: true, ...quickly, ...options })
  for (const annotation of ['x-expects', 'x-kind', 'x-secret', 'x-secrets', 'x-password']) ajv.addKeyword(annotation)
  ajv.addKeyword({ keyword: 'x-unit', schemaType: 'object', validate: fitsUnit })
  for (const name of Object.keys(FORMATS)) ajv.addFormat(name, { type: 'string', validate: fitsFormat(name) })
  return ajv.addSchema([main, policySchema])
}

/** The keyword `type` refuses values that are neither text nor number. */
function fitsUnit(unit: Unit, data: unknown): boolean {
  return (typeof data !== 'string' && typeof data !== 'number') || !isRefusal(readUnit(unit, data))
}

function fitsFormat(name: string): (text: string) => boolean {
  return text => FORMATS[name]?.read(text) !== undefined
}
