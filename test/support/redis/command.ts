import { createClient } from '@keyv/redis'
import type { Certificate } from '../certificate.ts'

/** Never connects: the library builds the functions of all commands anew for each client, but not for duplicates of one. */
const blueprint = createClient()

interface Reached {
  /** It may have a user and a password. */
  readonly url: string
  /** The certificate of this client, and the authority of a server with TLS. */
  readonly certificate?: Certificate | undefined
}

/** A server's answer to one command, on its own connection. */
export const redisCommand = async (server: Reached, ...words: string[]): Promise<unknown> =>
  (await redisCommands(server, words))[0]

/** A server's answers to commands on one connection, in order. */
async function redisCommands({ url, certificate }: Reached, ...commands: string[][]): Promise<unknown[]> {
  const patience = { reconnectStrategy: false, connectTimeout: 30_000 } as const
  const tls = certificate && { ...certificate, tls: true as const, ca: certificate.cert }
  const client = blueprint.duplicate({ url, socket: { ...patience, ...tls } })
  client.on('error', () => {})
  await client.connect()
  try {
    return await Promise.all(commands.map(words => client.sendCommand(words)))
  } finally {
    // One whose server ended is closed already.
    if (client.isOpen) client.destroy()
  }
}

/**
 * Resolves once a replica has all that the server was sent. WAIT is for what its connection has seen: one that sent nothing
 * before is answered at once.
 */
export const replicatedFrom = async (server: Reached): Promise<void> =>
  void (await redisCommands(server, ['PING'], ['WAIT', '1', '0']))
