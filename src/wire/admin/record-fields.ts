import { isObject, type JsonObject } from '../json-safety.ts'

// Each reads a value or a field of a record that a gateway sent, and throws TypeError where it is of another form.

export function object(value: unknown, what: string): JsonObject {
  if (!isObject(value)) throw new TypeError(`the gateway sent no ${what}`)
  return value
}

export function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`the gateway sent no ${what}`)
  return value
}

export function text(record: JsonObject, field: string): string {
  const value = record[field]
  if (typeof value !== 'string') throw new TypeError(`the gateway sent no ${field}`)
  return value
}

export function count(record: JsonObject, field: string): number {
  const value = record[field]
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new TypeError(`the gateway sent no ${field}`)
  return value
}

export function oneOf<T extends string>(known: readonly T[], record: JsonObject, field: string): T {
  const value = known.find(each => each === record[field])
  if (value === undefined) throw new TypeError(`the gateway sent no ${field}`)
  return value
}

/** A number that need not be an integer. */
export function number(record: JsonObject, field: string): number {
  const value = record[field]
  if (typeof value !== 'number') throw new TypeError(`the gateway sent no ${field}`)
  return value
}

export function flag(record: JsonObject, field: string): boolean {
  const value = record[field]
  if (typeof value !== 'boolean') throw new TypeError(`the gateway sent no ${field}`)
  return value
}

export const orNull = <T>(
  read: (record: JsonObject, field: string) => T,
  record: JsonObject,
  field: string,
): T | null => (record[field] === null ? null : read(record, field))

/** The optional fields of a record that are in it. */
export function given<Value, Field extends string>(
  read: (record: JsonObject, field: string) => Value,
  record: JsonObject,
  fields: readonly Field[],
): { [Name in Field]?: Value } {
  const found: { [Name in Field]?: Value } = {}
  for (const field of fields) if (record[field] !== undefined) found[field] = read(record, field)
  return found
}
