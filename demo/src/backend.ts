import http from 'node:http'
import { type Call, type DemoBackendOptions, refuse, send } from './call.ts'
import { chat } from './chat.ts'
import { embeddings } from './embeddings/embeddings.ts'
import { images, PAINTER } from './images/images.ts'

/** An HTTP server, not yet listening, that speaks the OpenAI wire: chat, embeddings and pictures, as it is given models. */
export function createDemoBackend(options: DemoBackendOptions): http.Server {
  let answers = 0
  const newId = () => `chatcmpl-${options.name}-${options.now().toString(36)}-${++answers}`
  // Longer than clients keep idle connections, so that they never meet one that is being closed.
  return http.createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    // An answer to a client that has left goes nowhere.
    response.on('error', () => {})
    route({ options, newId, request, response }).catch(error => {
      if (!request.socket.destroyed) console.error(error)
      response.destroy()
    })
  })
}

async function route(call: Call): Promise<void> {
  const { options, request, response } = call
  const path = request.url?.replace(/\?.*$/, '') ?? ''
  const line = `${request.method} ${path}`
  if (line === 'GET /health' || line === 'GET /v1/health') return send(response, 200, health(options))
  if (options.key !== undefined && request.headers.authorization !== `Bearer ${options.key}`) {
    return refuse(response, 401, 'invalid_api_key', 'the API key is missing or wrong')
  }
  if (line === 'GET /v1/models') return send(response, 200, catalogue(options))
  if (line === 'POST /v1/chat/completions') return chat(call)
  if (line === 'POST /v1/embeddings') return embeddings(call)
  if (line === 'POST /v1/images/generations') return images(call)
  return refuse(response, 404, 'not_found', `there is no ${line} here`)
}

/** Says what really answers to the names of embedding and image models. */
function health({ embeddings, images }: DemoBackendOptions): object {
  return {
    status: 'ok',
    ...(embeddings && { embeddings: { model: embeddings.embedder.name, state: embeddings.embedder.state() } }),
    ...(images && { images: { model: PAINTER } }),
  }
}

function catalogue({ name, models = [], embeddings, images = [], now }: DemoBackendOptions): object {
  const created = Math.floor(now() / 1000)
  const ids = [...models, ...(embeddings?.models ?? []), ...images]
  return { object: 'list', data: ids.map(id => ({ id, object: 'model', created, owned_by: name })) }
}
