import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js'
import { answerSearch, SEARCH } from './docs-search.ts'
import { passagesOf } from './documents.ts'
import { SearchIndex } from './search.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** An MCP server over Streamable HTTP with the search in the documents of the package at `root`. It keeps no sessions. */
export function docsServer(root: string, version: string): Handler {
  const index = new SearchIndex(passagesOf(root))
  return async (request, response) => {
    // A stream for what the server begins itself, and the end of a session: it has neither.
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end()
      return
    }
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true, maxRequestBodySize: 64_000 })
    const server = serverOf(index, version)
    response.on('close', () => void server.close())
    await server.connect(transport)
    await transport.handleRequest(request, response)
  }
}

function serverOf(index: SearchIndex, version: string): Server {
  // Not the McpServer above it, which takes its schemas as zod.
  const server = new Server({ name: 'svc-gateway-docs', version }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [SEARCH] }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    if (params.name !== SEARCH.name) throw new McpError(ErrorCode.InvalidParams, `there is no tool ${params.name}`)
    return answerSearch(index, params.arguments)
  })
  return server
}
