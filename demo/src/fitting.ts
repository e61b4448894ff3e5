import { sumIn } from './arithmetic.ts'
import { isObject, type JsonObject } from './json.ts'
import { endsIn, formulaIn, namesIn } from './phrases.ts'

/** The material that values are made of. */
export interface Material {
  /** Where names, numbers and choices are looked for. */
  readonly text: string
  /** The value of fields that want a whole text: a question, an answer. */
  readonly whole: string
  /** Comes before the numbers of the text. */
  readonly result?: number
  /** Leaves out optional arguments that the text does not mention, as a call of a tool should. */
  readonly sparing?: true
}

/** A value that fits a JSON Schema as well as it can: `pattern`, `not` and conditions are not looked at. */
export function fitting(schema: JsonObject, material: Material): unknown {
  // Without separators of thousands.
  const text = material.text.slice(0, 2000).replace(/(?<=\d),(?=\d{3}\b)/g, '')
  const result = material.result === undefined ? [] : [material.result]
  const spoken = [...text.matchAll(/(?<![\w.-])-?\d+(?:\.\d+)?/g)].map(Number)
  const supply: Supply = { ...material, text, root: schema, numbers: [...result, ...spoken], names: namesIn(text) }
  return fill(schema, '', supply, 0)
}

/** Used up from the front, so that two fields do not get the same number or name. */
interface Supply extends Material {
  readonly root: JsonObject
  readonly numbers: number[]
  readonly names: string[]
}

/** Schemas may contain themselves: past the first depth only required fields are filled, past the second nothing. */
const OPTIONAL_DEPTH = 4
const DEPTH_MAX = 16

