import { readFileSync } from 'node:fs'
import type { AnySchemaObject, ErrorObject } from 'ajv/dist/2020.js'
import type { ConfigFile } from '../file.ts'

/** The file that `--config` names. */
export type { ConfigFile }
/** A file that it includes. */
export type PolicyFile = Pick<
  ConfigFile,
  'plans' | 'models' | 'aliases' | 'default_model' | 'pools' | 'routes' | 'hosted_tools' | 'passthrough'
>

// src/config and dist/config lie equally deep in the package.
export const readSchema = (name: string): AnySchemaObject =>
  JSON.parse(readFileSync(new URL(`../../../schema/${name}`, import.meta.url), 'utf8'))

export const configSchema = readSchema('config.schema.json')
export const policySchema = readSchema('policy.schema.json')

export type { ErrorObject }

/** A field somewhere in the schema. */
export interface Field {
  /** `plans.<name>.rpm` */
  readonly path: string
  readonly parent: string
  readonly name: string
  /** The kind of model or hosted tool that has it; undefined outside of both. */
  readonly kind: string | undefined
  /** Whether its section needs it. */
  readonly required: boolean
  readonly schema: AnySchemaObject
}

/** Every field of the main file, outermost first. */
export const fields: readonly Field[] = fieldsIn(configSchema)

/** The names of the fields that hold secrets. */
export const secretFields = fieldsWith('x-secret')
/** The names of the fields that may hold a password among other things. */
export const passwordFields = fieldsWith('x-password')

/** The maps whose values may refer to secrets: `pools.<name>.headers`. */
const secretMaps = new Set(fields.filter(({ schema }) => schema['x-secrets'] === true).map(({ path }) => path))

/** Whether a value may refer to a secret, by the names that lead to it: of such a map, the name of the map. */
export function secretMapOf([section, _entry, field, ...names]: readonly string[]): string | undefined {
  return names.length === 1 && secretMaps.has(`${section}.<name>.${field}`) ? field : undefined
}

function fieldsWith(annotation: string): ReadonlySet<string> {
  return new Set(fields.filter(({ schema }) => schema[annotation] === true).map(({ name }) => name))
}

/** Every field of the files that a schema describes, outermost first. */
export function fieldsIn(root: AnySchemaObject): readonly Field[] {
  return fieldsOf(root, root, '')
}

function fieldsOf(root: AnySchemaObject, schema: AnySchemaObject, parent: string, kind?: string): readonly Field[] {
  if (schema.oneOf) return branchesOf(schema).flatMap(branch => fieldsOf(root, branch, parent, kindOf(branch)))
  const properties: Record<string, AnySchemaObject> = schema.properties ?? {}
  const own = Object.entries(properties).map(([name, property]) => {
    const path = parent ? `${parent}.${name}` : name
    const required = schema.required?.includes(name) === true
    return { path, parent, name, kind, required, schema: follow(property, root) }
  })
  const deeper = own.flatMap(({ path, name, schema }) => {
    const byName = schema.additionalProperties
    // A condition holds conditions: the list of fields has what may stand in one only once.
    if (name === 'not' || name === 'any') return []
    if (schema.items) return fieldsOf(root, follow(schema.items, root), `${path}[]`, kind)
    return byName ? fieldsOf(root, follow(byName, root), `${path}.<name>`, kind) : fieldsOf(root, schema, path, kind)
  })
  return [...own, ...deeper]
}

/** The kinds that a thing of several may be of. */
export function branchesOf(schema: AnySchemaObject): readonly AnySchemaObject[] {
  return schema.oneOf.map((branch: AnySchemaObject) => follow(branch))
}

/** The kind of model or hosted tool that a schema is of. */
export function kindOf(schema: AnySchemaObject | undefined): string | undefined {
  return schema?.properties?.kind?.const ?? schema?.['x-kind']
}

/** The kinds of models there are. */
export const kinds = kindsOf('model')
/** The kinds of hosted tools: each has a field of that name, and no other kind has it. */
export const toolKinds = kindsOf('hosted_tool')

function kindsOf(name: string): readonly string[] {
  return branchesOf(configSchema.$defs[name]).flatMap(branch => kindOf(branch) ?? [])
}

/** Follows a reference. Members beside it win over those that it refers to. */
export function follow(schema: AnySchemaObject, root = configSchema): AnySchemaObject {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  return name ? { ...follow(root.$defs[name], root), ...schema, $ref: undefined } : schema
}
