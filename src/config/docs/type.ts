import type { AnySchemaObject } from 'ajv/dist/2020.js'
import { FORMATS } from '../model/formats.ts'
import { branchesOf, configSchema, type Field, follow } from '../model/schema.ts'
import { sayUnit, type Unit } from '../model/units.ts'

/** The type of a value. */
export interface Type {
  /** `a whole number`, `a list of base URLs` */
  readonly type: string
  /** The unit of a quantity, with its range; null where the field is no quantity. */
  readonly unit: string | null
  /** How to write it; null if the type explains that. */
  readonly written: string | null
  readonly range: string | null
}

/** The type of values by their schema. */
export function typeOf(schema: AnySchemaObject): Type {
  const unit: Unit | undefined = schema['x-unit']
  const { minimum, maximum } = schema
  return {
    type: textOf(schema),
    unit: unit ? UNITS[unit.kind] : null,
    written: FORMATS[schema.format]?.hint.replace(/^write /, '') ?? null,
    range: unit ? sayUnit(unit).range : minimum === undefined ? null : `${minimum} to ${maximum}`,
  }
}

const UNITS: Readonly<Record<Unit['kind'], string>> = {
  count: 'k for 1,000, M for 1,000,000: 40000, 40k or 2M',
  duration: 'ms, s, m, h or d: 500ms, 30s, 5m, 1h or 90d',
  size: 'bytes, or KB, MB or GB by thousands: 512KB or 10MB',
  usd: 'US dollars, to 9 decimals',
  price: 'US dollars for a million tokens, to 6 decimals',
  share: 'a part of all, to 6 decimals: 0.1 is a tenth',
  percent: '%, to 4 decimals: 5%',
  factor: 'times as much, to 6 decimals: 1.5x',
}

function textOf(schema: AnySchemaObject): string {
  if (schema.const !== undefined) return `always ${schema.const}`
  if (schema.enum) return choice(schema.enum.map(String))
  const types: readonly string[] = schema.oneOf ? ['object'] : [schema.type].flat()
  // The type of a list names its items in the same way.
  if (schema['x-expects'] && !types.includes('object')) return schema['x-expects']
  const texts = types.map(type => ofType(type, schema)).filter(text => text !== '')
  return choice([...new Set(texts)])
}

function ofType(type: string, schema: AnySchemaObject): string {
  const unit: Unit | undefined = schema['x-unit']
  switch (type) {
    case 'boolean':
      return 'true or false'
    case 'array':
      return `a list; each ${shortly(follow(schema.items))}`
    case 'object':
      return ofObject(schema)
    case 'integer':
      return unit && unit.kind !== 'count' ? sayUnit(unit).noun : 'a whole number'
    case 'number':
      return unit ? sayUnit(unit).noun : 'a number'
    case 'string':
      if (unit) return unit.kind === 'count' ? '' : sayUnit(unit).noun
      return (
        FORMATS[schema.format]?.expects ?? (schema.pattern && schema.items ? shortly(follow(schema.items)) : 'a text')
      )
    default:
      return type
  }
}

function ofObject({ additionalProperties: byName, properties, oneOf }: AnySchemaObject): string {
  if (properties || oneOf) return 'a section'
  const entry = byName && Object.keys(byName).length > 0 ? shortly(follow(byName)) : 'anything'
  return `entries by name; each ${entry}`
}

/** Without what a name is made of. */
const shortly = (schema: AnySchemaObject): string => textOf(schema).split(': ', 1)[0] ?? ''

const choice = (texts: readonly string[]): string =>
  texts.length < 2 ? (texts[0] ?? '') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`

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

/** Puts a value under the names that lead to it, beside the field that says the kind of the thing that has it. */
function around([step, ...others]: readonly string[], value: unknown, own: Own, section = ''): unknown {
  if (step === undefined) return value
  // The field that says the kind belongs to the outermost thing that has a name.
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
