import { readFileSync } from 'node:fs'
import { Ajv2020, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { ConfigFile } from './file.ts'
import { FORMATS } from './formats.ts'
import { isRefusal } from './scalar.ts'
import { readUnit, type Unit } from './units.ts'

/** The file that `--config` names. */
export type { ConfigFile }
/** A file that it includes. */
export type PolicyFile = Pick<ConfigFile, 'plans' | 'models' | 'aliases' | 'default_model' | 'pools'>

// src/config and dist/config lie equally deep in the package.
const read = (name: string): AnySchemaObject =>
  JSON.parse(readFileSync(new URL(`../../schema/${name}`, import.meta.url), 'utf8'))

const configSchema = read('config.schema.json')
const policySchema = read('policy.schema.json')

const ajv = new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true, strictTypes: false })
for (const annotation of ['x-expects', 'x-secret']) ajv.addKeyword(annotation)
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
ajv.addSchema(configSchema)

/** Whether data is a main file. Errors are in its `errors` until the next call. */
export const isConfigFile: ValidateFunction<ConfigFile> = ajv.compile<ConfigFile>(configSchema)
/** Whether data is an included file. Errors are in its `errors` until the next call. */
export const isPolicyFile: ValidateFunction<PolicyFile> = ajv.compile<PolicyFile>(policySchema)

export type { ErrorObject }

/** A field somewhere in the schema. */
export interface Field {
  /** `plans.<name>.rpm` */
  readonly path: string
  readonly parent: string
  readonly name: string
  readonly schema: AnySchemaObject
}

/** Every field of the main file, outermost first. */
export const fields: readonly Field[] = fieldsOf(configSchema, '')

/** The names of the fields that hold secrets. */
export const secretFields: ReadonlySet<string> = new Set(
  fields.filter(({ schema }) => schema['x-secret'] === true).map(({ name }) => name),
)

function fieldsOf(schema: AnySchemaObject, parent: string): readonly Field[] {
  const properties: Record<string, AnySchemaObject> = schema.properties ?? {}
  const own = Object.entries(properties).map(([name, property]) => {
    const path = parent ? `${parent}.${name}` : name
    return { path, parent, name, schema: follow(property) }
  })
  const deeper = own.flatMap(({ path, schema }) => {
    const byName = schema.additionalProperties
    return byName ? fieldsOf(follow(byName), `${path}.<name>`) : fieldsOf(schema, path)
  })
  return [...own, ...deeper]
}

/** What stands beside a reference wins over what it refers to. */
function follow(schema: AnySchemaObject): AnySchemaObject {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  return name ? { ...follow(configSchema.$defs[name]), ...schema, $ref: undefined } : schema
}
