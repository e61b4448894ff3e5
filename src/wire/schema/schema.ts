/**
 * Describes a JSON value of an API, as data: the reader of answers, the check of bodies and queries, and the published
 * document derive from it. `T` is the type of the value.
 */
export type Schema<T> = AnySchema & { readonly of?: (value: T) => T }

/** A field that may be absent. */
export interface Optional<T> extends MaybeAbsent {
  readonly of?: (value: T) => T
}

/** A field that reads as `fallback` if it is absent, because an older gateway does not send it or a query omits it. */
export interface Defaulted<T> extends WithFallback {
  readonly of?: (value: T) => T
}

interface MaybeAbsent {
  readonly presence: 'optional'
  readonly schema: AnySchema
}

interface WithFallback {
  readonly presence: 'defaulted'
  readonly schema: AnySchema
  readonly fallback: unknown
}

export type AnyField = AnySchema | MaybeAbsent | WithFallback
export type Fields = Readonly<Record<string, AnyField>>

export type AnySchema = { readonly description?: string } & (
  | ({ readonly kind: 'text' } & TextBounds)
  | ({ readonly kind: 'whole' } & NumberBounds)
  | { readonly kind: 'number' | 'flag' | 'nothing' }
  /** Any JSON object, or any JSON at all. */
  | { readonly kind: 'object' | 'any' }
  | { readonly kind: 'constant'; readonly value: string | boolean }
  | { readonly kind: 'word'; readonly among: readonly string[] }
  | ({ readonly kind: 'list'; readonly item: AnySchema } & ListBounds)
  | ({ readonly kind: 'map'; readonly value: AnySchema } & MapBounds)
  | RecordSchema
  /** One of several schemas, each of a different JSON type. */
  | { readonly kind: 'forms'; readonly forms: readonly AnySchema[] }
  /** A record whose `field` names its case. */
  | { readonly kind: 'cases'; readonly field: string; readonly cases: Readonly<Record<string, RecordSchema>> }
)

export interface RecordSchema {
  readonly kind: 'record'
  readonly description?: string
  /** The description for this use of the record. */
  readonly here?: string
  readonly fields: Fields
  /** The name of its schema in the document. */
  readonly name?: string
  /** Refuses undeclared fields. */
  readonly isClosed?: true
  /** Keeps undeclared fields. */
  readonly isOpen?: true
  /** Fields that are allowed only together with others, by name. */
  readonly together?: Readonly<Record<string, readonly string[]>>
}

/** The meaning of a pattern for people: `must be one line of text`. */
interface Ruled {
  readonly rule?: string
}

interface TextBounds extends Ruled {
  readonly least?: number
  readonly most?: number
  readonly pattern?: string
  readonly format?: 'date-time' | 'date' | 'uri'
}

interface NumberBounds extends Ruled {
  readonly least?: number
  readonly most?: number
}

interface ListBounds {
  readonly least?: number
  readonly most?: number
  readonly isUnique?: true
}

interface MapBounds {
  readonly most?: number
  /** The schema of each name. */
  readonly names?: AnySchema
}

/** The type of the values of a schema or a field. */
export type TypeOf<S> = S extends { readonly of?: (value: infer T) => unknown } ? T : never

/** The type of a record, as its fields declare it. */
export type RecordOf<F extends Fields> = Always<F, Exclude<keyof F, MaybeName<F>>> & Maybe<F, MaybeName<F>>

type MaybeName<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly presence: 'optional' } ? Name : never
}[keyof F]
type Always<F extends Fields, Name extends keyof F> = { readonly [N in Name]: TypeOf<F[N]> }
type Maybe<F extends Fields, Name extends keyof F> = { readonly [N in Name]?: TypeOf<F[N]> }

const saying = (description: string | undefined) => (description === undefined ? {} : { description })

/** A schema with a description for this use. A named record keeps its own as well. */
export const described = <S extends AnySchema>(schema: S, description: string): S =>
  schema.kind === 'record' ? { ...schema, here: description } : { ...schema, description }

