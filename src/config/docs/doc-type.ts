import type { AnySchemaObject } from 'ajv/dist/2020.js'
import { FORMATS } from '../check/formats.ts'
import { follow } from '../check/schema.ts'
import { sayUnit, type Unit } from '../check/units.ts'

/** What a value may be. */
export interface Type {
  /** `a whole number`, `a list of base URLs` */
  readonly type: string
  /** What it counts, and from where to where it goes; null where it is no quantity. */
  readonly unit: string | null
  /** How to write it; null where the type says so. */
  readonly written: string | null
  readonly range: string | null
}

/** What the schema says of values. */
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
}

function textOf(schema: AnySchemaObject): string {
  if (schema.const !== undefined) return `always ${schema.const}`
  if (schema.enum) return choice(schema.enum.map(String))
  const types: readonly string[] = schema.oneOf ? ['object'] : [schema.type].flat()
  // One of a list says the same of its items.
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
