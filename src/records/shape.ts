import type { EpochMs } from '../policy/config.ts'
import type { NanoUsd } from '../policy/nano-usd.ts'

/**
 * Describes a value that is stored or travels, as data: codecs derive from it how they write and read the value, and tests
 * generate values of it. `T` is the type of the value: when a type gets another field, its shape does not compile until it
 * has that field too.
 */
export type Shape<T> = AnyShape & { readonly of?: (value: T) => T }

export type AnyShape =
  | { readonly kind: 'number' | 'moment' | 'flag' | 'text' | 'bytes' | 'counts' | 'texts' | 'nothing' }
  /** Plain JSON. The text of a `repeated` value is cached, because few distinct values occur. */
  | { readonly kind: 'json'; readonly repeated: boolean }
  | { readonly kind: 'list'; readonly item: AnyShape }
  | { readonly kind: 'optional'; readonly present: AnyShape }
  | { readonly kind: 'record'; readonly fields: Readonly<Record<string, AnyShape>> }
  /** One of values that both sides have. */
  | { readonly kind: 'constant'; readonly among: readonly unknown[] }
  /** As the first shape where a field has a value, else as the other one. */
  | {
      readonly kind: 'either'
      readonly field: string
      readonly is: string
      readonly then: AnyShape
      readonly or: AnyShape
    }

/** A field that may be absent, or a value that may be undefined. */
export interface Optional<T> {
  readonly kind: 'optional'
  readonly present: AnyShape
  readonly of?: (value: T | undefined) => T | undefined
}

export const number: Shape<number> = { kind: 'number' }
export const nanoUsds: Shape<NanoUsd> = { kind: 'number' }
/** Milliseconds since the epoch; ISO 8601 in JSON for people, a timestamp in a table. */
export const moment: Shape<EpochMs> & { readonly kind: 'moment' } = { kind: 'moment' }
export const flag: Shape<boolean> = { kind: 'flag' }
/** A flag that is present or absent. */
export const yes: Shape<true> = { kind: 'flag' }
export const text: Shape<string> = { kind: 'text' }
/** A text out of a few. */
export const word = <T extends string>(): Shape<T> => ({ kind: 'text' })
/** Plain JSON of a type. */
export const jsonOf = <T>(): Shape<T> => json
/** Numbers by name. */
export const counts: Shape<Readonly<Record<string, number>>> = { kind: 'counts' }
/** Texts by name. */
export const texts: Shape<Readonly<Record<string, string>>> = { kind: 'texts' }
export const costs: Shape<Readonly<Record<string, NanoUsd>>> = { kind: 'counts' }
/** A Buffer. It has no type here, since the console, which runs in browsers, imports types from this folder. */
export const bytes = { kind: 'bytes' } as const
export const nothing: Shape<void> = { kind: 'nothing' }
/** Any plain JSON. */
export const json = { kind: 'json', repeated: false } as const
/** An immutable JSON object: reading it twice returns the same object. */
export const repeatedJson = { kind: 'json', repeated: true } as const
export const list = <T>(item: Shape<T>): Shape<readonly T[]> => ({ kind: 'list', item })
export const optional = <T>(present: Shape<T>): Optional<T> => ({ kind: 'optional', present })
export const constant = <const T>(among: readonly T[]): Shape<T> => ({ kind: 'constant', among })

export const record = <T extends object>(fields: Fields<T>): RecordShape<T> => ({
  kind: 'record',
  fields: fields as Readonly<Record<string, AnyShape>>,
})

/** The shape of a record with a list of fields. */
export type RecordShape<T> = Extract<AnyShape, { kind: 'record' }> & { readonly of?: (value: T) => T }

/** The names of the fields that are numbers. */
export const numbersIn = ({ fields }: Extract<AnyShape, { kind: 'record' }>): readonly string[] =>
  Object.entries(fields).flatMap(([name, shape]) => (NUMBERS.has(presentOf(shape).kind) ? [name] : []))

const NUMBERS: ReadonlySet<AnyShape['kind']> = new Set(['number', 'moment'])

export const presentOf = (shape: AnyShape): AnyShape => (shape.kind === 'optional' ? shape.present : shape)

/** The names of the fields that may be absent. */
export const optionalIn = ({ fields }: Extract<AnyShape, { kind: 'record' }>): readonly string[] =>
  Object.entries(fields).flatMap(([name, { kind }]) => (kind === 'optional' ? [name] : []))

/** The shape of every field of `T`. */
type Fields<T> = {
  readonly [Field in keyof T]-?: object extends Pick<T, Field>
    ? Optional<Exclude<T[Field], undefined>>
    : Shape<T[Field]>
}

/** The values of a union whose `field` says `is` have a shape of their own. */
export const either = <T extends object, Field extends string, Is extends string>(
  field: Field,
  is: Is,
  then: Shape<Extract<T, { readonly [F in Field]: Is }>>,
  or: Shape<Exclude<T, { readonly [F in Field]: Is }>>,
): Shape<T> => ({ kind: 'either', field, is, then, or })
