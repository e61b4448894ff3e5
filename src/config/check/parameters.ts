import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Ajv2020, Options, ValidateFunction } from 'ajv/dist/2020.js'
import { regexp } from '../model/formats.ts'
import type { ErrorObject } from '../model/schema.ts'
import { isBroken, isRecord, isText, keyAt, type MapNode, type Node, nodeAt, plain, type Span } from '../model/tree.ts'
import type { ProblemText, Report } from '../problem.ts'
import type { Declarations } from '../read/merge.ts'
import { findingsOf, generated } from './check.ts'
import { type Finding, fits, sayDouble, saySlip } from './messages.ts'
import { sayValue } from './messages-value.ts'
import { leadsToSchema, targetOf } from './pointers.ts'
import { isSimple } from './simple-schema.ts'

/** Holds the `parameters` of hosted tools against JSON Schema. Those that are no map were reported. */
export function checkParameters(tools: Declarations<unknown>, report: Report): void {
  for (const { node } of tools.values()) {
    const parameters = nodeAt(node, ['parameters'])
    const at = keyAt(node, ['parameters'])
    if (at && parameters?.is === 'map') checkSchema(parameters, at, report)
  }
}

/** Models are sent them with every request. */
const MOST_BYTES = 65_536

function checkSchema(root: MapNode, at: Span, report: Report): void {
  const schema = plain(root)
  const refuse = (told: ProblemText, span = at) => report({ ...span, severity: 'error', ...told })
  if (Buffer.byteLength(JSON.stringify(schema)) > MOST_BYTES) {
    refuse(TOO_LARGE)
    return
  }
  const findings = findingsOf(errorsInSchema(schema))
  for (const finding of findings) {
    const node = nodeAt(root, finding.path)
    if (!isBroken(node)) refuse(told(finding, node), placeOf(finding, root))
  }
  const type = nodeAt(root, ['type'])
  if (findings.some(({ path }) => path[0] === 'type') || isBroken(type)) return
  if (!isText(type) || type.value !== 'object') refuse(NOT_AN_OBJECT, type?.span)
  else if (findings.length === 0 && isEndless(schema)) refuse(ENDLESS)
  else if (findings.length === 0 && !isSimple(schema) && !compiles(schema)) refuse(UNUSABLE)
}

const placeOf = ({ about, path }: Finding, root: MapNode): Span | undefined =>
  about === 'value' || about === 'double' ? nodeAt(root, path)?.span : keyAt(root, path)

function told({ about, path, error }: Finding, node: Node | undefined): ProblemText {
  if (about === 'double') return sayDouble(path, node)
  if (about === 'value') return sayBad(path, error, node)
  const name = path.at(-1) ?? ''
  if (about === 'name') return { rule: regexp.rule, message: `\`${name}\` is not ${regexp.expects}`, hint: regexp.hint }
  const fit = fits(path, error)
  if (fit !== undefined) return saySlip(name, fit)
  const hint = name.startsWith('$')
    ? 'declare schemas under `$defs`, and refer to them as `#/$defs/NAME`'
    : 'put arguments under `properties`; start a keyword of your own with `x-`'
  return { rule: 'unknown-field', message: `\`${name}\` has no meaning in \`parameters\``, hint }
}

function sayBad(path: Finding['path'], error: Finding['error'], node: Node | undefined): ProblemText {
  if (path.includes('type') && node?.is === 'scalar' && node.value === null)
    return { rule: 'bad-value', message: '`type` must be a text', hint: 'write "null", in quotes' }
  if (error.keyword === 'x-pointer') return { rule: 'unknown-place', ...POINTS_NOWHERE }
  return sayValue(path, error, node)
}

const POINTS_NOWHERE = {
  message: '`$ref` leads to nothing in these parameters',
  hint: 'write `#/$defs/NAME`, and the schema under `$defs`',
}

const TOO_LARGE: ProblemText = {
  rule: 'too-large',
  message: `\`parameters\` is larger than ${MOST_BYTES} bytes of JSON`,
  hint: 'shorten the descriptions: every request sends them to the model',
}

