import type { Role } from '../admin/role.ts'
import type { OperatorErrorCode } from '../errors/codes.ts'
import type { AnySchema, Fields, RecordOf, RecordSchema, TypeOf } from '../schema/schema.ts'

/**
 * One call of the admin API, declared once. The types of handlers and of `svcctl`, the check of its query and body, the reader
 * of its answer and its operation in `GET /admin/openapi.json` follow from it.
 */
export interface AdminCall {
  readonly method: 'GET' | 'POST'
  /** The segment `{id}` matches any text without a slash. */
  readonly path: string
  /** The lowest role that may call it. */
  readonly needs: Role | 'anyone'
  readonly summary: string
  /** The description of `{id}`. */
  readonly id?: string
  readonly query?: Fields
  /** The body, which clients may omit if all of its fields are optional. */
  readonly body?: RecordSchema
  /** The most bytes of the body, if larger than the default. */
  readonly mostBytes?: number
  /** Whether a repetition with the same `Idempotency-Key` gets the first answer again. */
  readonly repeats?: true
  /** The answer as JSON. */
  readonly answer?: AnySchema
  /** Each line of an answer of JSON lines. */
  readonly lines?: AnySchema
  /** Each event of a stream. */
  readonly events?: AnySchema
  /** Media types of answers that no schema describes. */
  readonly others?: readonly string[]
  /** Errors in addition to those that every call may return. */
  readonly errors?: readonly OperatorErrorCode[]
}

/** Declares a call. */
export const call = <const C extends AdminCall>(declared: C): C => declared

export type BodyOf<C> = C extends { readonly body: infer S } ? TypeOf<S> : undefined
export type AnswerOf<C> = C extends { readonly answer: infer S } ? TypeOf<S> : undefined
export type LineOf<C> = C extends { readonly lines: infer S } ? TypeOf<S> : never
export type QueryOf<C> = C extends { readonly query: infer F extends Fields } ? RecordOf<F> : Record<never, never>

/** A call that only reads or changes the store; its body has all parameters. */
export type OperationCall = AdminCall & { readonly needs: Role; readonly answer: AnySchema }

/** A body as a client sends it, which may omit fields with a default. */
export type BodySent<C> = C extends { readonly body: { readonly fields: infer F extends Fields } }
  ? Pick<RecordOf<F>, Exclude<keyof RecordOf<F>, DefaultedName<F>>> &
      Partial<Pick<RecordOf<F>, DefaultedName<F> & keyof RecordOf<F>>>
  : undefined

type DefaultedName<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly presence: 'defaulted' } ? Name : never
}[keyof F]

/** The query as a client sends it: each parameter as its value or as text. */
export type QuerySent<C> = C extends { readonly query: infer F } ? { readonly [Name in keyof F]?: Sendable } : undefined

export interface Sent<C> {
  /** The value of `{id}` in the path. */
  readonly id?: string
  readonly query?: QuerySent<C>
}

type Sendable = string | number | boolean | readonly string[] | undefined

/** The path of a call with its query. */
export function pathOf<C extends AdminCall>({ path }: C, { id = '', query }: Sent<C> = {}): string {
  const words = Object.entries<Sendable>(query ?? {}).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(',') : String(value)]],
  )
  const place = path.replace('{id}', encodeURIComponent(id))
  return words.length === 0 ? place : `${place}?${new URLSearchParams(words)}`
}
