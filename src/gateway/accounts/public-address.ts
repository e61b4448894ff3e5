import { BlockList, isIP } from 'node:net'

/**
 * Whether an IP address is one of the public internet: no address of this machine, of private networks, of links, of providers
 * inside (100.64.0.0/10), of documentation or multicast, and no IPv6 address that stands for an IPv4 one.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !RESERVED.check(address, 'ipv4')
  // A zone such as `%eth0` is of a link.
  return family === 6 && !address.includes('%') && GLOBAL.check(address, 'ipv6') && !RESERVED.check(address, 'ipv6')
}

/** IPv6 addresses that are given out to the internet: neither mapped ones nor those of links are among them. */
const GLOBAL = new BlockList()
GLOBAL.addSubnet('2000::', 3, 'ipv6')

const RESERVED = new BlockList()
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Links, and with them the metadata of clouds.
  ['169.254.0.0', 16],
  // The host of a machine at Azure, which has a public address.
  ['168.63.129.16', 32],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  RESERVED.addSubnet(net, prefix, 'ipv4')
for (const [net, prefix] of [
  // Teredo and other assignments of protocols, documentation, and 6to4, which has an IPv4 address inside.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  RESERVED.addSubnet(net, prefix, 'ipv6')
