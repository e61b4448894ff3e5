import type { BodyForm, Passthrough } from '../policy/config.ts'
import { type Denied, invalid } from '../policy/denial.ts'
import type { CacheTime } from '../policy/price.ts'
import { isObject, type JsonObject } from './json-safety.ts'
import { withIterations } from './messages/iterations.ts'
import { cacheTimeIn } from './native/cache-time.ts'
import type { ParsedBody } from './openai/body.ts'
import { readUsage, usageIn } from './usage/reported-usage.ts'
import { isCount, type Usage } from './usage/usage.ts'

/** A JSON body of a pass-through route. */
export interface NamedBody {
  /** As it names it. */
  readonly model?: string
  readonly bytes: number
  readonly cacheTime?: CacheTime
  /** The body for a backend that knows the model by this name. */
  bodyFor(backendModel: string): Buffer
}

/** A JSON body of so many bytes, as far as the gateway has to know it: an object, and which model it names. */
export function checkPassthroughBody(parsed: ParsedBody, bytes: number): NamedBody | Denied {
  const { model } = parsed.body
  if (model !== undefined && (typeof model !== 'string' || model === '' || model.length > 256))
    return invalid('model', 'must be a text of at most 256 characters')
  const cacheTime = cacheTimeIn(parsed.body)
  return {
    ...(model !== undefined && { model }),
    bytes,
    ...(cacheTime && { cacheTime }),
    bodyFor: backendModel => withModel(parsed.body, backendModel),
  }
}

const withModel = ({ model: _named, ...rest }: JsonObject, model: string): Buffer =>
  Buffer.from(JSON.stringify({ ...rest, model }))

/** Bodies in disguise are none of these: what a backend may read as JSON must come as JSON. */
const FORMS: readonly (readonly [BodyForm, RegExp])[] = [
  ['json', /^application\/json[ \t]*(?:;|$)/i],
  ['multipart', /^multipart\/form-data[ \t]*(?:;|$)/i],
  [
    'binary',
    /^(?:application\/octet-stream|(?:audio|image|video)\/[\w.+-]{1,64})[ \t]*(?:;[ \t]*[\w-]+=[\w."-]+[ \t]*)*$/i,
  ],
]

/** The form of a body that a route accepts. A body without a type counts as JSON, as elsewhere. */
export function formOf(type: string | undefined, { accepts }: Passthrough): BodyForm | Denied {
  const form = type === undefined ? 'json' : FORMS.find(([, pattern]) => pattern.test(type))?.[0]
  if (form && accepts.includes(form)) return form
  return { denial: { code: 'UNSUPPORTED_MEDIA_TYPE', accepts: accepts.map(each => SAID[each]).join(', or ') } }
}

const SAID: Readonly<Record<BodyForm, string>> = {
  json: 'JSON with `Content-Type: application/json`',
  multipart: '`multipart/form-data`',
  binary: '`application/octet-stream`, audio, image or video',
}

/**
 * The tokens that a JSON answer counts, by the names that services have for them: OpenAI's, those of its newer endpoints,
 * Anthropic's, which counts what it cached beside the rest, a total alone (Jina, vLLM's rerank), Cohere's billed units, or the
 * seconds of what was heard. Undefined where it counts none.
 */
export function readPassthroughUsage(answer: unknown): Usage | undefined {
  if (!isObject(answer)) return undefined
  const { usage, meta } = answer
  const billed = isObject(meta) ? (meta.billed_units ?? meta.tokens) : undefined
  return counted(usage) ?? usageIn(answer) ?? counted(billed)
}

function counted(reported: unknown): Usage | undefined {
  if (!isObject(reported)) return undefined
  const usage = withIterations(reported)
  // A model that only reads, such as a reranker, counts no output.
  return readUsage(usage) ?? readUsage({ ...usage, output_tokens: 0 }) ?? heard(usage.seconds)
}

/** OpenAI's models count a token for each tenth of a second that they hear; models that are paid by the time count seconds. */
const TOKENS_PER_SECOND = 10

function heard(seconds: unknown): Usage | undefined {
  const tokens = typeof seconds === 'number' ? Math.ceil(seconds * TOKENS_PER_SECOND) : undefined
  return isCount(tokens) ? { inputTokens: tokens, outputTokens: 0 } : undefined
}
