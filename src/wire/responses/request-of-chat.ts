import { KNOWN_FIELDS } from '../../policy/fields.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { itemsOfChat } from './items-of-chat.ts'

/**
 * A chat as a request of POST /v1/responses that stores nothing. Omits members without an equivalent in that API: stop sequences,
 * seeds, penalties, biases. docs/dialects.md lists them.
 */
export function responsesOfChat(chat: JsonObject): JsonObject {
  const { model, messages, temperature, top_p, user, safety_identifier, prompt_cache_key } = chat
  const input = Array.isArray(messages) ? itemsOfChat(messages) : undefined
  const include = [...(thinks(chat, input) ? [REASONING] : []), ...(chat.logprobs === true ? [LOGPROBS] : [])]
  return {
    ...declared(chat),
    model,
    ...given({
      max_output_tokens: chat.max_completion_tokens ?? chat.max_tokens,
      input,
      ...toolsOfChat(chat),
      reasoning: reasoningOf(chat),
      text: textOf(chat),
      temperature,
      top_p,
      top_logprobs: chat.top_logprobs,
      user,
      safety_identifier,
      prompt_cache_key,
    }),
    ...(include.length > 0 && { include }),
    store: false,
    // transformers streams by default.
    stream: chat.stream === true,
  }
}

/** Fields that the files declare for the backends of a model. */
const declared = (chat: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(chat).filter(([field]) => !KNOWN_FIELDS.chat.has(field)))

const given = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

const REASONING = 'reasoning.encrypted_content'
const LOGPROBS = 'message.output_text.logprobs'

/** Whether the model may think: another one refuses to be asked for its sealed reasoning. */
function thinks({ model, reasoning_effort: effort }: JsonObject, input: readonly JsonObject[] = []): boolean {
  if (typeof effort === 'string') return effort !== 'none'
  return THINKERS.test(String(model)) || input.some(({ type }) => type === 'reasoning')
}

/** OpenAI's models that think without being asked. */
const THINKERS = /(?:^|\/)(?:o\d|gpt-(?:[5-9]|oss)(?!.*chat)|codex)/

function reasoningOf({ reasoning_effort: effort, chat_template_kwargs }: JsonObject): JsonObject | undefined {
  if (typeof effort === 'string') return { effort }
  const { enable_thinking, thinking: isWanted = enable_thinking } = asObject(chat_template_kwargs)
  return isWanted === false ? { effort: 'none' } : undefined
}

function textOf({ response_format, verbosity }: JsonObject): JsonObject | undefined {
  const format = formatOf(asObject(response_format))
  const text = given({ format, verbosity })
  return Object.keys(text).length > 0 ? text : undefined
}

/** A schema is in the format itself here, and must have a name. */
function formatOf({ type, json_schema, schema: nameless }: JsonObject): JsonObject | undefined {
  if (type !== 'json_schema') return type === 'json_object' ? { type } : undefined
  const { name, description, schema = nameless, strict } = asObject(json_schema)
  return { type, name: name ?? 'output', schema, ...given({ description, strict }) }
}

function toolsOfChat({ tools: all, tool_choice, parallel_tool_calls }: JsonObject): JsonObject {
  const tools = Array.isArray(all) ? all.filter(isObject).flatMap(toolOf) : []
  return tools.length === 0 ? {} : { tools, tool_choice: choiceOf(tool_choice), parallel_tool_calls }
}

function toolOf({ function: called }: JsonObject): JsonObject[] {
  if (!isObject(called)) return []
  const { name, description, parameters, strict } = called
  return [
    {
      type: 'function',
      name,
      ...given({ description }),
      parameters: parameters ?? { type: 'object', properties: {} },
      // Absent, it would be true here.
      strict: strict ?? false,
    },
  ]
}

function choiceOf(choice: unknown): unknown {
  if (!isObject(choice)) return choice
  const { function: called, allowed_tools } = choice
  if (isObject(called)) return { type: 'function', name: called.name }
  if (!isObject(allowed_tools)) return undefined
  const tools = Array.isArray(allowed_tools.tools) ? allowed_tools.tools : []
  return { type: 'allowed_tools', mode: allowed_tools.mode ?? 'auto', tools: tools.map(choiceOf) }
}
