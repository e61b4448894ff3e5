import { type AnyShape, presentOf, type Shape } from './shape.ts'

/** A field of a record: its shape, and its name where the record leaves the process as JSON, as CSV or as a row of a table. */
export interface Field<S = unknown, Name extends string = string> {
  readonly shape: S
  readonly name: Name
  /** The column of a table, where it has another name there. */
  readonly column?: string
  /** JSON says 0 where the field is absent, in place of null. */
  readonly isZero?: true
}

/** The fields of a record, by the names that they have in the code: a shape alone where a field leaves the process under that name. */
export type Fields = Readonly<Record<string, Field | AnyShape>>

type ShapeIn<F> = F extends Field<infer S> ? S : F

/** Declares a field. */
export const field = <S, const Name extends string, const More extends Pick<Field, 'column' | 'isZero'> = object>(
  name: Name,
  shape: S,
  more?: More,
): Field<S, Name> & More => ({ name, shape, ...(more as More) })

/** The type of a record, as its fields declare it. */
export type RecordOf<F extends Fields> = Always<F, AlwaysName<F>> & Maybe<F, MaybeName<F>>

/** The fields that every record has. */
export type AlwaysName<F extends Fields> = Exclude<keyof F, MaybeName<F>>

/** The fields that may be absent. */
export type MaybeName<F extends Fields> = {
  [Name in keyof F]: ShapeIn<F[Name]> extends { readonly kind: 'optional' } ? Name : never
}[keyof F]

// Mapped over keys of `F` itself, so that the comments of the declaration show at every use.
type Always<F extends Fields, Name extends keyof F> = { readonly [N in Name]: ValueOf<F[N]> }
type Maybe<F extends Fields, Name extends keyof F> = { readonly [N in Name]?: ValueOf<F[N]> }

export type ValueOf<F> =
  ShapeIn<F> extends { readonly of?: (value: infer T) => unknown } ? Exclude<T, undefined> : never

/** A field as codecs go through it. */
export interface ListedField<Member extends string = string> {
  readonly member: Member
  readonly name: string
  readonly column: string
  readonly kind: AnyShape['kind']
  readonly isOptional: boolean
  readonly isZero: boolean
}

/** The fields in the order of their declaration. */
export const listOf = <F extends Fields>(fields: F): readonly ListedField<keyof F & string>[] =>
  Object.entries(fields).map(([member, declared]) => {
    const shape = shapeIn(declared)
    const { name, column = name, isZero = false } = 'name' in declared ? declared : { name: member }
    return { member, name, column, kind: presentOf(shape).kind, isOptional: shape.kind === 'optional', isZero }
  })

const shapeIn = (declared: Field | AnyShape): AnyShape => ('kind' in declared ? declared : (declared.shape as AnyShape))

/** The shape of the whole record. */
export const shapeOf = <F extends Fields>(fields: F): Shape<RecordOf<F>> => ({
  kind: 'record',
  fields: Object.fromEntries(Object.entries(fields).map(([member, declared]) => [member, shapeIn(declared)])),
})

/** A record with every field named, also those that it does not have: what writes it out so does not compile until it names a new one. */
export type Complete<T> = { readonly [Name in keyof T]-?: T[Name] | undefined }

/** The record without the fields that it does not have. */
export function present<T extends object>(all: Complete<T>): T {
  const record: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(all)) if (value !== undefined) record[name] = value
  return record as T
}

/**
 * Names in the order in which a format has always had them, and behind them those that were declared since, so that a new
 * field changes no byte of a record without it.
 */
export const inOrder = <Name extends string>(first: readonly Name[], all: readonly Name[]): readonly Name[] => [
  ...first,
  ...all.filter(name => !first.includes(name)),
]

/** Makes a record of what `read` finds for each field; undefined leaves an optional one out. */
export function recordFrom<F extends Fields>(
  fields: readonly ListedField<keyof F & string>[],
  read: (field: ListedField<keyof F & string>) => unknown,
): RecordOf<F> {
  const record: Record<string, unknown> = {}
  for (const field of fields) {
    const value = read(field)
    if (value !== undefined) record[field.member] = value
  }
  return record as RecordOf<F>
}
