import { isObject, type JsonObject } from '../json-safety.ts'

/**
 * A message or a delta whose texts are texts. Some backends write content as a list of parts, with thoughts and pictures
 * among them; thoughts go to `reasoning_content` and pictures to `images`. The same object where nothing changes.
 */
export function plainTexts(said: JsonObject): JsonObject {
  const { content: own, reasoning_content: thoughts, reasoning, refusal: refused } = said
  if (isPlain(own) && isPlain(thoughts) && isPlain(reasoning) && isPlain(refused)) return said
  const { content, refusal, ...rest } = said
  const plain: Record<string, unknown> = rest
  for (const name of THOUGHTS) if (!isPlain(rest[name])) plain[name] = textsIn(rest[name]).all
  if (refusal !== undefined) plain.refusal = isPlain(refusal) ? refusal : textsIn(refusal).all
  if (isPlain(content)) return content === undefined ? plain : { ...plain, content }
  const { text, thought, pictures } = textsIn(content)
  if (thought !== '') plain.reasoning_content = `${textOf(plain.reasoning_content)}${thought}`
  if (pictures.length > 0) plain.images = [...(Array.isArray(plain.images) ? plain.images : []), ...pictures]
  return { ...plain, content: text }
}

const THOUGHTS = ['reasoning_content', 'reasoning'] as const

const isPlain = (value: unknown): boolean => typeof value === 'string' || value === null || value === undefined
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The texts of a content's parts. */
interface Texts {
  readonly text: string
  readonly thought: string
  readonly all: string
  readonly pictures: readonly JsonObject[]
}

function textsIn(value: unknown): Texts {
  const texts = { text: '', thought: '', all: '', pictures: [] as JsonObject[] }
  for (const part of Array.isArray(value) ? value : [value]) {
    if (isObject(part) && part.image_url !== undefined) texts.pictures.push(part)
    const said = saidIn(part)
    texts.all += said
    if (isObject(part) && THINKS.has(part.type)) texts.thought += said
    else texts.text += said
  }
  return texts
}

const THINKS: ReadonlySet<unknown> = new Set(['thinking', 'reasoning', 'thought'])

function saidIn(part: unknown): string {
  if (!isObject(part))
    return Array.isArray(part) ? textsIn(part).all : typeof part === 'boolean' ? '' : String(part ?? '')
  const said = TEXTS.map(name => part[name]).find(each => each !== undefined && each !== null)
  return said === undefined ? '' : textsIn(said).all
}

/** The position of a part's text. */
const TEXTS = ['text', 'thinking', 'reasoning', 'refusal', 'content'] as const
