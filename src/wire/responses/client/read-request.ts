import type { Denied } from '../../../policy/denial.ts'
import type { OnlyNative } from '../../../policy/facts.ts'
import type { ReadTerms } from '../../client-dialect.ts'
import { Findings, isAbsent, present } from '../../findings.ts'
import { isObject, type JsonObject } from '../../json-safety.ts'
import { refuseKept } from '../../native/kept-at-provider.ts'
import { refuseState } from '../state.ts'
import type { Conversation } from './conversation.ts'
import { readChoice } from './read-choice.ts'
import { readInput } from './read-input.ts'
import { chatsOf, readTools } from './read-tools.ts'
import type { Wanted } from './wanted.ts'

/** Reads a body of POST /v1/responses as a chat. Fields that nothing maps are ignored: clients send new ones with each release. */
export function readRequest(body: JsonObject, terms: ReadTerms): RequestRead | Denied {
  const found = new Findings()
  refuseState(body, found)
  if (terms.passes) refuseKept(body, found)
  leaveOutOthers(body, found)
  const { listed, ignored, tools } = readTools(body, terms, found)
  const conversation = readInput(body, tools, found)
  const { offered, choice } = readChoice(body.tool_choice, listed, terms, found)
  const parallel = found.boolean('parallel_tool_calls', body.parallel_tool_calls)
  const messages = messagesOf(conversation, found)
  const chat = present({
    model: readModel(body, found),
    messages,
    ...(offered.length > 0 && {
      tools: chatsOf(offered),
      tool_choice: choice,
      parallel_tool_calls: parallel,
    }),
    ...readText(body, found),
    ...readSampling(body, found),
    ...readReasoning(body, terms, found),
    ...readLogprobs(body, found),
    ...(found.boolean('stream', body.stream) && { stream: true, stream_options: { include_usage: true } }),
  })
  refuseTooMany(messages, found)
  checkEchoed(body, found)
  loseOthers(body, found)
  if (found.denied) return found.denied
  const wanted = { ...wantedOf(body), tools, callIds: new Set(conversation.callIds), echoed: echoOf(body, terms) }
  return { chat, ignored, lost: found.lost, ...(found.onlyNative && { onlyNative: found.onlyNative }), wanted }
}

export interface RequestRead {
  readonly chat: JsonObject
  /** Types of tools that are left out. */
  readonly ignored: readonly string[]
  /** Fields that are. */
  readonly lost: readonly string[]
  readonly onlyNative?: OnlyNative
  readonly wanted: Wanted
}

const TOKENS_MAX = 10_000_000
const NAME_MAX = 256
const LABEL_MAX = 512
const WORD_MAX = 32

function leaveOutOthers(body: JsonObject, found: Findings): void {
  const { context_management: management, service_tier: tier } = body
  if (!isAbsent(management) && !(Array.isArray(management) && management.length === 0))
    found.leaveOut(
      'context_management',
      'The input is not truncated here: send a shorter one.',
      'unsupported_parameter',
    )
  if (!isAbsent(body.prompt)) found.leaveOut('prompt', NO_PROMPT, 'unsupported_parameter')
  if (!isAbsent(tier) && tier !== 'auto' && tier !== 'default')
    found.refuse('service_tier', 'must be one of "auto", "default"', 'unsupported_value')
}

const NO_PROMPT = 'Prompts are not stored here: send the contents as instructions and input.'

function readModel({ model }: JsonObject, found: Findings): string | undefined {
  return model === ''
    ? found.refuse('model', 'must not be empty', 'invalid_value')
    : found.text('model', model, NAME_MAX)
}

const readSampling = (body: JsonObject, found: Findings): JsonObject => ({
  max_completion_tokens: found.integer('max_output_tokens', body.max_output_tokens, 1, TOKENS_MAX),
  temperature: found.number('temperature', body.temperature),
  top_p: found.number('top_p', body.top_p),
  presence_penalty: found.number('presence_penalty', body.presence_penalty),
  frequency_penalty: found.number('frequency_penalty', body.frequency_penalty),
  user: found.text('user', body.user, LABEL_MAX),
  safety_identifier: found.text('safety_identifier', body.safety_identifier, LABEL_MAX),
  prompt_cache_key: found.text('prompt_cache_key', body.prompt_cache_key, LABEL_MAX),
})

/** Models with a switch for thinking are switched by it; the effort is a word beside. */
function readReasoning(body: JsonObject, { thinks }: ReadTerms, found: Findings): JsonObject {
  const { effort: wanted } = found.object('reasoning', body.reasoning) ?? {}
  const effort = found.text('reasoning.effort', wanted, WORD_MAX)
  if (effort === undefined) return {}
  if (!thinks(typeof body.model === 'string' ? body.model : undefined)) return { reasoning_effort: effort }
  return effort === 'none'
    ? { chat_template_kwargs: { enable_thinking: false } }
    : { reasoning_effort: effort, chat_template_kwargs: { enable_thinking: true } }
}

function readText(body: JsonObject, found: Findings): JsonObject {
  const { format, verbosity } = found.object('text', body.text) ?? {}
  return {
    response_format: readFormat(found.object('text.format', format), found),
    verbosity: found.text('text.verbosity', verbosity, WORD_MAX),
  }
}

