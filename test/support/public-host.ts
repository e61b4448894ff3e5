import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { buildConnector } from 'undici'
import type { PublicAgentPorts } from '../../src/adapters/notices/public-agent.ts'
import { selfSigned } from './certificate.ts'

/** A message as an HTTPS server got it. */
export interface PostedMessage {
  readonly address: string | undefined
  readonly host: string | undefined
  readonly path: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * An HTTPS server for a name, on every loopback address, and the ways there: a name leads where `lead.to` says, 127.0.0.2 and
 * 127.0.0.3 count as public, and port 443 is that of the server.
 */
export async function startPublicHost(host: string) {
  const { key, cert } = selfSigned(host)
  const messages: PostedMessage[] = []
  /** The status of the next answers; 200 after the last of them. */
  const statuses: number[] = []
  /** Headers of every answer. */
  const headers: Record<string, string> = {}
  const lead = { to: (_name: string): readonly string[] => ['127.0.0.2'] }
  const asked: string[] = []
  const server = createServer({ key, cert }, (request, response) => {
    let body = ''
    request.on('data', chunk => {
      body += chunk
    })
    request.on('end', () => {
      const { url, socket } = request
      const sent = request.headers as Record<string, string>
      messages.push({ address: socket.localAddress, host: sent.host, path: url, headers: sent, body })
      response.writeHead(statuses.shift() ?? 200, headers).end('ok')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '0.0.0.0', resolve))
  const { port } = server.address() as AddressInfo
  const ways: PublicAgentPorts = {
    isPublic: address => address === '127.0.0.2' || address === '127.0.0.3',
    resolve: async name => {
      asked.push(name)
      return lead.to(name).map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
    },
    // Tests may not listen on port 443.
    connector: options => {
      const connect = buildConnector({ ...options, ca: cert })
      return (to, callback) => connect({ ...to, port: String(port) }, callback)
    },
  }
  const close = () => new Promise<void>(resolve => server.close(() => resolve()))
  return { ways, messages, statuses, headers, lead, asked, close }
}

/** Whether a message has the signature of a secret, by the clock of its sender. */
export function isSigned({ headers, body }: PostedMessage, secret: string): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': seconds = '', 'webhook-signature': signature } = headers
  return new Webhook(secret).sign(id, new Date(Number(seconds) * 1000), body) === signature
}
