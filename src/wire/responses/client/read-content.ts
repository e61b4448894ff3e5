import { type Findings, isAbsent, quoted } from '../../findings.ts'
import { isObject, type JsonObject } from '../../json-safety.ts'

/** The content of a message of the user, or what a tool gave back, in parts of a chat. */
export function readParts(field: string, content: unknown, found: Findings): readonly ChatPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (isAbsent(content)) {
    found.refuse(field, 'is required', 'missing_required_parameter')
    return []
  }
  if (!Array.isArray(content)) {
    found.refuse(field, 'must be a string or an array', 'invalid_type')
    return []
  }
  return content.flatMap((part, i) => readPart(`${field}[${i}]`, part, found) ?? [])
}

/** The texts of a message that holds nothing else. */
export function readTexts(field: string, content: unknown, found: Findings): readonly string[] {
  return readParts(field, content, found).flatMap(part => {
    if (part.type === 'text') return part.text
    found.leaveOut(field, 'Images in assistant or system messages are not supported here: send them as the user.')
    return []
  })
}

export type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: JsonObject }

function readPart(field: string, part: unknown, found: Findings): ChatPart | undefined {
  if (!isObject(part)) return found.refuse(field, 'must be an object', 'invalid_type')
  const type = found.requiredText(`${field}.type`, part.type)
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return { type: 'text', text: found.requiredText(`${field}.text`, part.text) }
    case 'refusal':
      return { type: 'text', text: found.requiredText(`${field}.refusal`, part.refusal) }
    case 'input_image':
      return readImage(field, part, found)
    default:
      return found.leaveOut(`${field}.type`, `Parts of type ${quoted(type)} are not supported here: ${INSTEAD}.`)
  }
}

function readImage(field: string, part: JsonObject, found: Findings): ChatPart | undefined {
  const url = found.requiredText(`${field}.image_url`, part.image_url)
  if (FETCHED.test(url))
    return found.leaveOut(`${field}.image_url`, 'must be a data: URL of an image; nothing is fetched')
  if (!url.startsWith('data:image/'))
    return found.refuse(`${field}.image_url`, 'must be a data: URL of an image', 'invalid_value')
  const { detail } = part
  return {
    type: 'image_url',
    image_url: detail === 'auto' || detail === 'low' || detail === 'high' ? { url, detail } : { url },
  }
}

const FETCHED = /^https?:/i
const INSTEAD = 'send texts, and images as data: URLs'
