import type { LookupAddress, LookupOptions } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { isPublicAddress } from '../../gateway/accounts/public-address.ts'
import { NoticeRefused } from '../../gateway/notices/lane.ts'
import type { Millis } from '../../policy/config.ts'

/** Resolves to the addresses of a name: at least one. Rejects where it has none. */
type Resolve = (host: string) => Promise<readonly LookupAddress[]>

/** The ways of a machine to other hosts; those of Node where they are absent. */
export interface PublicAgentPorts {
  readonly resolve?: Resolve
  readonly isPublic?: (address: string) => boolean
  /** Opens connections with these options. */
  readonly connector?: (options: buildConnector.BuildOptions) => buildConnector.connector
}

/** The gateway connects to no such host for a customer: it has an address inside. */
class AddressRefused extends NoticeRefused {
  constructor(host: string) {
    super(`${host} has an address that is not of the public internet`)
  }
}

/**
 * Connects by https to port 443 of public addresses alone, for URLs that customers give. A name is looked up once for each
 * connection, which goes to an address of that answer: a name that leads elsewhere a moment later changes nothing. A name with
 * any address that is not public is refused whole. Connections are not kept, so that each request is checked anew.
 */
export function publicAgent({
  resolve = addressesOf,
  isPublic = isPublicAddress,
  connector = buildConnector,
}: PublicAgentPorts = {}): Agent {
  const connect = connector({ timeout: CONNECT_MS, allowH2: false, lookup: checkedLookup(resolve, isPublic) })
  return new Agent({
    pipelining: 0,
    connect: (options, callback) => {
      const { protocol, port, hostname } = options
      const host = hostname.replace(/^\[|\]$/g, '')
      if (protocol !== 'https:' || (port !== '' && port !== '443'))
        return callback(new NoticeRefused('a webhook has to be https on port 443'), null)
      // A URL with an address skips the lookup, and so its check.
      if (isIP(host) !== 0 && !isPublic(host)) return callback(new AddressRefused(host), null)
      connect(options, (error, socket) => {
        if (error || !socket) return callback(error ?? new Error('there is no connection'), null)
        if (isPublic(socket.remoteAddress ?? '')) return callback(null, socket)
        socket.destroy()
        callback(new AddressRefused(host), null)
      })
    },
  })
}

/** A lookup in the form of node:net, which gets one address or all of them. */
function checkedLookup(resolve: Resolve, isPublic: (address: string) => boolean) {
  return (
    host: string,
    { all }: LookupOptions,
    found: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ): void => {
    const checked = resolve(host).then(addresses => {
      if (addresses.every(({ address }) => isPublic(address))) return addresses
      throw new AddressRefused(host)
    })
    checked.then(
      ([first, ...others]) => {
        if (!first) found(new Error(`${host} has no address`), '')
        else if (all) found(null, [first, ...others])
        else found(null, first.address, first.family)
      },
      (error: Error) => found(error, ''),
    )
  }
}

/**
 * Asks name servers, and no file of the machine. `dns.lookup` would have a thread of the process wait for each answer, and there
 * are four: a name server of a customer that answers nobody could hold up the store.
 */
async function addressesOf(host: string): Promise<readonly LookupAddress[]> {
  const resolver = new Resolver({ timeout: NAME_SERVER_MS, tries: 2 })
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const addresses = [
    ...(four.status === 'fulfilled' ? four.value.map(address => ({ address, family: 4 })) : []),
    ...(six.status === 'fulfilled' ? six.value.map(address => ({ address, family: 6 })) : []),
  ]
  if (addresses.length === 0 && four.status === 'rejected') throw four.reason
  return addresses
}

const CONNECT_MS: Millis = 5000
/** For the first of two attempts; a request ends after ten seconds all the same. */
const NAME_SERVER_MS: Millis = 2000
