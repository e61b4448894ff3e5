import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { canonicalAddress, networksOf } from '../../gateway/accounts/networks.ts'

/** Where requests come from: addresses in their one canonical form, IPv4 where it is mapped into IPv6. */
export interface ClientAddresses {
  /** The address of the client, whom a trusted proxy may speak for. */
  ofRequest(request: IncomingMessage): string
  /** The address of the connection's peer. */
  ofSocket(socket: Socket): string
  isProxy(address: string): boolean
}

/**
 * Believes `X-Forwarded-For` as far as trusted proxies wrote it: each appends the address that called it, so that
 * the right-most entry that is no trusted proxy is the client. The entries left of it may be made up.
 */
export function clientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const trusted = networksOf(trustedProxies)
  const isProxy = (address: string) => trusted.hold(address)
  // Unknown once the socket is gone; then there is no client to answer either.
  const known = new WeakMap<Socket, string>()
  const ofSocket = (socket: Socket) => {
    const before = known.get(socket)
    if (before !== undefined) return before
    const address = canonicalAddress(socket.remoteAddress ?? '')
    if (address !== undefined) known.set(socket, address)
    return address ?? 'unknown'
  }
  const ofRequest = ({ socket, headers }: IncomingMessage) => {
    let address = ofSocket(socket)
    if (trustedProxies.length === 0) return address
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
    while (isProxy(address)) {
      const next: string | undefined = canonicalAddress(withoutPort((forwarded.pop() ?? '').trim()))
      // Garbage was not written by a proxy that can be believed: who passed it on is the best that is known.
      if (next === undefined) return address
      address = next
    }
    return address
  }
  return { ofRequest, ofSocket, isProxy }
}

/** `1.2.3.4:80` and `[::1]:80`, as some proxies write. */
const withoutPort = (entry: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(entry)?.[1] ?? entry
