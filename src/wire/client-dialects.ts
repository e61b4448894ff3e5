import { type ClientDialectName, DIALECT_MEMBERS } from '../policy/dialect-members.ts'
import type { ClientDialect } from './client-dialect.ts'
import type { ErrorForm } from './errors/forms.ts'
import { messages } from './messages/client.ts'
import { messagesErrors } from './messages/errors.ts'
import { messagesNative } from './messages/native.ts'
import type { NativeDialect } from './native/dialect.ts'
import { responses } from './responses/client.ts'
import { responsesErrors } from './responses/errors.ts'
import { responsesNative } from './responses/native.ts'

/** The questions to a client dialect. All are required, so that a new dialect compiles only once it answers them. */
export interface ClientDialectRow {
  /** Its name on pages. */
  readonly title: string
  readonly client: ClientDialect
  readonly native: NativeDialect
  /** Its names for fields of a chat, for problems that are found in them. */
  readonly fields: Readonly<Record<string, string>>
  readonly errors: ErrorForm
  /** The header that identifies its clients at the catalogue of models; undefined if there is none. */
  readonly catalogHeader: string | undefined
}

/** Client dialects other than chat completions, one row each. */
export const CLIENT_DIALECTS: Readonly<Record<ClientDialectName, ClientDialectRow>> = {
  responses: {
    title: 'Responses',
    client: responses,
    native: responsesNative,
    fields: {
      messages: 'input',
      max_completion_tokens: 'max_output_tokens',
      logprobs: 'top_logprobs',
      'image_url.detail': 'input_image.detail',
      response_format: 'text.format',
      reasoning_effort: 'reasoning.effort',
      verbosity: 'text.verbosity',
    },
    errors: responsesErrors,
    catalogHeader: undefined,
  },
  messages: {
    title: 'Messages',
    client: messages,
    native: messagesNative,
    fields: {
      stop: 'stop_sequences',
      response_format: 'output_config.format',
      reasoning_effort: 'output_config.effort',
    },
    errors: messagesErrors,
    catalogHeader: 'anthropic-version',
  },
}

export const CLIENT_DIALECT_NAMES = Object.keys(DIALECT_MEMBERS) as readonly ClientDialectName[]

/** The path at which clients of a dialect send their requests. */
export const dialectPath = (name: ClientDialectName): DialectPath => `/v1/${name}`

export type DialectPath = `/v1/${ClientDialectName}`

export const isDialectPath = (path: string): path is DialectPath =>
  CLIENT_DIALECT_NAMES.some(name => dialectPath(name) === path)

export const dialectAt = (path: DialectPath): ClientDialectName => path.slice('/v1/'.length) as ClientDialectName
