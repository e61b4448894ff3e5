import { isObject, type JsonObject } from '../json-safety.ts'
import type { AnyField, AnySchema, Fields, Schema } from './schema.ts'

/**
 * Reads what a gateway sent. Fields that are not declared are left out, since a newer gateway may send more; an open record keeps them. Throws TypeError where
 * a declared one is missing or of another form; `what` names the value in its text.
 */
export function readAs<T>(schema: Schema<T>, value: unknown, what = 'answer'): T {
  return read(schema, value, what) as T
}

function read(schema: AnySchema, value: unknown, what: string): unknown {
  switch (schema.kind) {
    case 'list':
      if (!Array.isArray(value)) throw missing(what)
      return value.map(item => read(schema.item, item, what))
    case 'any':
      return value
    case 'forms':
      return read(formOf(schema.forms, value, what), value, what)
    case 'map':
    case 'object':
    case 'record':
    case 'cases':
      return readObject(schema, value, what)
    default:
      if (!isOf(schema, value)) throw missing(what)
      return value
  }
}

type ScalarSchema = Exclude<AnySchema, ObjectSchema | { readonly kind: 'list' | 'forms' }>

function isOf(schema: ScalarSchema, value: unknown): boolean {
  switch (schema.kind) {
    case 'text':
      return typeof value === 'string' && fits(schema, value)
    case 'whole':
      return Number.isSafeInteger(value)
    case 'number':
      return typeof value === 'number'
    case 'flag':
      return typeof value === 'boolean'
    case 'nothing':
      return value === null
    case 'constant':
      return value === schema.value
    case 'word':
      return schema.among.some(word => word === value)
  }
}

type ObjectSchema = Extract<AnySchema, { readonly kind: 'map' | 'object' | 'any' | 'record' | 'cases' }>

function readObject(schema: ObjectSchema, value: unknown, what: string): unknown {
  if (!isObject(value)) throw missing(what)
  switch (schema.kind) {
    case 'object':
    case 'any':
      return value
    case 'map':
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, read(schema.value, each, name)]))
    case 'cases': {
      const found = Object.entries(schema.cases).find(([name]) => name === value[schema.field])
      if (!found) throw missing(schema.field)
      return readRecord(found[1].fields, value)
    }
    case 'record': {
      const declared = readRecord(schema.fields, value)
      return schema.isOpen ? { ...value, ...declared } : declared
    }
  }
}

function readRecord(fields: Fields, value: JsonObject): Readonly<Record<string, unknown>> {
  const record: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const found = readField(field, value[name], name)
    if (found !== undefined) record[name] = found
  }
  return record
}

function readField(field: AnyField, value: unknown, name: string): unknown {
  if (!('presence' in field)) return read(field, value, name)
  if (value !== undefined) return read(field.schema, value, name)
  return field.presence === 'defaulted' ? field.fallback : undefined
}

const missing = (what: string): TypeError => new TypeError(`the gateway sent no ${what}`)

/** The form that matches the value's JSON type. */
function formOf(forms: readonly AnySchema[], value: unknown, what: string): AnySchema {
  const found = forms.find(({ kind }) => KINDS[kind] === typeOf(value))
  if (!found) throw missing(what)
  return found
}

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

const KINDS: Readonly<Record<AnySchema['kind'], string>> = {
  text: 'string',
  word: 'string',
  whole: 'number',
  number: 'number',
  flag: 'boolean',
  nothing: 'null',
  list: 'array',
  map: 'object',
  object: 'object',
  record: 'object',
  cases: 'object',
  // Told apart by their values, not by a type.
  any: 'none',
  constant: 'none',
  forms: 'none',
}

const fits = ({ pattern }: { readonly pattern?: string }, value: string): boolean =>
  pattern === undefined || new RegExp(pattern, 'u').test(value)
