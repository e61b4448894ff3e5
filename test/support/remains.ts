import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@keyv/redis'

/** Everything in the files of a directory, byte for byte. */
export async function filesIn(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile())
  const texts = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')))
  return texts.join('\n')
}

/** Everything in a Redis, names and values, as text: its own dumps are compressed. */
export async function everythingIn(url: string): Promise<string> {
  const client = createClient({ url })
  await client.connect()
  const said: unknown[] = []
  for (const key of await client.keys('*'))
    said.push(key, await client.sendCommand(READ[await client.type(key)]?.(key) ?? []))
  client.destroy()
  return JSON.stringify(said)
}

const READ: Readonly<Record<string, (key: string) => string[]>> = {
  string: key => ['GET', key],
  hash: key => ['HGETALL', key],
  list: key => ['LRANGE', key, '0', '-1'],
  set: key => ['SMEMBERS', key],
  zset: key => ['ZRANGE', key, '0', '-1'],
  stream: key => ['XRANGE', key, '-', '+'],
}
