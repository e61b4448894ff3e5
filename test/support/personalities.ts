import { cellsFor, type Facts, type ProviderName } from '../../src/policy/providers/profile.ts'
import { PROFILES } from '../../src/policy/providers/profiles.ts'
import type { Seen } from './backend.ts'
import { answer, type Behaviour, status, stream } from './behaviours.ts'

/**
 * A backend that takes what a profile says its provider takes, and refuses the rest in the provider's own words: each sourced
 * fact is held against the request.
 */
export function personalityOf(name: ProviderName, model: string): Behaviour {
  return exchange => {
    const refused = refusalOf(name, model, exchange.seen)
    if (refused) return refused(exchange)
    if (exchange.seen.body.stream !== true) return answer({ content: 'Hello.' })(exchange)
    const finish = valueIn(name, 'finishReason', model) === 'optional' ? null : 'stop'
    return stream({ chunks: ['Hel', 'lo.'], finish, usage: USAGE })(exchange)
  }
}

const USAGE = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }

function refusalOf(name: ProviderName, model: string, { body }: Seen): Behaviour | undefined {
  const say = WORDS[name] ?? openaiWords
  const dropped = cellsFor(PROFILES[name], 'drops', model).flatMap(({ is }) => is)
  const field = dropped.find(each => Object.hasOwn(body, each))
  if (field !== undefined) return say.field(field)
  const cap = valueIn(name, 'cap', model)
  const other = cap === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens'
  if (cap !== undefined && cap !== 'both' && (Object.hasOwn(body, other) || !Object.hasOwn(body, cap)))
    return say.field(other)
  if (valueIn(name, 'streamOptions', model) === false && Object.hasOwn(body, 'stream_options'))
    return say.field('stream_options')
  const id = idsIn(body).find(each => !/^[A-Za-z0-9]{9}$/.test(String(each)))
  if (valueIn(name, 'callIds', model) === 'nine_alphanumeric' && id !== undefined)
    return status(400, {
      object: 'error',
      message: `Tool call id was ${String(id)} but must be a-z, A-Z, 0-9, with a length of 9.`,
    })
  const member = MEMBERS_OF_THOUGHTS.find(name => messagesIn(body).some(message => Object.hasOwn(message, name)))
  if (valueIn(name, 'thoughts', model) === 'parts' && member !== undefined)
    return say.field(`messages.assistant.${member}`)
  const place = rolesIn(body).indexOf('developer')
  if (valueIn(name, 'developerRole', model) === false && place !== -1) return say.role(place)
  return undefined
}

const valueIn = <Fact extends keyof Facts>(name: ProviderName, fact: Fact, model: string): Facts[Fact] | undefined =>
  cellsFor(PROFILES[name], fact, model)[0]?.is

/** Ids of calls and results. */
const idsIn = ({ messages }: Readonly<Record<string, unknown>>): readonly unknown[] =>
  (Array.isArray(messages) ? messages : []).flatMap(({ tool_calls: calls, tool_call_id: id }) => [
    ...(Array.isArray(calls) ? calls.map((call: { readonly id?: unknown }) => call.id) : []),
    ...(id === undefined ? [] : [id]),
  ])

const MEMBERS_OF_THOUGHTS = ['reasoning_content', 'reasoning']

const messagesIn = ({ messages }: Readonly<Record<string, unknown>>): readonly object[] =>
  Array.isArray(messages) ? messages : []

const rolesIn = ({ messages }: Readonly<Record<string, unknown>>): readonly unknown[] =>
  Array.isArray(messages) ? messages.map(({ role }: { readonly role?: unknown }) => role) : []

/** How a provider says that it does not take a field, or a role. */
interface Words {
  readonly field: (name: string) => Behaviour
  readonly role: (place: number) => Behaviour
}

const openaiError = (message: string, param: string | null, code: string | null = null) =>
  status(400, { error: { message, type: 'invalid_request_error', param, code } })

