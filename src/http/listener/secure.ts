import type { RequestListener, Server, ServerOptions } from 'node:http'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { EpochMs, Millis } from '../../policy/config.ts'

/** The certificate of a listener with TLS, and the authorities of its clients' certificates, as PEM. */
export interface TlsTerms {
  readonly certificate: string
  readonly key: string
  readonly clientCa?: string | undefined
}

/** A server with TLS, and how it takes up terms that changed. Connections that stand go on. */
export interface SecureServer {
  readonly server: Server
  readonly renew: () => void
}

/** A server that speaks TLS by the terms of now. Where clients are to show certificates, one without is connected too: its requests are judged. */
export function createSecureServer(
  options: ServerOptions,
  listener: RequestListener,
  { terms, handshakeTimeout }: { readonly terms: () => TlsTerms; readonly handshakeTimeout: Millis },
): SecureServer {
  let applied = terms()
  const server = createServer(
    { ...options, ...contextOf(applied), handshakeTimeout, requestCert: asks(applied), rejectUnauthorized: false },
    listener,
  )
  /** Under which authority a connection began, by its other end: TLS of node does not tell the two sockets of one. */
  const begun = new Map<string, string | undefined>()
  const endOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  server
    .on('connection', (socket: Socket) => {
      const end = endOf(socket)
      begun.set(end, applied.clientCa)
      socket.once('close', () => begun.delete(end))
    })
    .on('secureConnection', socket => AUTHORITIES.set(socket, begun.get(endOf(socket))))
  const renew = () => {
    const now = terms()
    if (now.certificate === applied.certificate && now.key === applied.key && now.clientCa === applied.clientCa) return
    applied = now
    server.setSecureContext(contextOf(now))
    // Node reads it for each connection that begins, and has no call that sets it.
    Object.assign(server, { requestCert: asks(now) })
  }
  // In all that is used here it is one of http.
  return { server: server as unknown as Server, renew }
}

/** The authorities of client certificates when a connection began; connections without an entry have not shaken hands. */
const AUTHORITIES = new WeakMap<object, string | undefined>()

/** Whether the handshake of a connection with TLS is over. */
export const hasShakenHands = (socket: object): boolean => AUTHORITIES.has(socket)

/** The name in the certificate of a client that an authority signed; undefined where there is none, or it is not valid now. */
export function certifiedName(socket: Socket, authority: string, now: EpochMs): string | undefined {
  // A connection under an authority that was replaced since is to begin anew.
  if (!(socket instanceof TLSSocket) || !socket.authorized || AUTHORITIES.get(socket) !== authority) return undefined
  const { subject, valid_to } = socket.getPeerCertificate()
  // It may have ended since the handshake.
  if (now >= Date.parse(valid_to)) return undefined
  // A certificate with several names has none that counts.
  return typeof subject?.CN === 'string' ? subject.CN : undefined
}

const asks = ({ clientCa }: TlsTerms): boolean => clientCa !== undefined

const contextOf = ({ certificate: cert, key, clientCa }: TlsTerms) => ({
  cert,
  key,
  // Without an authority none is asked for a certificate, so that it does not matter whom the machine trusts.
  ...(clientCa !== undefined && { ca: clientCa }),
  minVersion: 'TLSv1.2' as const,
})
