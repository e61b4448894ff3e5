import { type Denied, invalid } from '../../policy/denial.ts'
import { type AnyField, type AnySchema, type Fields, schemaIn } from '../../wire/schema/schema.ts'
import type { HttpCall } from '../listener/call.ts'
import { readQuery, wholeIn } from '../listener/request-input.ts'

/** Reads the query of a request as its declaration says: each parameter at most once, and no other. */
export function readParameters(call: HttpCall, fields: Fields): object | Denied {
  const texts: Readonly<Partial<Record<string, string>>> | Denied = readQuery<string>(call, Object.keys(fields))
  if ('denial' in texts) return texts as Denied
  const query: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const text = texts[name]
    const read = text === undefined ? absent(name, field) : readText(name, schemaIn(field), text)
    if ('denial' in read) return read
    if (read.value !== undefined) query[name] = read.value
  }
  return query
}

type Read = { readonly value?: unknown } | Denied

function absent(name: string, field: AnyField): Read {
  if ('presence' in field) return 'fallback' in field ? { value: field.fallback } : {}
  return invalid(name, ('rule' in field && field.rule) || 'is required')
}

function readText(name: string, schema: AnySchema, text: string): Read {
  switch (schema.kind) {
    case 'whole': {
      const { most = 999_999_999, rule = `must be a number from 1 to ${most}` } = schema
      const value = wholeIn(text, most)
      return value === undefined ? invalid(name, rule) : { value }
    }
    case 'word':
      return schema.among.includes(text) ? { value: text } : invalid(name, `must be ${schema.among.join(' or ')}`)
    case 'list':
      return readList(name, schema, text)
    default:
      return { value: text }
  }
}

function readList(name: string, schema: Extract<AnySchema, { readonly kind: 'list' }>, text: string): Read {
  const value = text.split(',')
  const among = schema.item.kind === 'word' ? schema.item.among : value
  const isRepeated = schema.isUnique && new Set(value).size < value.length
  if (value.every(each => among.includes(each)) && !isRepeated) return { value }
  return invalid(name, `must be one of ${among.join(', ')}, or several separated by commas`)
}
