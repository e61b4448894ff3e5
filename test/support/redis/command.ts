import { createClient } from '@keyv/redis'

/** Never connects: the library builds the functions of all commands anew for each client, but not for duplicates of one. */
const blueprint = createClient()

/** What a server answers to one command, by a connection of its own. `url` may have a user and a password. */
export async function redisCommand({ url }: { readonly url: string }, ...words: string[]): Promise<unknown> {
  const client = blueprint.duplicate({ url, socket: { reconnectStrategy: false, connectTimeout: 30_000 } })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.sendCommand(words)
  } finally {
    client.destroy()
  }
}
