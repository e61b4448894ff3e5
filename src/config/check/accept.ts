import { Ajv2020, type AnySchemaObject, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import { isRefusal } from '../read/scalar.ts'
import { isRecord } from '../read/tree.ts'
import { FORMATS } from './formats.ts'
import {
  type ConfigFile,
  configSchema,
  type ErrorObject,
  type Field,
  fields,
  type PolicyFile,
  policySchema,
  toolKinds,
} from './schema.ts'
import { readUnit, type Unit } from './units.ts'

/** What a file of one kind has to be. */
export interface Accept<T> {
  accepts(data: unknown): data is T
  /** All that is wrong with data that is not accepted. */
  errorsIn(data: unknown): readonly ErrorObject[]
  /** All fields that files of the kind have. */
  readonly fields: readonly Field[]
}

// Each is made for the first file that needs it: the second one for the first with a mistake.
let quick: Ajv2020 | undefined
let thorough: Ajv2020 | undefined

/** A main file. */
export const configFile = accept<ConfigFile>(configSchema)
/** An included file. */
export const policyFile = accept<PolicyFile>(policySchema)

function accept<T>(schema: AnySchemaObject): Accept<T> {
  let compiled: ValidateFunction<T> | undefined
  return {
    accepts: (data): data is T => {
      quick ??= newAjv({}, configSchema)
      compiled ??= quick.compile<T>(schema)
      const validate = compiled
      return validate(data)
    },
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
  // That a branch did not fit says nothing that its own errors do not.
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
  // Every command loads a configuration: a test holds the schemas against their own, and what is run once need not be run fast.
  const quickly: Options = { validateSchema: false, code: { optimize: false } }
  const ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false, discriminator: true, ...quickly, ...options })
  for (const annotation of ['x-expects', 'x-kind', 'x-secret', 'x-password']) ajv.addKeyword(annotation)
  ajv.addKeyword({
    keyword: 'x-unit',
    schemaType: 'object',
    // Whatever is neither a text nor a number is refused by `type`.
    validate: (unit: Unit, data: unknown) =>
      (typeof data !== 'string' && typeof data !== 'number') || !isRefusal(readUnit(unit, data)),
  })
  for (const [name, format] of Object.entries(FORMATS)) {
    ajv.addFormat(name, { type: 'string', validate: (text: string) => format.read(text) !== undefined })
  }
  return ajv.addSchema([main, policySchema])
}
