/** What a 404 says: most who meet one have an SDK that calls an endpoint of its vendor, or a wrong base URL. */
export function missingPath(path: string, model: string): string {
  const chat =
    `use POST /v1/chat/completions: createOpenAI(...).chat("${model}") or @ai-sdk/openai-compatible with the AI SDK, ` +
    'client.chat.completions.create with the OpenAI SDK.'
  if (/^\/(v1\/)?(responses|completions|assistants|threads|messages|conversations)\b/.test(path))
    return `${path.split('/', 3).join('/')} is not served here; ${chat}`
  if (/^\/v1\/v1\//.test(path)) return 'The path has /v1 twice: this SDK adds it, so leave it out of the base URL.'
  if (/^\/(chat\/completions|embeddings|images\/generations|models)\b/.test(path))
    return `The path lacks /v1: let the base URL of the SDK end in /v1, so that it calls /v1${path}`
  if (path.endsWith('/') && path.length > 1) return 'No such path; leave the slash at its end out.'
  return 'No such path. The API is below /v1; see GET /v1/models and /openapi.json.'
}
