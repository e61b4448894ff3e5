import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type Socket, SocketAddress } from 'node:net'

/** Where requests come from: addresses in their one canonical form, IPv4 where it is mapped into IPv6. */
export interface ClientAddresses {
  /** Of the client, whom a trusted proxy may speak for. */
  ofRequest(request: IncomingMessage): string
  /** Of the peer of the connection. */
  ofSocket(socket: Socket): string
  isProxy(address: string): boolean
}

/**
 * Believes `X-Forwarded-For` as far as trusted proxies wrote it: each appends the address that called it, so that
 * the right-most entry that is no trusted proxy is the client. The entries left of it may be made up.
 */
export function clientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const trusted = blockList(trustedProxies)
  const isProxy = (address: string) =>
    isIP(address) > 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  // Unknown once the socket is gone; then there is no client to answer either.
  const known = new WeakMap<Socket, string>()
  const ofSocket = (socket: Socket) => {
    const before = known.get(socket)
    if (before !== undefined) return before
    const address = canonical(socket.remoteAddress ?? '')
    if (address !== undefined) known.set(socket, address)
    return address ?? 'unknown'
  }
  const ofRequest = ({ socket, headers }: IncomingMessage) => {
    let address = ofSocket(socket)
    if (trustedProxies.length === 0) return address
    const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
    while (isProxy(address)) {
      const next: string | undefined = canonical(withoutPort((forwarded.pop() ?? '').trim()))
      // Garbage was not written by a proxy that can be believed: who passed it on is the best that is known.
      if (next === undefined) return address
      address = next
    }
    return address
  }
  return { ofRequest, ofSocket, isProxy }
}

/** The network of an address: those who hold one address of it hold them all. */
export function networkOf(address: string): string {
  if (isIP(address) === 4) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  return isIP(address) === 6 ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [written = '', length] = network.split('/')
    const address = canonical(written)
    if (address === undefined) throw new Error(`\`${network}\` is no network`)
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    // ::ffff:10.0.0.0/104 is 10.0.0.0/8.
    const mapped = family === 'ipv4' && isIP(written) === 6 ? 96 : 0
    if (length === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(length) - mapped, family)
  }
  return list
}

const MAPPED = '::ffff:'

/** Undefined when a text is no address. */
function canonical(text: string): string | undefined {
  // The zone is this machine's own name for a link.
  const address = text.replace(/%.*$/, '')
  const version = isIP(address)
  if (version !== 6) return version === 4 ? address : undefined
  const shortest = new SocketAddress({ address, family: 'ipv6' }).address
  const mapped = shortest.startsWith(MAPPED) ? shortest.slice(MAPPED.length) : ''
  return isIP(mapped) === 4 ? mapped : shortest
}

/** The eight groups of a canonical IPv6 address; those that are written with dots are the last two, and stay 0. */
function groupsOf(address: string): string[] {
  const [before = '', after = ''] = address.replace(/\d+(\.\d+){3}$/, '0:0').split('::')
  const left = before.split(':').filter(group => group !== '')
  const right = after.split(':').filter(group => group !== '')
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right]
}

/** `1.2.3.4:80` and `[::1]:80`, as some proxies write. */
const withoutPort = (entry: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(entry)?.[1] ?? entry
