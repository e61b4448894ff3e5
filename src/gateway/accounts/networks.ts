import { BlockList, isIP, SocketAddress } from 'node:net'
import { remembered } from '../lifetimes.ts'

/** Some networks, and addresses as networks of one. */
export interface Networks {
  /** For an address in its canonical form; false for any other text. */
  hold(address: string): boolean
}

/** Throws where a text is no address and no network. */
export function networksOf(texts: readonly string[]): Networks {
  const list = new BlockList()
  for (const text of texts) {
    const [written = '', length] = text.split('/')
    const address = canonicalAddress(written)
    if (address === undefined) throw new Error(`\`${text}\` is no network`)
    const family = familyOf(address)
    // ::ffff:10.0.0.0/104 is 10.0.0.0/8.
    const mapped = family === 'ipv4' && isIP(written) === 6 ? 96 : 0
    if (length === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(length) - mapped, family)
  }
  return { hold: address => isIP(address) > 0 && list.check(address, familyOf(address)) }
}

/** Whether a text is an address or a network, such as `10.0.0.7`, `10.0.0.0/8` or `fd00::/8`. */
export function isNetwork(text: string): boolean {
  if (!/^[0-9A-Fa-f.:]+(?:\/(?:0|[1-9]\d{0,2}))?$/.test(text)) return false
  try {
    networksOf([text])
    return true
  } catch {
    return false
  }
}

/** IPv4 where it is mapped into IPv6. Undefined when a text is no address. */
export function canonicalAddress(text: string): string | undefined {
  // The zone is this machine's own name for a link.
  const address = text.replace(/%.*$/, '')
  const version = isIP(address)
  if (version !== 6) return version === 4 ? address : undefined
  const shortest = new SocketAddress({ address, family: 'ipv6' }).address
  const mapped = shortest.startsWith(MAPPED) ? shortest.slice(MAPPED.length) : ''
  return isIP(mapped) === 4 ? mapped : shortest
}

const MAPPED = '::ffff:'

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Lists of networks that are kept, so that a request makes none. */
const LISTS = 1000

const listOf = remembered(LISTS, joined => networksOf(joined.split(' ')))

/** Whether one of the networks holds an address. */
export const isWithin = (networks: readonly string[], address: string): boolean =>
  listOf(networks.join(' ')).hold(address)

/** The network of an address: those who hold one address of it hold them all. */
export function networkOf(address: string): string {
  if (isIP(address) === 4) return `${address.split('.').slice(0, 3).join('.')}.0/24`
  return isIP(address) === 6 ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address
}

/** The eight groups of a canonical IPv6 address; those that are written with dots are the last two, and stay 0. */
function groupsOf(address: string): string[] {
  const [before = '', after = ''] = address.replace(/\d+(\.\d+){3}$/, '0:0').split('::')
  const left = before.split(':').filter(group => group !== '')
  const right = after.split(':').filter(group => group !== '')
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right]
}
