import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { type Denied, invalid } from '../../policy/denial.ts'
import { fieldName, type JsonObject } from '../json-safety.ts'
import { type ParsedBody, parseBody } from './body.ts'

/** A fault of a body and its place: `messages[0].role`, `must be one of …`. */
export interface Invalid {
  readonly field: string
  readonly problem: string
}

export type Validate = (body: unknown) => Invalid | undefined

type Check = (body: JsonObject) => Invalid | undefined

/** Reads a JSON body that passes every check, in order; the first field that is wrong is the denial. */
export function readValid(bytes: Buffer, ...checks: readonly Check[]): ParsedBody | Denied {
  const parsed = parseBody(bytes)
  return 'denial' in parsed ? parsed : (deniedBy(parsed.body, ...checks) ?? parsed)
}

/** The first field that is wrong by one of the checks, in order. */
export function deniedBy(body: JsonObject, ...checks: readonly Check[]): Denied | undefined {
  for (const check of checks) {
    const wrong = check(body)
    if (wrong) return invalid(wrong.field, wrong.problem)
  }
  return undefined
}

/** Made when the first body comes: most commands check none. */
let ajv: Ajv2020 | undefined

/** Compiles a schema once, when it is first needed; the validator names the first field that is wrong. */
export function validator(schema: object): Validate {
  let compiled: ValidateFunction | undefined
  return body => {
    // Strict mode refuses unknown keywords and values of a wrong type; to compile the meta-schema takes as long as all of ours do.
    ajv ??= new Ajv2020({ allowUnionTypes: true, verbose: true, validateSchema: false })
    compiled ??= ajv.compile(schema)
    const validate = compiled
    if (validate(body)) return undefined
    const [error] = validate.errors ?? []
    return error ? describe(error) : { field: 'body', problem: 'is not valid' }
  }
}

function describe(error: ErrorObject): Invalid {
  // RFC 6901.
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  switch (error.keyword) {
    case 'required':
      return { field: fieldName([...path, String(error.params.missingProperty)]), problem: 'is required' }
    case 'additionalProperties':
      return { field: fieldName([...path, String(error.params.additionalProperty)]), problem: 'is not accepted' }
    default:
      return { field: fieldName(path), problem: problemOf(error) }
  }
}

function problemOf({ keyword, params, message, parentSchema }: ErrorObject): string {
  switch (keyword) {
    case 'pattern':
      // A pattern says nothing to people: its schema describes what is meant.
      return String(parentSchema?.description ?? message)
    case 'minLength':
      return 'must not be empty'
    case 'maxLength':
      return `must have at most ${params.limit} characters`
    case 'type':
      return `must be ${typeNames(params.type)}`
    case 'enum':
      return `must be one of ${listed(params.allowedValues)}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'minItems':
      return 'must not be empty'
    case 'maxItems':
      return `must have at most ${params.limit} items`
    case 'maxProperties':
      return `must have at most ${params.limit} fields`
    default:
      return message ?? 'is not valid'
  }
}

const listed = (values: unknown): string =>
  Array.isArray(values)
    ? values
        .filter(value => value !== null)
        .map(value => JSON.stringify(value))
        .join(', ')
    : ''

/** `["integer", "null"]` is `an integer`: clients need not learn that null stands for absent. */
function typeNames(type: unknown): string {
  const names = (Array.isArray(type) ? type : [type]).filter(name => name !== 'null').map(String)
  return names.map(name => (/^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`)).join(' or ')
}
