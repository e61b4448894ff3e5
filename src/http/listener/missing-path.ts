/**
 * Paths of APIs that are not served here, and what to call instead: such a client has an SDK that calls an endpoint of
 * its vendor. The path alone identifies them, for any method.
 */
const ELSEWHERE: readonly (readonly [path: RegExp, says: (path: string, chat: string) => string])[] = [
  [
    /^\/(?:v1\/)?(?:completions|assistants|threads|conversations)(?:\/|$)/,
    (path, chat) => `${partOf(path)} is not served here; ${chat}`,
  ],
  [
    /^\/(?:v1\/)?responses\/compact$/,
    (path, chat) => `${path} is not served here: clients shorten their own histories. To call a model, ${chat}`,
  ],
  [
    /^\/v1(?:beta|alpha|main)?\d*\/(?:models|tunedModels)\/[^/]+:[A-Za-z]+$/,
    (path, chat) =>
      `${path.slice(path.lastIndexOf(':') + 1)} belongs to Gemini's own API, which is not served here; ${chat}`,
  ],
  [/^\/v1beta\/openai(?:\/|$)/, () => 'The base URL of this gateway ends in /v1, and not in /v1beta/openai.'],
  [/^\/v1(?:beta|alpha)\d*\//, (_path, chat) => `Gemini's own API is not served here; ${chat}`],
  [
    /^\/(?:v1\/)?openai\/deployments\//,
    (_path, chat) => `Azure deployments are not served here: name the model in the body, and ${chat}`,
  ],
  [
    /^\/api\/(?:chat|generate|tags|embed|embeddings|show|version)$/,
    (_path, chat) => `Ollama's own API is not served here; ${chat}`,
  ],
]

/** The first two segments. */
const partOf = (path: string): string => path.split('/', 3).join('/')

/** The 404's words for a path of a known API that is not served here. `model` is the one that it suggests. */
export function pathElsewhere(path: string, model: string): string | undefined {
  return ELSEWHERE.find(([known]) => known.test(path))?.[1](path, chatWith(model))
}

const chatWith = (model: string): string =>
  `use POST /v1/chat/completions: createOpenAI(...).chat("${model}") or @ai-sdk/openai-compatible with the AI SDK, ` +
  'client.chat.completions.create with the OpenAI SDK.'

/** The words of any other 404: mostly the base URL is wrong. `isServed` tells whether there is anything at a path. */
export function missingPath(path: string, model: string, isServed: (path: string) => boolean): string {
  const elsewhere = pathElsewhere(path, model)
  if (elsewhere !== undefined) return elsewhere
  if (/^\/v1\/v1\//.test(path)) return 'The path has /v1 twice: this SDK adds it, so leave it out of the base URL.'
  const plain = path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '')
  if (plain !== path && isServed(plain)) return `${plain} has an extra slash: end the base URL of the SDK without one.`
  if (/^\/(chat\/completions|responses|messages|embeddings|images\/generations|models)\b/.test(plain))
    return `The path lacks /v1: end the base URL of the SDK in /v1, so that it calls /v1${plain}`
  if (plain !== path) return pathElsewhere(plain, model) ?? 'No such path; remove the extra slash.'
  return 'No such path. The API is below /v1; see GET /v1/models and /openapi.json.'
}