function fill(raw: unknown, name: string, supply: Supply, depth: number): unknown {
  const schema = resolved(raw, supply.root)
  if (depth > DEPTH_MAX) return null
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return choices(schema.enum, supply.text)[0]
  const branch = branches(schema).find(option => typeOf(resolved(option, supply.root)) !== 'null')
  if (branch !== undefined) return fill(branch, name, supply, depth + 1)
  switch (typeOf(schema)) {
    case 'object':
      return filledObject(schema, supply, depth)
    case 'array':
      return filledArray(schema, name, supply, depth)
    case 'integer':
    case 'number':
      return numberFor(schema, supply)
    case 'boolean':
      return !/\b(?:no|not|without|don't|never|off|false)\b/i.test(supply.text)
    case 'null':
      return null
    default:
      return stringFor(schema, name, supply)
  }
}

function filledObject(schema: JsonObject, supply: Supply, depth: number): unknown {
  const properties = isObject(schema.properties) ? schema.properties : {}
  const required = strings(schema.required)
  // A schema without required fields gets all of them, since an empty object would show nothing.
  const all = required.length > 0 || depth > OPTIONAL_DEPTH ? required : Object.keys(properties)
  const names = all.filter(name => required.includes(name) || !supply.sparing || isSaid(properties[name], name, supply))
  return Object.fromEntries(names.map(name => [name, fill(properties[name], name, supply, depth + 1)]))
}

/** Whether the text has anything for the field; what is neither a text nor a number has something in every text. */
function isSaid(raw: unknown, name: string, { root, names, numbers }: Supply): boolean {
  const schema = resolved(raw, root)
  switch ('enum' in schema || 'const' in schema ? undefined : typeOf(schema)) {
    case 'string':
      return WHOLE.test(name) || names.length > 0
    case 'integer':
    case 'number':
      return numbers.length > 0
    default:
      return true
  }
}

function filledArray(schema: JsonObject, name: string, supply: Supply, depth: number): unknown {
  if (Array.isArray(schema.prefixItems)) return schema.prefixItems.map(item => fill(item, name, supply, depth + 1))
  const least = Math.max(number(schema.minItems) ?? 0, depth > OPTIONAL_DEPTH ? 0 : 1)
  const length = Math.min(least, number(schema.maxItems) ?? least)
  const items = resolved(schema.items, supply.root)
  if (Array.isArray(items.enum)) return choices(items.enum, supply.text).slice(0, length)
  return Array.from({ length }, () => fill(items, name, supply, depth + 1))
}

/** Those that the text mentions first. */
function choices(values: readonly unknown[], text: string): readonly unknown[] {
  const said = text.toLowerCase()
  const mentioned = (value: unknown) => value !== '' && said.includes(String(value).toLowerCase())
  return [...values.filter(mentioned), ...values.filter(value => !mentioned(value))]
}

function numberFor(schema: JsonObject, { numbers }: Supply): number {
  const whole = schema.type === 'integer'
  const step = number(schema.multipleOf) ?? (whole ? 1 : undefined)
  const open = step ?? 1e-6
  const low = Math.max(number(schema.minimum) ?? -Infinity, (number(schema.exclusiveMinimum) ?? -Infinity) + open)
  const high = Math.min(number(schema.maximum) ?? Infinity, (number(schema.exclusiveMaximum) ?? Infinity) - open)
  const fits = (value: number) => value >= low && value <= high && (step === undefined || value % step === 0)
  const at = numbers.findIndex(fits)
  if (at >= 0) return numbers.splice(at, 1)[0] ?? low
  const near = Math.min(Math.max(1, low), high)
  if (step === undefined) return near
  const up = Math.ceil(near / step) * step
  return up <= high ? up : Math.floor(near / step) * step
}

const WHOLE = /^(?:q|query|question|search|text|prompt|message|input|content|answer|reply|response|summary|title)$/i
const EXPRESSION = /^(?:expr|expression|formula|calculation|sum)$/i
const FORMATS: Readonly<Record<string, readonly [RegExp, string]>> = {
  date: [/\b\d{4}-\d{2}-\d{2}\b/, '1970-01-01'],
  'date-time': [/\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:Z|[-+]\d{2}:\d{2})/, '1970-01-01T00:00:00Z'],
  time: [/\b\d{2}:\d{2}:\d{2}(?:Z|[-+]\d{2}:\d{2})/, '00:00:00Z'],
  email: [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/, 'nobody@example.com'],
  uri: [/https?:\/\/[^\s"'<>]+/, 'https://example.com/'],
  uuid: [/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/i, '00000000-0000-0000-0000-000000000000'],
}

function stringFor(schema: JsonObject, name: string, supply: Supply): string {
  const format = FORMATS[String(schema.format)]
  if (format) return format[0].exec(supply.text)?.[0] ?? format[1]
  const value = wordsFor(name, supply)
  // Schemas count code points.
  const points = [...value].slice(0, number(schema.maxLength))
  return points.join('') + '.'.repeat(Math.max(0, (number(schema.minLength) ?? 0) - points.length))
}

function wordsFor(name: string, { text, whole, names }: Supply): string {
  if (WHOLE.test(name)) return whole
  if (EXPRESSION.test(name)) return formulaIn(text) ?? (sumIn(text) ?? sumIn(whole))?.expression ?? whole
  return endFor(name, text) ?? names.shift() ?? whole
}

/** For fields such as `from`, `toUnit` and `source_to`. */
function endFor(name: string, text: string): string | undefined {
  const words = name.split(/[^A-Za-z]+|(?=[A-Z])/).map(word => word.toLowerCase())
  if (words.includes('from')) return endsIn(text).from
  return words.includes('to') ? endsIn(text).to : undefined
}

/** The schema itself, with local references followed and `allOf` laid together. */
function resolved(raw: unknown, root: JsonObject, hops = 0): JsonObject {
  if (!isObject(raw) || hops > DEPTH_MAX) return {}
  if (typeof raw.$ref === 'string') return resolved(pointed(raw.$ref, root), root, hops + 1)
  if (!Array.isArray(raw.allOf)) return raw
  const parts = [{ ...raw, allOf: undefined }, ...raw.allOf.map(part => resolved(part, root, hops + 1))]
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(part => (isObject(part.properties) ? part.properties : {}))),
    required: parts.flatMap(part => strings(part.required)),
  }
}

function pointed(reference: string, root: JsonObject): unknown {
  const steps = reference.replace(/^#\/?/, '').split('/').filter(Boolean)
  return steps.reduce<unknown>((value, step) => (isObject(value) ? value[step] : undefined), root)
}

function typeOf(schema: JsonObject): unknown {
  if (Array.isArray(schema.type)) return schema.type.find(type => type !== 'null')
  return schema.type ?? (isObject(schema.properties) ? 'object' : 'items' in schema ? 'array' : 'string')
}

const branches = (schema: JsonObject): readonly unknown[] =>
  Array.isArray(schema.anyOf) ? schema.anyOf : Array.isArray(schema.oneOf) ? schema.oneOf : []
const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter(entry => typeof entry === 'string') : []
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