export const text = <T extends string = string>(description?: string, bounds: TextBounds = {}): Schema<T> => ({
  kind: 'text',
  ...saying(description),
  ...bounds,
})

/** A moment as ISO 8601 text, to the millisecond. */
export const moment = (description?: string): Schema<string> => text(description, { format: 'date-time' })

/** An integer that is exact in JSON. */
export const whole = <T extends number = number>(description?: string, bounds: NumberBounds = {}): Schema<T> => ({
  kind: 'whole',
  ...saying(description),
  ...bounds,
})

/** A number that need not be an integer. */
export const number = (description?: string): Schema<number> => ({ kind: 'number', ...saying(description) })

export const flag = (description?: string): Schema<boolean> => ({ kind: 'flag', ...saying(description) })

export const word = <const T extends string>(among: readonly T[], description?: string): Schema<T> => ({
  kind: 'word',
  among,
  ...saying(description),
})

/** One value and no other. */
export const fixed = <const T extends string | boolean>(value: T): Schema<T> => ({ kind: 'constant', value })

export const list = <T>(item: Schema<T>, description?: string, bounds: ListBounds = {}): Schema<readonly T[]> => ({
  kind: 'list',
  item,
  ...saying(description),
  ...bounds,
})

/** Values by names that are not declared. */
export const map = <T>(
  value: Schema<T>,
  description?: string,
  bounds: MapBounds = {},
): Schema<Readonly<Record<string, T>>> => ({ kind: 'map', value, ...saying(description), ...bounds })

/** Any JSON object. */
export const object = <T extends object = object>(description?: string): Schema<T> => ({
  kind: 'object',
  ...saying(description),
})

/** Any JSON, for values that newer gateways may write in another form. */
export const anything: Schema<unknown> = { kind: 'any' }

const nothing: AnySchema = { kind: 'nothing' }

export const orNull = <T>(schema: Schema<T>): Schema<T | null> => ({
  kind: 'forms',
  forms: [...(schema.kind === 'forms' ? schema.forms : [schema]), nothing],
})

/** A value of one of several JSON types, such as a flag or a record. */
export const forms = <S extends readonly AnySchema[]>(...each: S): Schema<TypeOf<S[number]>> => ({
  kind: 'forms',
  forms: each,
})

/** A record of an answer. If named, it becomes a schema of the document. */
export const record = <F extends Fields>(fields: F, name?: string, description?: string): RecordIn<F> => ({
  kind: 'record',
  fields,
  ...(name !== undefined && { name }),
  ...saying(description),
})

/** A body without further fields. */
export const closed = <F extends Fields>(
  fields: F,
  together?: Readonly<Record<string, readonly (keyof F & string)[]>>,
): RecordIn<F> => ({ kind: 'record', fields, isClosed: true, ...(together && { together }) })

/** A record that may have further members. */
export const open = <S extends RecordSchema>(schema: S): S => ({ ...schema, isOpen: true })

/** The schema of a record whose fields other records can include. */
export interface RecordIn<F extends Fields> extends Omit<RecordSchema, 'fields'> {
  readonly fields: F
  readonly of?: (value: RecordOf<F>) => RecordOf<F>
}

/** Records of several kinds, told apart by the text in one of their fields. */
export const cases = <const C extends Readonly<Record<string, RecordSchema>>>(
  field: string,
  each: C,
): Schema<TypeOf<C[keyof C]>> => ({ kind: 'cases', field, cases: each })

export const optional = <T>(schema: Schema<T>): Optional<T> => ({ presence: 'optional', schema })

export const defaulted = <T>(schema: Schema<T>, fallback: NoInfer<T>): Defaulted<T> => ({
  presence: 'defaulted',
  schema,
  fallback,
})

/** The page of a list: `{ object: 'list', data }`, then further fields. */
export const listing = <T, F extends Fields = Record<never, never>>(item: Schema<T>, more?: F) =>
  record({ object: fixed('list'), data: list(item), ...(more as F) })

export const schemaIn = (field: AnyField): AnySchema => ('presence' in field ? field.schema : field)
