import { createHash } from 'node:crypto'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { reasoningOfDetails } from '../reasoning/details.ts'

/** The messages of a chat as items of an input. */
export const itemsOfChat = (messages: readonly unknown[]): readonly JsonObject[] =>
  messages.filter(isObject).flatMap(message => {
    switch (message.role) {
      case 'assistant':
        return saidBy(message)
      case 'tool':
        return [resultOf(message)]
      default:
        return [{ type: 'message', role: message.role, content: contentOf(message.content) }]
    }
  })

/** Reasoning first, then the text, then the calls: the order in which they were made. */
function saidBy({ content, refusal, reasoning_details, tool_calls }: JsonObject): JsonObject[] {
  const text = [content, refusal].map(textIn).join('')
  const calls = Array.isArray(tool_calls) ? tool_calls.filter(isObject) : []
  return [
    ...reasoningOfDetails(reasoning_details),
    ...(text === '' ? [] : [{ type: 'message', role: 'assistant', content: text }]),
    ...calls.map(callOf),
  ]
}

function callOf({ id, function: called }: JsonObject): JsonObject {
  const { name, arguments: args } = asObject(called)
  return { type: 'function_call', call_id: acceptedId(id), name, arguments: args === '' ? '{}' : args }
}

const resultOf = ({ tool_call_id, content }: JsonObject): JsonObject => ({
  type: 'function_call_output',
  call_id: acceptedId(tool_call_id),
  output: contentOf(content),
})

/** Ids of calls that other backends made may be longer; calls and results are renamed alike. */
function acceptedId(id: unknown): string {
  const text = String(id)
  return text.length <= MAX_ID_CHARS ? text : `call_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`
}

const MAX_ID_CHARS = 64

/** A text where there is nothing else: some backends take no list as the result of a tool. */
function contentOf(content: unknown): string | readonly JsonObject[] {
  if (!Array.isArray(content)) return textIn(content)
  const parts = content.filter(isObject)
  const [only] = parts
  if (parts.length === 1 && only?.type === 'text') return textIn(only.text)
  return parts.flatMap(partOf)
}

function partOf({ type, text, image_url }: JsonObject): JsonObject[] {
  if (type === 'text') return [{ type: 'input_text', text }]
  if (type !== 'image_url') return []
  const { url, detail } = asObject(image_url)
  return [{ type: 'input_image', image_url: url, detail: detail ?? 'auto' }]
}

/** An assistant's message as one text. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .filter(isObject)
    .map(({ text, refusal }) => textIn(text ?? refusal))
    .join('')
}
