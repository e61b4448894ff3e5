import type { ClientDialectName } from '../policy/dialect-members.ts'
import type { ClientDialect } from './client-dialect.ts'
import { messages } from './messages/client.ts'
import { messagesNative } from './messages/native.ts'
import type { NativeDialect } from './native/native-dialect.ts'
import { responses } from './responses/client.ts'
import { responsesNative } from './responses/native.ts'

interface Row {
  readonly client: ClientDialect
  readonly native: NativeDialect
  /** What fields of a chat are called, for problems that are found in it. */
  readonly fields: Readonly<Record<string, string>>
}

/** The dialects of clients beside that of chats, one row each. */
export const CLIENT_DIALECTS: Readonly<Record<ClientDialectName, Row>> = {
  responses: {
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
  },
  messages: {
    client: messages,
    native: messagesNative,
    fields: {
      stop: 'stop_sequences',
      response_format: 'output_config.format',
      reasoning_effort: 'output_config.effort',
    },
  },
}
