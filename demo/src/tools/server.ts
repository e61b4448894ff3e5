import http from 'node:http'
import { bodyOf, send } from '../call.ts'
import { convert } from './convert.ts'
import type { Handler } from './mcp.ts'

const BODY_MAX = 10_000

/** An HTTP server, not yet listening: POST /convert converts units, /mcp is the MCP server once that is loaded. */
export function createToolServer(docs: () => Promise<Handler>): http.Server {
  return http.createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    // An answer to a client that has left goes nowhere.
    response.on('error', () => {})
    route(docs, request, response).catch(error => {
      if (!request.socket.destroyed) console.error(error)
      response.destroy()
    })
  })
}

async function route(
  docs: () => Promise<Handler>,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const path = request.url?.replace(/\?.*$/, '')
  // MCP asks servers on loopback to keep out what pages in a browser send.
  if (request.headers.origin !== undefined) return send(response, 403, { error: 'not for pages in a browser' })
  if (path === '/mcp') return (await docs())(request, response)
  if (path !== '/convert') return send(response, 404, { error: `there is no ${path} here` })
  if (request.method !== 'POST') return send(response, 405, { error: 'POST {"amount", "from", "to"}' })
  return conversion(request, response)
}

async function conversion(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const text = await bodyOf(request, BODY_MAX)
  if (text === undefined) return send(response, 413, { error: 'the body is too large' })
  const body = parsed(text)
  if (body === undefined) return send(response, 400, { error: 'the body is not JSON' })
  const answer = convert(body)
  send(response, 'error' in answer ? 422 : 200, answer)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message would quote the client's own body.
    return undefined
  }
}