function readFormat(format: JsonObject | undefined, found: Findings): JsonObject | undefined {
  if (!format) return undefined
  switch (found.requiredText('text.format.type', format.type)) {
    case 'text':
      return undefined
    case 'json_object':
      return { type: 'json_object' }
    case 'json_schema':
      return { type: 'json_schema', json_schema: readSchema(format, found) }
    default:
      return found.refuse(
        'text.format.type',
        'must be one of "text", "json_object", "json_schema"',
        'unsupported_value',
      )
  }
}

function readSchema({ name, schema, strict, description }: JsonObject, found: Findings): JsonObject {
  if (isAbsent(schema)) found.refuse('text.format.schema', 'is required', 'missing_required_parameter')
  return present({
    name: found.requiredText('text.format.name', name, NAME_MAX),
    description: found.text('text.format.description', description),
    schema: found.object('text.format.schema', schema),
    strict: found.boolean('text.format.strict', strict),
  })
}

const LOGPROBS = 'message.output_text.logprobs'
const SEALED = 'reasoning.encrypted_content'

function readLogprobs(body: JsonObject, found: Findings): JsonObject {
  const most = found.integer('top_logprobs', body.top_logprobs, 0, 20) ?? 0
  const wanted = found.list('include', body.include).includes(LOGPROBS)
  return most > 0 ? { logprobs: true, top_logprobs: most } : wanted ? { logprobs: true } : {}
}

/** A chat has a message, also where all that was said is for others to read. */
function messagesOf(conversation: Conversation, found: Findings): readonly JsonObject[] {
  const messages = conversation.messages()
  if (messages.length > 0) return messages
  if (!found.onlyNative) found.refuse('input', 'must not be empty', 'invalid_value')
  return [{ role: 'user', content: '' }]
}

const MESSAGES_MAX = 10_000
const PARTS_MAX = 2048
const CALLS_MAX = 1024

/** The bounds of a chat, in the words of this body. */
function refuseTooMany(messages: readonly JsonObject[], found: Findings): void {
  const isMany = (list: unknown, most: number) => Array.isArray(list) && list.length > most
  const tooMany = messages.some(
    ({ content, tool_calls }) => isMany(content, PARTS_MAX) || isMany(tool_calls, CALLS_MAX),
  )
  if (messages.length > MESSAGES_MAX || tooMany)
    found.refuse(
      'input',
      `must have at most ${MESSAGES_MAX} messages, of ${PARTS_MAX} parts and ${CALLS_MAX} calls`,
      'invalid_value',
    )
}

/** The request as its answer repeats it: whole, since a client reads it. */
const echoOf = (body: JsonObject, { texts }: ReadTerms): JsonObject =>
  typeof body.instructions === 'string' ? { ...body, instructions: texts.read(body.instructions) } : body

/** The answer repeats these, in their types. */
function checkEchoed(body: JsonObject, found: Findings): void {
  found.object('metadata', body.metadata)
  found.text('truncation', body.truncation, WORD_MAX)
  found.integer('max_tool_calls', body.max_tool_calls, 0, TOKENS_MAX)
  const { summary, generate_summary } = isObject(body.reasoning) ? body.reasoning : {}
  found.text('reasoning.summary', summary, WORD_MAX)
  found.text('reasoning.generate_summary', generate_summary, WORD_MAX)
}

/** Records the members that may change an answer and that nothing here reads. */
function loseOthers(body: JsonObject, found: Findings): void {
  const { truncation, reasoning, text } = body
  found.loseOthers(body, KNOWN)
  if (!isAbsent(truncation) && truncation !== 'disabled') found.lose('truncation')
  if (isObject(reasoning)) found.loseOthers(reasoning, KNOWN_OF_REASONING, 'reasoning.')
  if (isObject(text)) found.loseOthers(text, KNOWN_OF_TEXT, 'text.')
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Fields that are read, checked or refused, and those that no answer depends on: labels, and hints about caches. */
const KNOWN = words(`
  model input instructions tools tool_choice parallel_tool_calls text reasoning include stream stream_options
  max_output_tokens temperature top_p top_logprobs presence_penalty frequency_penalty user safety_identifier
  previous_response_id conversation background context_management service_tier truncation prompt store
  metadata client_metadata prompt_cache_key prompt_cache_retention prompt_cache_options`)
const KNOWN_OF_REASONING = words('effort summary generate_summary')
const KNOWN_OF_TEXT = words('format verbosity')

function wantedOf({
  include,
  store,
  reasoning,
  top_logprobs: most,
}: JsonObject): Omit<Wanted, 'tools' | 'callIds' | 'echoed'> {
  const { summary, generate_summary } = isObject(reasoning) ? reasoning : {}
  const included = Array.isArray(include) ? include : []
  return {
    summaries: !isAbsent(summary) || !isAbsent(generate_summary),
    // The AI SDK drops reasoning without it where it has nothing stored to refer to.
    sealed: store === false || included.includes(SEALED),
    logprobs: included.includes(LOGPROBS) || Number(most) > 0,
  }
}
