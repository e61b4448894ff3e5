import { createClient } from '@keyv/redis'

export type Commands = ReturnType<typeof newClient>

const newClient = (url: string) => createClient({ url, socket: { reconnectStrategy: false } })

/** A connection to Redis of the test's own. */
export async function commandsOf(url: string): Promise<Commands> {
  const client = newClient(url)
  // The caller of a command handles its error.
  client.on('error', () => {})
  await client.connect()
  return client
}
