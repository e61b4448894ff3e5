import { isObject, type JsonObject } from './json-safety.ts'

/** An error of a backend, unwrapped. `message` is absent if it has no text. */
export interface BackendError {
  readonly message?: string
  readonly code?: unknown
  readonly type?: unknown
  readonly param?: unknown
  readonly status?: unknown
  readonly status_code?: unknown
}

/**
 * Reads an error in any form that backends use: the object of OpenAI, Anthropic's, Google's list, `errors`, an error in an error,
 * `Message`, FastAPI's and Mistral's `detail`, the provider's words in OpenRouter's `metadata.raw`, envelopes of other services, a
 * text, a page of HTML or XML. An inner error takes precedence over its wrapper.
 */
export const readBackendError = (value: unknown): BackendError => unwrapped(value, MOST_WRAPPERS) ?? NOTHING

/** The words of such an error. */
export const errorText = ({ message }: BackendError): string => message ?? REPORTED

/** The error in an answer that is none, such as `{"error": …}`; undefined where there is none. */
export function errorInAnswer(answer: unknown): unknown {
  // Google's OpenAI endpoint puts every error into a list.
  if (Array.isArray(answer)) return answer.length === 1 ? errorInAnswer(answer[0]) : undefined
  if (!isObject(answer)) return undefined
  if (answer.error !== undefined && answer.error !== null) return answer.error
  // Older vLLM and SGLang write the error itself; Cloudflare lists errors, of answers too that succeed in part.
  if (answer.object === 'error' || (answer.success === false && Array.isArray(answer.errors))) return answer
  return errorInChoice(answer.choices) ?? (hasChoices(answer) ? undefined : envelopedError(answer))
}

/** OpenRouter reports the failure of its provider inside a choice. */
function errorInChoice(choices: unknown): unknown {
  const [choice] = Array.isArray(choices) ? choices : []
  return isObject(choice) && isObject(choice.error) ? choice.error : undefined
}

const hasChoices = ({ choices }: JsonObject): boolean => Array.isArray(choices) && choices.length > 0

/** The error of a service that answers 200 with its own status: MiniMax, ERNIE, SiliconFlow, iFlow. */
function envelopedError(answer: JsonObject): unknown {
  const { base_resp: ofMiniMax, error_code, error_msg } = answer
  if (isObject(ofMiniMax)) {
    const { status_code: code, status_msg: message } = ofMiniMax
    return code === undefined || Number(code) === 0 ? undefined : { message, code: MINIMAX[Number(code)] ?? code }
  }
  if (error_msg !== undefined && Number(error_code) !== 0) return answer
  const { code = answer.status, message = answer.msg } = answer
  return typeof message === 'string' && isOfError(code) ? answer : undefined
}

/** HTTP statuses, and codes above them: SiliconFlow's begin at 20000. */
const isOfError = (code: unknown): boolean => /^(?:[45]\d\d|[2-5]\d{4})$/.test(String(code))

/** MiniMax's codes and the statuses that they mean: platform.minimax.io/docs/api-reference/errorcode. */
const MINIMAX: Readonly<Record<number, number>> = {
  ...{ 1001: 504, 1002: 429, 1004: 401, 1008: 402, 1026: 400, 1027: 400, 1039: 429, 1041: 429 },
  ...{ 2013: 400, 2045: 429, 2049: 401, 2056: 429 },
}

const REPORTED = 'the backend reported an error'
const NOTHING: BackendError = {}

/** Even a chain of two gateways and a provider has fewer. */
const MOST_WRAPPERS = 8
/** Some errors repeat the whole prompt: the rest of the text is ignored. */
const MOST_CHARACTERS = 8192

function unwrapped(value: unknown, depth: number): BackendError | undefined {
  if (depth === 0) return undefined
  if (typeof value === 'string') return ofText(value, depth)
  if (Array.isArray(value)) return first(value, each => unwrapped(each, depth - 1))
  return isObject(value) ? ofObject(value, depth) : undefined
}

function ofObject(value: JsonObject, depth: number): BackendError | undefined {
  const own = wordsOf(value)
  const inner = first(wrappedIn(value), each => unwrapped(each, depth - 1))
  const text = first(TEXTS, name => (typeof value[name] === 'string' && value[name] !== '' ? value[name] : undefined))
  const said = inner ?? (text === undefined ? undefined : (placed(value, text) ?? ofText(text, depth)))
  const error = { ...own, ...said }
  return Object.keys(error).length > 0 ? error : undefined
}

