import { generateKeyPairSync, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

/** A key and its certificate, as PEM. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

const SIGNATURE = '2a8648ce3d040302' // ecdsa-with-SHA256
const COMMON_NAME = '550403'
const ALTERNATIVE_NAME = '551d11'

/** A new certificate that nobody but its own key vouches for, valid from 2020 to 2049. `host` is a name or an IPv4 address. */
export function selfSigned(host = '127.0.0.1'): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid(SIGNATURE))
  const name = sequence(tagged(0x31, sequence(oid(COMMON_NAME), tagged(0x0c, Buffer.from(host)))))
  const alternative = isIPv4(host)
    ? tagged(0x87, Buffer.from(host.split('.').map(Number)))
    : tagged(0x82, Buffer.from(host))
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(1),
    algorithm,
    name,
    sequence(time('200101000000Z'), time('491231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(sequence(oid(ALTERNATIVE_NAME), tagged(0x04, sequence(alternative))))),
  )
  const signature = Buffer.concat([Buffer.of(0), sign('sha256', body, privateKey)])
  const der = sequence(body, algorithm, tagged(0x03, signature))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

/** One value of DER. */
function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), body])
}

const sequence = (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts)
const integer = (value: number): Buffer => tagged(0x02, Buffer.of(value))
const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'))
const time = (text: string): Buffer => tagged(0x17, Buffer.from(text))
