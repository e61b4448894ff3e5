import { KNOWN_FIELDS } from '../../policy/fields.ts'
import { MOST_MARKS, withFewMarks } from '../cache-marks.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { type ModelTraits, traitsOf } from './claude.ts'
import { isForced, toolsOfChat } from './tools-of-chat.ts'
import { type Turn, turnsOfChat } from './turns-of-chat.ts'

/**
 * A chat as a request of POST /v1/messages. Omits members without an equivalent in that API: seeds, penalties, log probabilities,
 * `response_format: json_object`. docs/dialects.md lists them.
 */
export function messagesOfChat(chat: JsonObject): JsonObject {
  const traits = traitsOf(chat.model)
  const said = turnsOfChat(chat.messages)
  // One that is declared as a field of the body is one of them.
  const most = MOST_MARKS - (isObject(chat.cache_control) ? 1 : 0)
  const few = withFewMarks({ ...toolsOfChat(chat), system: said.system, messages: said.turns }, most)
  const { system, messages: turns, ...tools } = few
  const config = outputConfig(chat)
  const cap = chat.max_completion_tokens ?? chat.max_tokens ?? LEAST_CAP
  // A forced tool says more precisely what is wanted than how much is to be thought first, and Claude refuses both together.
  const thinking =
    traits.isClaude && isForced(tools.tool_choice) ? undefined : thinkingOf(chat, traits, Number(cap), turns)
  const thinks = thinking !== undefined && thinking.type !== 'disabled'
  const user = chat.safety_identifier ?? chat.user
  return {
    ...declared(chat),
    model: chat.model,
    max_tokens: cap,
    ...(system.length > 0 && { system }),
    ...(Array.isArray(chat.messages) && { messages: turns }),
    ...tools,
    ...(thinking && { thinking }),
    ...(config && { output_config: config }),
    ...sampling(chat, thinks && traits.isClaude ? 'none' : traits.sampling),
    ...stops(chat.stop, traits),
    ...(typeof user === 'string' && user.length <= MAX_USER_CHARS && { metadata: { user_id: user } }),
    ...(chat.stream === true && { stream: true }),
  }
}

/** Every request of a client has a cap; an empty request of a health check has none, and the field is required. */
const LEAST_CAP = 1
/** A longer one would be refused, and a part of it would be another one. */
const MAX_USER_CHARS = 256

/** Fields that the files declare for the backends of a model. */
const declared = (chat: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(chat).filter(([field]) => !KNOWN_FIELDS.chat.has(field)))

function outputConfig({ reasoning_effort: effort, response_format }: JsonObject): JsonObject | undefined {
  const { type, json_schema, schema: nameless } = asObject(response_format)
  const schema = type === 'json_schema' ? (asObject(json_schema).schema ?? nameless) : undefined
  const wanted = EFFORTS.get(effort)
  if (!isObject(schema) && wanted === undefined) return undefined
  return {
    ...(wanted !== undefined && { effort: wanted }),
    // A tool in its place would take the choice among the client's own tools, and Claude would not think.
    ...(isObject(schema) && { format: { type: 'json_schema', schema } }),
  }
}

/** OpenAI's words for how much is to be thought, as this API has them. */
const EFFORTS: ReadonlyMap<unknown, string> = new Map([
  ['minimal', 'low'],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'xhigh'],
  ['max', 'max'],
])

/** Undefined where the model decides itself. */
function thinkingOf(
  chat: JsonObject,
  { thinking, isClaude }: ModelTraits,
  cap: number,
  turns: readonly Turn[],
): JsonObject | undefined {
  const { reasoning_effort: effort, chat_template_kwargs } = chat
  const { enable_thinking, thinking: isWanted = enable_thinking } = asObject(chat_template_kwargs)
  if (isWanted === false || effort === 'none') return { type: 'disabled' }
  const wanted = EFFORTS.get(effort)
  if (wanted === undefined && isWanted !== true) return undefined
  // From Claude 4.7 on thoughts are not shown unless they are asked for, and clients would hear nothing for minutes.
  if (thinking === 'adaptive') return isClaude ? { type: 'adaptive', display: 'summarized' } : { type: 'adaptive' }
  const budget = Math.min(BUDGETS[wanted ?? 'medium'] ?? LEAST_BUDGET, Math.floor(cap / 2))
  return budget < LEAST_BUDGET || resumesUnthought(turns) ? undefined : { type: 'enabled', budget_tokens: budget }
}

/** Tokens of thinking, which are a part of the output. */
const BUDGETS: Readonly<Record<string, number>> = { low: 2048, medium: 8192, high: 16_384, xhigh: 32_768, max: 65_536 }
const LEAST_BUDGET = 1024

/** Whether results of tools come last whose calls have no thought of this API before them: with a budget that is refused. */
function resumesUnthought(turns: readonly Turn[]): boolean {
  const [last, before] = [turns.at(-1), turns.at(-2)]
  const resumes = Array.isArray(last?.content) && last.content.some(({ type }) => type === 'tool_result')
  if (!resumes || !before || !Array.isArray(before.content)) return false
  return !String(before.content[0]?.type).endsWith('thinking')
}

function sampling({ temperature, top_p, top_k }: JsonObject, may: ModelTraits['sampling']): JsonObject {
  if (may === 'none') return {}
  const hasTemperature = typeof temperature === 'number'
  return {
    // OpenAI's goes to 2.
    ...(hasTemperature && { temperature: may === 'one' ? Math.min(temperature, 1) : temperature }),
    ...(typeof top_p === 'number' && !(may === 'one' && hasTemperature) && { top_p }),
    ...(typeof top_k === 'number' && top_k > 0 && { top_k }),
  }
}

function stops(stop: unknown, { isClaude }: ModelTraits): JsonObject {
  const all = Array.isArray(stop) ? stop : [stop]
  const taken = all.filter(each => typeof each === 'string' && (isClaude ? each.trim() : each) !== '')
  return taken.length > 0 ? { stop_sequences: taken } : {}
}