const NOT_AN_OBJECT: ProblemText = {
  rule: 'not-an-object',
  message: '`parameters` is not of `type: object`',
  hint: 'models send arguments as an object: add `type: object`, and each argument under `properties`',
}

const ENDLESS: ProblemText = {
  rule: 'endless-reference',
  message: 'a `$ref` in `parameters` leads back to itself',
  hint: 'refer to a schema only from its `properties` or `items`, so that every value can end',
}

const UNUSABLE: ProblemText = {
  rule: 'bad-schema',
  message: '`parameters` is not a schema that arguments can be checked against',
  hint: 'use simpler keywords',
}

const OPTIONS: Options = { meta: false, strict: false, validateSchema: false, logger: false, code: { optimize: false } }

/** Loaded for the first tool whose parameters are wrong, or use more than simple keywords. */
function newAjv(options: Options): Ajv2020 {
  const { Ajv2020 }: typeof import('ajv/dist/2020.js') = createRequire(import.meta.url)('ajv/dist/2020.js')
  return new Ajv2020(options)
}

// Compiled for the first tool whose parameters are wrong: no other start need wait.
let validate: ValidateFunction | undefined

/** The errors of JSON Schema in a schema. */
export function errorsInSchema(schema: unknown): readonly ErrorObject[] {
  if (generated().acceptsParameters(schema)) return []
  validate ??= compileMeta()
  return validate(schema) ? [] : (validate.errors ?? [])
}

/** Whether ajv can hold anything against a schema. */
function compiles(schema: unknown): boolean {
  try {
    newAjv({ ...OPTIONS, validateFormats: false }).compile(isRecord(schema) ? schema : {})
    return true
  } catch {
    // The error's text may hold values of variables.
    return false
  }
}

function compileMeta(): ValidateFunction {
  const ajv = newAjv({ ...OPTIONS, allErrors: true, verbose: true, messages: false })
  ajv.addFormat('x-regexp', { type: 'string', validate: (text: string) => regexp.read(text) !== undefined })
  ajv.addKeyword({
    keyword: 'x-pointer',
    type: 'string',
    errors: false,
    validate: (_: unknown, pointer: string, __: unknown, at?: { readonly rootData: unknown }) =>
      leadsToSchema(pointer, at?.rootData),
  })
  // src/config and dist/config lie equally deep in the package.
  const path = new URL('../../../schema/parameters.schema.json', import.meta.url)
  return ajv.compile(JSON.parse(readFileSync(path, 'utf8')))
}

/** Whether a schema refers to itself before it looks into a value: held against one, it would never end. */
function isEndless(root: unknown): boolean {
  const done = new Set<unknown>()
  return targetsIn(root, root).some(target => returns(target, root, new Set(), done))
}

/** Whether a schema for the same value is one of the schemas above it, so that it never ends. */
function returns(schema: unknown, root: unknown, above: Set<unknown>, done: Set<unknown>): boolean {
  if (!isRecord(schema) || done.has(schema)) return false
  if (above.has(schema)) return true
  above.add(schema)
  const found = besides(schema, root).some(each => returns(each, root, above, done))
  above.delete(schema)
  done.add(schema)
  return found
}

/** The schemas that hold for the same value as another one. */
function besides(schema: Readonly<Record<string, unknown>>, root: unknown): readonly unknown[] {
  const { $ref, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise, dependentSchemas } = schema
  const target = typeof $ref === 'string' ? targetOf($ref, root) : undefined
  const byName = isRecord(dependentSchemas) ? Object.values(dependentSchemas) : []
  return [target, allOf, anyOf, oneOf, not, condition, then, otherwise, byName].flat()
}

/** The targets of the references within some data. */
function targetsIn(data: unknown, root: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data.flatMap(each => targetsIn(each, root))
  if (!isRecord(data)) return []
  const own = typeof data.$ref === 'string' ? [targetOf(data.$ref, root)] : []
  return [...own, ...Object.values(data).flatMap(each => targetsIn(each, root))]
}
