import type { BodyForm, Passthrough } from '../../policy/config.ts'
import type { Denial } from '../../policy/denial.ts'
import { invalid, type JsonObject, type ParsedBody } from '../openai/body.ts'

/** A JSON body of a pass-through route. */
export interface PassedBody {
  /** As it names it. */
  readonly model?: string
  readonly bytes: number
  /** The same body for a backend that knows the model by this name. */
  bodyFor(backendModel: string): Buffer
}

/** A JSON body of so many bytes, as far as the gateway has to know it: an object, and which model it names. */
export function checkPassed(parsed: ParsedBody, bytes: number): PassedBody | Denial {
  const { model } = parsed.body
  if (model !== undefined && (typeof model !== 'string' || model === '' || model.length > 256))
    return invalid('model', 'must be a text of at most 256 characters')
  return {
    ...(model !== undefined && { model }),
    bytes,
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

/** The form of a body that a route accepts. What says nothing of itself is taken for JSON, as elsewhere. */
export function formOf(type: string | undefined, { accepts }: Passthrough): BodyForm | Denial {
  const form = type === undefined ? 'json' : FORMS.find(([, pattern]) => pattern.test(type))?.[0]
  if (form && accepts.includes(form)) return form
  return { code: 'UNSUPPORTED_MEDIA_TYPE', accepts: accepts.map(each => SAID[each]).join(', or ') }
}

const SAID: Readonly<Record<BodyForm, string>> = {
  json: 'JSON with `Content-Type: application/json`',
  multipart: '`multipart/form-data`',
  binary: '`application/octet-stream`, audio, image or video',
}
