import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { detailsOfReasoning } from '../reasoning/details.ts'
import { translatedUsage } from '../usage/reported-usage.ts'

/** A response of a backend as a chat completion; undefined where it is none, or failed. */
export function completionOfResponse(response: unknown): JsonObject | undefined {
  if (!isObject(response) || response.object !== 'response' || !Array.isArray(response.output)) return undefined
  if (response.status !== 'completed' && response.status !== 'incomplete') return undefined
  const { id, model, created_at } = response
  const items = response.output.filter(isObject)
  const usage = translatedUsage(response.usage)
  const logprobs = items.flatMap(({ content }) => partsOf(content).flatMap(logprobsOf))
  return {
    id,
    object: 'chat.completion',
    created: created_at,
    model,
    choices: [
      {
        index: 0,
        message: saidIn(items),
        logprobs: logprobs.length > 0 ? { content: logprobs } : null,
        finish_reason: finishOf(response, items.some(isCall)),
      },
    ],
    ...(usage && { usage }),
  }
}

/** Stands between the parts of a text that were made apart from each other. */
export const BREAK = '\n\n'

export const isCall = ({ type }: JsonObject): boolean => type === 'function_call' || type === 'custom_tool_call'

/** A call as chats have it. A custom tool is a function of one text there. */
export const callOf = ({ type, call_id, name, arguments: args, input }: JsonObject): JsonObject => ({
  id: call_id,
  type: 'function',
  function: {
    name,
    arguments: type === 'custom_tool_call' ? JSON.stringify({ input }) : typeof args === 'string' ? args : '',
  },
})

export function finishOf({ status, incomplete_details }: JsonObject, calls: boolean): string {
  const { reason } = asObject(incomplete_details)
  if (reason === 'content_filter') return 'content_filter'
  if (status === 'incomplete') return 'length'
  return calls ? 'tool_calls' : 'stop'
}

/** The text of an item of reasoning: the thoughts themselves where they are there, or else their summary. */
export function thoughtsIn({ content, summary }: JsonObject): string {
  const thoughts = textsOf(content, 'text')
  return (thoughts.length > 0 ? thoughts : textsOf(summary, 'text')).join(BREAK)
}

/** The text or the refusal of a message. */
export const wordsIn = ({ content }: JsonObject, kind: 'text' | 'refusal'): string => textsOf(content, kind).join('')

function saidIn(items: readonly JsonObject[]): JsonObject {
  const messages = items.filter(({ type }) => type === 'message')
  const reasonings = items.filter(({ type }) => type === 'reasoning')
  const joined = (texts: readonly string[]) => texts.filter(text => text !== '').join(BREAK)
  const text = joined(messages.map(message => wordsIn(message, 'text')))
  const refusal = joined(messages.map(message => wordsIn(message, 'refusal')))
  const reasoning = joined(reasonings.map(thoughtsIn))
  const details = reasonings.flatMap(detailsOfReasoning)
  const calls = items.filter(isCall).map(callOf)
  return {
    role: 'assistant',
    content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
    refusal: refusal === '' ? null : refusal,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

const partsOf = (parts: unknown): readonly JsonObject[] => (Array.isArray(parts) ? parts.filter(isObject) : [])

const textsOf = (parts: unknown, name: string): readonly string[] =>
  partsOf(parts).flatMap(({ [name]: text }) => (typeof text === 'string' ? [text] : []))

const logprobsOf = ({ logprobs }: JsonObject): readonly unknown[] => (Array.isArray(logprobs) ? logprobs : [])
