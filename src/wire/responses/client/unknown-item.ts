import { isObject, type JsonObject } from '../../json-safety.ts'

/**
 * Whether an item of an unknown type has a text, tools or results: a conversation without them would be another one. An
 * item that has only labels, numbers and switches says how OpenAI's own service is to go on, and a chat is whole without it.
 */
export function carriesContent(item: JsonObject): boolean {
  return hasContent({ ...item, type: undefined, id: undefined })
}

const hasContent = (object: JsonObject): boolean =>
  Object.entries(object).some(([name, value]) => isContent(value, CONTENTS.has(name)))

/** `isText` where the name of a text's member says that even a word is content. */
function isContent(value: unknown, isText: boolean): boolean {
  if (typeof value === 'string') return value !== '' && (isText || !LABEL.test(value))
  if (Array.isArray(value)) return value.some(each => isObject(each) || isContent(each, isText))
  return isObject(value) && hasContent(value)
}

/** Members in which the items of today have their texts, tools and results. */
const CONTENTS: ReadonlySet<string> = new Set([
  'arguments',
  'content',
  'encrypted_content',
  'input',
  'output',
  'result',
  'summary',
  'text',
  'tools',
])

/** A word such as `auto`, or an id. */
const LABEL = /^[\w.:-]{1,64}$/
