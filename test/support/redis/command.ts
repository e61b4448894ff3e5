import { createClient } from '@keyv/redis'
import type { Certificate } from '../certificate.ts'

/** Never connects: the library builds the functions of all commands anew for each client, but not for duplicates of one. */
const blueprint = createClient()

interface Reached {
  /** It may have a user and a password. */
  readonly url: string
  /** Of this client, and the authority of a server with TLS. */
  readonly certificate?: Certificate | undefined
}

/** What a server answers to one command, by a connection of its own. */
export async function redisCommand({ url, certificate }: Reached, ...words: string[]): Promise<unknown> {
  const patience = { reconnectStrategy: false, connectTimeout: 30_000 } as const
  const tls = certificate && { ...certificate, tls: true as const, ca: certificate.cert }
  const client = blueprint.duplicate({ url, socket: { ...patience, ...tls } })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.sendCommand(words)
  } finally {
    client.destroy()
  }
}
