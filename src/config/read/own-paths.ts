/** Paths below /v1 that the gateway serves itself; `{id}` stands for any last segment. A test compares them with its table. */
const OWN_PATHS = [
  '/v1/chat/completions',
  '/v1/embeddings',
  '/v1/images/generations',
  '/v1/models',
  '/v1/models/{id}',
  '/v1/keys/developer',
  '/v1/keys/developer/rotate',
  '/v1/keys/developer/revoke',
  '/v1/keys/guest',
]

/** Whether the gateway serves a path itself, so that nothing can be passed through there. */
export const isOwnPath = (path: string): boolean =>
  OWN_PATHS.some(own => own === path || own === `${path.slice(0, path.lastIndexOf('/'))}/{id}`)
