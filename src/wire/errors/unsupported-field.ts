import { isObject } from '../json-safety.ts'

/**
 * The field that a backend refuses because it does not take it, whatever its value, in the words of its error: a text, or
 * what its body was parsed to. Undefined where it refuses a value, or names nothing.
 */
export function unsupportedFieldIn(text: string, body: unknown): string | undefined {
  const coded = codedField(body)
  if (coded !== undefined) return coded
  for (const words of WORDS) {
    const [, name] = words.exec(text) ?? []
    if (name !== undefined) return snake(name.replace(/^body\./, ''))
  }
  // Complaints about the form of vectors: without the field they are numbers.
  return /\bencoding[ _-]?format\b/i.test(text) ? 'encoding_format' : undefined
}

/** OpenAI names it beside a code of its own. */
function codedField(body: unknown): string | undefined {
  const error = isObject(body) && isObject(body.error) ? body.error : body
  if (!isObject(error) || typeof error.param !== 'string') return undefined
  return CODES.has(error.code) && NAME.test(error.param) ? error.param : undefined
}

const CODES: ReadonlySet<unknown> = new Set(['unsupported_parameter', 'unknown_parameter'])
const NAME = /^[A-Za-z][A-Za-z0-9_.]{0,63}$/

/** Quotes, also those that are escaped in JSON. */
const Q = String.raw`(?:\\?["'\x60])`
const FIELD = `([A-Za-z][A-Za-z0-9_.]{0,63})`
/** Without quotes a sentence may end behind it. */
const BARE = String.raw`([A-Za-z]\w{0,63}(?:\.\w{1,63})?)`

/** How backends say it. Each has the name of the field, and no word of its value. */
const WORDS: readonly RegExp[] = [
  String.raw`Unsupported parameter(?:\(s\)|s)?:? ${Q}${FIELD}${Q}`,
  `Un(?:recognized|known) request arguments? supplied: ${FIELD}`,
  `Un(?:recognized|known|expected) (?:parameter|field|argument|key)s?:? ${Q}${FIELD}${Q}`,
  `property ${Q}${FIELD}${Q} is unsupported`,
  `Unknown name ${Q}${FIELD}${Q}: Cannot find field`,
  String.raw`does not support parameter ${FIELD}\b`,
  // Claude's samplers, at Anthropic and wherever it is served.
  `${Q}${FIELD}${Q} is deprecated for this model`,
  `The ${Q}${FIELD}${Q} parameter is not supported`,
  // Groq, DashScope and Volcengine, with the name in quotes or first of what they say.
  `(?:${Q}|^|[":] ?)${FIELD}${Q}? (?:is|are) not (?:supported|enabled|allowed) (?:with|by|for|on|in|at|now)\\b`,
  `${Q}${FIELD}${Q} (?:is|are) not supported(?: yet)?[.!]?(?:["\\\\,]|$)`,
  // Claude, of two samplers: the second is left out.
  `${Q}temperature${Q} and ${Q}${FIELD}${Q} cannot both be specified`,
  `Unsupported param: ${BARE}`,
  String.raw`does not support (?:the )?(?:parameters|fields?|arguments?):? \[?${Q}?${BARE}`,
  // Azure's models, JSON Schema in Python, Bedrock, and .NET.
  String.raw`Extra parameters \[${Q}${FIELD}${Q}`,
  String.raw`Additional properties are not allowed \(${Q}${FIELD}${Q}(?:, ${Q}[\w.]+${Q})* (?:was|were) unexpected\)(?! - ${Q}?messages)`,
  String.raw`extraneous key \[${FIELD}\] is not permitted`,
  `property ${Q}${FIELD}${Q} could not be mapped to any \\.NET member`,
  `Un(?:recognized|known|supported) (?:parameters?|fields?|arguments?|keys?|property): ${BARE}`,
  // transformers serve: the first of a set.
  `Un(?:supported|expected) (?:fields|keys) in the request: \\{${Q}${FIELD}${Q}`,
  `unexpected keyword argument ${Q}${FIELD}${Q}`,
  // Pydantic, of a member at the top: its place, and then what is wrong there.
  String.raw`extra_forbidden${Q},\s*${Q}loc${Q}:\s*[[(]\s*${Q}body${Q},\s*${Q}${FIELD}${Q}\s*[\])]`,
  String.raw`(?:^|["\s])${FIELD}: Extra inputs are not permitted`,
  // vLLM without `--scheduling-policy priority`.
  String.raw`\bGot (priority) -?\d+ but priority scheduling is not enabled`,
  // Fireworks.
  `Extra inputs are not permitted, field: ${Q}${FIELD}${Q}`,
  // Pydantic before its second version.
  String.raw`${Q}loc${Q}:\s*[[(]\s*${Q}body${Q},\s*${Q}${FIELD}${Q}\s*[\])],\s*${Q}msg${Q}:\s*${Q}extra fields not permitted${Q}`,
].map(words => new RegExp(words, 'i'))

/** Google and xAI name fields as their own API does, or begin a sentence with one. */
const snake = (name: string): string =>
  name.replace(/^[A-Z]/, first => first.toLowerCase()).replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