/** The objects that wrap an error, the innermost first. */
function* wrappedIn(value: JsonObject): Generator<unknown> {
  const { error, errors, metadata, message, detail } = value
  if (isObject(metadata)) yield typeof metadata.raw === 'string' ? (parsed(metadata.raw) ?? metadata.raw) : metadata.raw
  if (typeof error === 'object') yield error
  yield isObject(errors) ? Object.entries(errors).map(byField) : errors
  if (isObject(message) || Array.isArray(message)) yield message
  if (isObject(detail) || Array.isArray(detail)) yield detail
  for (const name of WRAPPERS) if (isObject(value[name])) yield value[name]
}

/**
 * Wrappers of Databricks, of the API gateways of Google, Tencent and Volcengine, of MiniMax and Clarifai, and of failed
 * Responses.
 */
const WRAPPERS = [
  ...['external_model_error', 'fault', 'Error', 'Response', 'ResponseMetadata', 'base_resp', 'status', 'response'],
  ...['result', 'body', 'header'],
]

/** ASP.NET lists problems by field. */
const byField = ([field, problems]: [string, unknown]): string =>
  `${field}: ${String(Array.isArray(problems) ? problems[0] : problems)}`

/** Members that may hold the message, best first: beside a `message`, `error` and `title` only name the status. */
const TEXTS: readonly string[] = [
  ...['message', 'Message', 'msg', 'detail', 'details', 'error_message', 'errorMessage', 'error_msg'],
  ...['error_description', 'errmsg', 'faultstring', 'status_msg', 'description', 'reason', 'error', 'title'],
]

/** FastAPI gives the place beside the message. */
function placed({ loc, msg }: JsonObject, text: string): BackendError | undefined {
  if (!Array.isArray(loc) || loc.length === 0 || text !== msg) return undefined
  return { message: `${loc.join('.')}: ${text}` }
}

/**
 * The error's own code, type and field. Anthropic's type of every error is `error`, and FastAPI's `type` is a schema
 * rule.
 */
function wordsOf({ type, error_type, __type, param, loc, ...value }: JsonObject): BackendError {
  const ofAws = typeof __type === 'string' ? __type.replace(/^.*#/, '') : undefined
  const kind = type === 'error' || loc !== undefined ? undefined : (type ?? error_type ?? ofAws)
  const { code = value.Code ?? value.error_code, status, status_code = value.statusCode ?? value.http_code } = value
  const words = { code, type: kind, param, status: isObject(status) ? undefined : status, status_code }
  return Object.fromEntries(Object.entries(words).filter(([, word]) => word !== undefined && word !== null))
}

function ofText(text: string, depth: number): BackendError | undefined {
  const said = isPage(text) ? titleOf(text) : text.trim()
  if (said === '') return undefined
  return quotedIn(said, depth) ?? { message: said }
}

export const isPage = (text: string): boolean => /^\s*<(?:!doctype|html|head|body|\?xml|h1|center|error)\b/i.test(text)

/** The title of a page, its first heading, or the message of a document. */
function titleOf(page: string): string {
  const [, title] = /<(?:title|h1|message)[^>]{0,256}>([^<]{1,512})</i.exec(page.slice(0, MOST_CHARACTERS)) ?? []
  return (title ?? '').replace(/\s+/g, ' ').trim()
}

/**
 * An error that a text quotes as JSON at its end, as gateways do with their providers' errors. Its codes may be a
 * client's.
 */
function quotedIn(text: string, depth: number): BackendError | undefined {
  const [quoted] = text.length > MOST_CHARACTERS ? [] : (/[[{]\s*["{].*[}\]]$/s.exec(text) ?? [])
  if (quoted === undefined) return undefined
  const value = parsed(quoted)
  const isError =
    errorInAnswer(value) !== undefined ||
    (isObject(value) && ('detail' in value || isObject(value.external_model_error) || isSaid(value)))
  const message = isError ? unwrapped(value, depth - 1)?.message : undefined
  return message === undefined ? undefined : { message }
}

const isSaid = (value: JsonObject): boolean =>
  typeof value.message === 'string' && ['code', 'type', 'status', 'statusCode'].some(name => name in value)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The text only looked like JSON.
    return undefined
  }
}

function first<T, R>(values: Iterable<T>, read: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const result = read(value)
    if (result !== undefined) return result
  }
  return undefined
}
