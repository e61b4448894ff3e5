import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Address } from '../../config/model/formats.ts'
import type { Settings } from '../../config/settings.ts'
import type { TlsTerms } from '../../http/listener/secure.ts'
import { BACKLOG } from '../backlog.ts'

/** TLS terms of the admin listener in the current files; undefined, until a restart, if it started without TLS. */
export function adminTlsOf(serving: { readonly settings: Settings }): (() => TlsTerms) | undefined {
  const written = () => serving.settings.server.adminTls
  const first = written()
  if (!first) return undefined
  return () => {
    const { certificate, key, clientCa } = written() ?? first
    return { certificate: certificate.reveal(), key: key.reveal(), clientCa: clientCa?.reveal() }
  }
}

/** Resolves with the address that it has. */
export async function listenAt(server: Server, { host, port }: Address): Promise<Address> {
  server.listen(port, host, BACKLOG)
  await once(server, 'listening')
  const { port: bound } = server.address() as AddressInfo
  return { host, port: bound }
}