const openaiWords: Words = {
  field: name =>
    UNRECOGNIZED.has(name)
      ? openaiError(`Unrecognized request argument supplied: ${name}`, null)
      : openaiError(
          `Unsupported parameter: '${name}' is not supported with this model.${name === 'max_tokens' ? " Use 'max_completion_tokens' instead." : ''}`,
          name,
          'unsupported_parameter',
        ),
  role: place => openaiError(`Invalid value: 'developer'.`, `messages[${place}].role`, 'invalid_value'),
}

const UNRECOGNIZED = new Set(['top_k', 'min_p', 'repetition_penalty', 'chat_template_kwargs', 'prompt_cache_key'])

const engineError = (message: string) =>
  status(400, { error: { message, type: 'BadRequestError', param: null, code: 400 } })

const engineWords: Words = {
  field: name =>
    engineError(`[{'type': 'extra_forbidden', 'loc': ('body', '${name}'), 'msg': 'Extra inputs are not permitted'}]`),
  role: () => engineError('Unexpected message role.'),
}

const camel = (name: string): string => name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())

const claudeWords: Words = {
  ...openaiWords,
  field: name => openaiError(`\`${name}\` is deprecated for this model.`, null),
}

const WORDS: Readonly<Partial<Record<ProviderName, Words>>> = {
  anthropic: claudeWords,
  litellm: claudeWords,
  bedrock: {
    ...claudeWords,
    field: name =>
      name === 'frequency_penalty'
        ? openaiError(`The '${name}' parameter is not supported`, null)
        : status(400, {
            message: `The model returned the following errors: \`${name}\` is deprecated for this model.`,
          }),
  },
  transformers: {
    ...openaiWords,
    field: name =>
      name === 'logit_bias'
        ? status(500, 'Internal Server Error')
        : status(422, { detail: `Unexpected fields in the request: {'${name}'}` }),
  },
  gemini: {
    field: name =>
      status(400, [
        {
          error: {
            code: 400,
            message: `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`,
            status: 'INVALID_ARGUMENT',
          },
        },
      ]),
    role: () => status(400, [{ error: { code: 400, message: 'Invalid role', status: 'INVALID_ARGUMENT' } }]),
  },
  xai: {
    ...openaiWords,
    field: name =>
      status(400, {
        code: 'Client specified an invalid argument',
        error: `Model does not support parameter ${camel(name)}.`,
      }),
  },
  deepseek: {
    ...openaiWords,
    role: place =>
      openaiError(
        `Failed to deserialize the JSON body into the target type: messages[${place}].role: unknown variant \`developer\`, expected one of \`system\`, \`user\`, \`assistant\`, \`tool\``,
        null,
        'invalid_request_error',
      ),
  },
  mistral: {
    ...openaiWords,
    field: name =>
      status(422, {
        object: 'error',
        message: { detail: [{ type: 'extra_forbidden', loc: ['body', name], msg: 'Extra inputs are not permitted' }] },
        type: 'invalid_request_error',
        param: null,
        code: null,
      }),
  },
  groq: {
    ...openaiWords,
    field: name =>
      status(400, { error: { message: `property '${name}' is unsupported`, type: 'invalid_request_error' } }),
  },
  cerebras: {
    ...openaiWords,
    field: name =>
      status(422, {
        message: `body.${name}: property 'body.${name}' is unsupported`,
        type: 'invalid_request_error',
        param: 'validation_error',
        code: 'wrong_api_format',
      }),
  },
  fireworks: {
    ...openaiWords,
    field: name =>
      status(400, {
        error: {
          ...{ object: 'error', type: 'invalid_request_error', code: 'invalid_request_error' },
          message: `Extra inputs are not permitted, field: '${name}'`,
        },
      }),
  },
  dashscope: {
    ...openaiWords,
    role: place =>
      openaiError(
        `developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.[${place}].role'`,
        null,
        'invalid_parameter_error',
      ),
  },
  moonshot: { ...openaiWords, role: () => openaiError('invalid request: unsupported role ROLE_UNSPECIFIED', null) },
  zai: { ...openaiWords, role: () => status(400, { error: { code: '1214', message: 'Incorrect role information' } }) },
  vllm: engineWords,
  sglang: engineWords,
  llamacpp: engineWords,
  tgi: engineWords,
  ollama: engineWords,
}
