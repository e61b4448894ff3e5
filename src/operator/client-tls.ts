import { X509Certificate } from 'node:crypto'
import { checkServerIdentity, type PeerCertificate, rootCertificates } from 'node:tls'
import { MOST_OWN_BYTES, readBounded } from '../server/bounded-file.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'

/** How svcctl speaks TLS to a gateway: options of node's `https`. */
export interface ClientTls {
  readonly ca?: readonly string[]
  readonly cert?: string
  readonly key?: string
  readonly allowPartialTrustChain?: boolean
  readonly checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined
}

/**
 * Reads the files named by SVCCTL_CA, SVCCTL_CERT and SVCCTL_KEY. `own` is the certificate that the files of the gateway name, as
 * PEM: where it shows just that, it is the gateway, whatever the address is called by.
 */
export function clientTls(own?: string): ClientTls {
  const [ca, cert, key] = (['SVCCTL_CA', 'SVCCTL_CERT', 'SVCCTL_KEY'] as const).map(fileOf)
  if (!cert !== !key)
    throw new CommandFailed('✗ SVCCTL_CERT and SVCCTL_KEY belong together: set both, or none', exitCodes.usage)
  const shown = { ...(cert && { cert }), ...(key && { key }) }
  if (ca) return { ...shown, ca: [ca] }
  if (own === undefined) return shown
  const { raw } = new X509Certificate(own)
  return {
    ...shown,
    ca: [...rootCertificates, own],
    allowPartialTrustChain: true,
    checkServerIdentity: (host, certificate) =>
      raw.equals(certificate.raw) ? undefined : checkServerIdentity(host, certificate),
  }
}

function fileOf(variable: string): string | undefined {
  const path = process.env[variable]
  if (!path) return undefined
  try {
    return readBounded(path, MOST_OWN_BYTES)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailed(`✗ ${variable} cannot be read: ${reason}`, exitCodes.usage)
  }
}
