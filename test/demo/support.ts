import { once } from 'node:events'
import type { Server } from 'node:http'
import { createDemoBackend } from '../../demo/src/backend.ts'
import type { DemoBackendOptions } from '../../demo/src/call.ts'

/** A demo backend that listens; `url` ends in /v1. */
export interface Listening {
  readonly server: Server
  readonly url: string
  close(): Promise<void>
}

/** Starts a demo backend at a clock that stands still. */
export async function listen(options: Partial<DemoBackendOptions>): Promise<Listening> {
  const server = createDemoBackend({ name: 'onprem-core-1', paceMs: 0, now: () => 1_700_000_000_123, ...options })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    server,
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Sends JSON and reads the answer as what the test expects it to be. */
export async function post<Body>(url: string, body: object | string): Promise<{ response: Response; body: Body }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(url, { method: 'POST', body: text })
  const answer: Body = JSON.parse(await response.text())
  return { response, body: answer }
}
