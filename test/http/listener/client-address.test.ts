import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { networkOf } from '../../../src/gateway/accounts/networks.ts'
import { clientAddresses } from '../../../src/http/listener/client-address.ts'

const request = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage

const PROXIES = ['10.0.0.0/8', '192.168.1.7', '2001:db8:aa::/48', '::1']

describe('the address of a client', () => {
  it.each<[string, readonly string[], string | undefined, string | undefined, string]>([
    ['is that of its socket', [], '203.0.113.9', undefined, '203.0.113.9'],
    ['is never by a header where no proxy is trusted', [], '203.0.113.9', '1.2.3.4', '203.0.113.9'],
    ['is never by a header of somebody who is no proxy', PROXIES, '203.0.113.9', '1.2.3.4', '203.0.113.9'],
    ['is what a trusted proxy says', PROXIES, '10.1.2.3', '203.0.113.9', '203.0.113.9'],
    [
      'is the right-most entry, whatever the client wrote before it',
      PROXIES,
      '10.1.2.3',
      '1.1.1.1, 10.9.9.9, 203.0.113.9',
      '203.0.113.9',
    ],
    [
      'is behind a chain of trusted proxies',
      PROXIES,
      '10.1.2.3',
      '1.1.1.1, 203.0.113.9, 192.168.1.7, 10.5.5.5',
      '203.0.113.9',
    ],
    ['is the left-most entry where all are trusted', PROXIES, '10.1.2.3', '10.0.0.9, 10.0.0.8', '10.0.0.9'],
    ['is the proxy itself where it says nothing', PROXIES, '10.1.2.3', undefined, '10.1.2.3'],
    ['is the proxy itself where it says nothing at all', PROXIES, '10.1.2.3', '', '10.1.2.3'],
    ['is who passed garbage on', PROXIES, '10.1.2.3', '203.0.113.9, unknown, 10.7.7.7', '10.7.7.7'],
    ['is who passed a name on', PROXIES, '10.1.2.3', 'example.com', '10.1.2.3'],
    ['is who passed an empty entry on', PROXIES, '10.1.2.3', '203.0.113.9,', '10.1.2.3'],
    ['is IPv4 where it is mapped into IPv6', PROXIES, '::ffff:203.0.113.9', undefined, '203.0.113.9'],
    ['is IPv4 where it is mapped in hexadecimal', PROXIES, '10.1.2.3', '::FFFF:cb00:7109', '203.0.113.9'],
    ['trusts a proxy that is mapped into IPv6', PROXIES, '::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['trusts an IPv6 proxy by its network', PROXIES, '2001:db8:aa:1::7', '2001:DB8:0:0:0:0:0:9', '2001:db8::9'],
    ['trusts no neighbour of an IPv6 network', PROXIES, '2001:db8:ab::7', '203.0.113.9', '2001:db8:ab::7'],
    ['trusts no neighbour of a single address', PROXIES, '192.168.1.8', '203.0.113.9', '192.168.1.8'],
    ['has one form, however it is written', PROXIES, '::1', '2001:0DB8:00:0::09', '2001:db8::9'],
    ['has no port', PROXIES, '::1', '203.0.113.9:4711', '203.0.113.9'],
    ['has no brackets', PROXIES, '::1', '[2001:db8::9]:4711', '2001:db8::9'],
    ['has no zone', PROXIES, 'fe80::1%eth0', undefined, 'fe80::1'],
    ['trusts a network that is written as mapped', ['::ffff:10.0.0.0/104'], '10.1.2.3', '203.0.113.9', '203.0.113.9'],
    ['is nothing once the socket is gone', PROXIES, undefined, '203.0.113.9', 'unknown'],
  ])('%s', (_name, proxies, socket, forwarded, expected) => {
    expect(clientAddresses(proxies).ofRequest(request(socket, forwarded))).toBe(expected)
  })

  it('cannot be made up by a header of thousands of entries', () => {
    const forwarded = `${'1.2.3.4, '.repeat(50_000)}203.0.113.9`

    expect(clientAddresses(PROXIES).ofRequest(request('10.1.2.3', forwarded))).toBe('203.0.113.9')
  })
})

describe('the network of an address', () => {
  it.each([
    ['203.0.113.9', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::9', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::', '2001:db8:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::1.2.3.4', '1:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('%s is of %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
