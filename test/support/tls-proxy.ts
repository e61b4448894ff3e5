import { once } from 'node:events'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Certificate } from './certificate.ts'

/** A proxy that takes TLS off requests, as in front of a gateway. */
export interface TlsProxy {
  /** `https://localhost:…` */
  readonly url: string
  close(): Promise<void>
}

export async function startTlsProxy(target: string, { key, cert }: Certificate): Promise<TlsProxy> {
  const server = createServer({ key, cert }, (incoming, outgoing) => {
    const { method, url, headers } = incoming
    const passed = request(new URL(url ?? '/', target), { method, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.once('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
