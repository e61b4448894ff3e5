import type { Kind } from '../policy/config.ts'

/** Requests that are read and answered in a form of their own; what passes through has none. */
export type InferenceKind = Exclude<Kind, 'passthrough'>

/**
 * How the backends of a pool speak. Everything between a client and an attempt has the form of the public API, which is
 * OpenAI's; a dialect turns it into the form of a backend, and what the backend answers into the form of the public API.
 * docs/internals/recipes.md has a recipe for another one.
 *
 * @example
 * // Backends with OpenAI's forms below other paths.
 * const dialect: Dialect = {
 *   path: ({ model, stream }) => `/models/${model}:${stream ? 'stream' : 'generate'}`,
 *   leastCap: 1,
 *   modelsPath: '/models',
 *   body: (_kind, body) => body,
 *   answer: (_kind, bytes) => (bytes.length > 0 ? bytes : undefined),
 *   models: () => undefined,
 * }
 */
export interface Dialect {
  /** Where a backend takes such requests, below the base URL of a replica. It may have a query. */
  path(coordinates: Coordinates): string
  /** The smallest cap of an answer that backends take. */
  readonly leastCap: number
  /** Where it lists its models, below the base URL. */
  readonly modelsPath: string
  /** The body for a backend, of a body in the public form that has the backend's name of the model and the granted cap. */
  body(kind: InferenceKind, body: Buffer): Buffer
  /** The whole answer of a backend in the public form; undefined where the bytes are no such answer. */
  answer(kind: InferenceKind, bytes: Buffer): Buffer | undefined
  /**
   * Makes the translator of one stream; absent where backends stream in the public form. Signed thoughts come each with
   * its end where `thoughtsApart`, or else all of them before the finish.
   */
  readonly translator?: (thoughtsApart?: boolean) => StreamTranslator
  /** The models of a list; undefined where the bytes are no list, or not all of one. */
  models(bytes: Buffer): readonly ListedModel[] | undefined
}

/** Inputs of a request's path. OpenAI's names the kind alone; Gemini's also names the model and how it answers. */
export interface Coordinates {
  readonly kind: InferenceKind
  /** The backend's name of the model. */
  readonly model: string
  /** Whether the answer is to come as a stream: the body asks for one too. */
  readonly stream: boolean
}

/** Turns the bytes of one stream into server-sent events of the public form, wherever the bytes were cut. */
export interface StreamTranslator {
  /** Lines that were no field of an event, and had JSON in them. */
  readonly strayLines: number
  /** Bytes that are kept of an event that is not complete. */
  readonly held: number
  /** The whole events that these bytes completed; empty when there is none. */
  push(bytes: Buffer): Buffer
  /** The rest that the end of the bytes completes. */
  end(): Buffer
}

export interface ListedModel {
  readonly id: string
  /** Tokens that the backend takes, if its list names them. */
  readonly context?: number
}
