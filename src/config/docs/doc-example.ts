import type { AnySchemaObject } from 'ajv/dist/2020.js'
import { branchesOf, configSchema, type Field, follow } from '../check/schema.ts'

/** A piece of a main file that sets a field, as data; of the file itself what it needs. */
export function exampleOf(field: Field | undefined): unknown {
  if (!field) return sampleOf(configSchema)
  const { path, kind, schema } = field
  const [section = '', ...steps] = path.split('.')
  const byName = !schema.properties && !schema.examples && schema.additionalProperties
  const value = byName ? { [NAMES[section] ?? 'name']: sampleOf(follow(byName)) } : sampleOf(schema)
  return around([section, ...steps], value, kind === undefined ? {} : kindOf(section, kind))
}

/** Names that read well, by section and kind. */
const NAMES: Readonly<Record<string, string>> = {
  plans: 'pro',
  models: 'svc-core',
  'models.embedding': 'svc-embed',
  'models.image': 'svc-image',
  aliases: 'svc-auto',
  pools: 'onprem-core',
  hosted_tools: 'docs_search',
  'hosted_tools.http': 'convert_units',
  'hosted_tools.builtin': 'current_time',
  accepts: 'num_inference_steps',
}

/** Puts a value under the names that lead to it, beside what tells the kind of the thing that has it. */
function around([step, ...others]: readonly string[], value: unknown, own: Own, section = ''): unknown {
  if (step === undefined) return value
  // What tells the kind belongs to the outermost thing that has a name.
  const inner = step === '<name>' ? around(others, value, {}) : around(others, value, own, step)
  if (step === '<name>') {
    const name = NAMES[`${section}.${own.kind}`] ?? NAMES[section] ?? 'name'
    return { [name]: typeof inner === 'object' && inner !== null ? { ...own.fields, ...inner } : inner }
  }
  return step.endsWith('[]') ? { [step.slice(0, -2)]: [inner] } : { [step]: inner }
}

interface Own {
  readonly kind?: string
  readonly fields?: Readonly<Record<string, unknown>>
}

function kindOf(section: string, kind: string): Own {
  if (section === 'models') return { kind, fields: { kind } }
  const branch = branchesOf(configSchema.$defs.hosted_tool).find(each => each['x-kind'] === kind)
  return { kind, fields: branch ? record(sampleOf(branch)) : {} }
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

/** The example of the schema; else the default, where a switch is turned; else what a section needs, made of its fields. */
function sampleOf(schema: AnySchemaObject): unknown {
  if (schema.examples) return schema.examples[0]
  if (typeof schema.default === 'boolean' && schema.type === 'boolean') return !schema.default
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.oneOf) return sampleOf(branchesOf(schema)[0] ?? {})
  if (schema.properties) return sectionOf(schema)
  if (schema.items) return [sampleOf(follow(schema.items))]
  if (schema.type === 'boolean') return true
  return undefined
}

function sectionOf({ properties, required = [] }: AnySchemaObject): unknown {
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 2)
  return Object.fromEntries(names.map((name: string) => [name, sampleOf(follow(properties[name]))]))
}
