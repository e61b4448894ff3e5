import KeyvRedis, { createClient } from '@keyv/redis'
import { Keyv } from 'keyv'
import type { Millis } from '../../policy/config.ts'

/** One connection to Redis. It never reconnects by itself: after its loss the caller opens a new one. */
export interface Link {
  readonly client: Client
  /** Account ids by key hash. */
  readonly owners: Keyv<string>
  close(): void
}

export type Client = ReturnType<typeof newClient>

const CONNECT_MS: Millis = 2000

function newClient(url: string) {
  return createClient({
    url,
    // A command that cannot be sent at once fails at once.
    disableOfflineQueue: true,
    disableClientInfo: true,
    socket: { reconnectStrategy: false, connectTimeout: CONNECT_MS, keepAlive: true, keepAliveInitialDelay: 5000 },
  })
}

/** Connects. `lost` is called once when the connection ends, unless `close` ended it. Rejects when there is no connection within 2 s. */
export async function openLink(url: string, owners: string, lost: (error: Error) => void): Promise<Link> {
  const client = newClient(url)
  let state: 'connecting' | 'open' | 'closed' = 'connecting'
  let first: Error | undefined
  const close = () => {
    if (state === 'closed') return
    state = 'closed'
    client.destroy()
  }
  const end = (error: Error) => {
    const wasOpen = state === 'open'
    first ??= error
    close()
    if (wasOpen) lost(error)
  }
  client.on('error', end)
  client.on('end', () => end(new Error('the connection ended')))
  // The timeout of the socket covers only the TCP handshake, which the kernel of a stopped server still answers.
  const timer = setTimeout(() => end(new Error(`no answer within ${CONNECT_MS} ms`)), CONNECT_MS)
  try {
    await client.connect()
    state = 'open'
  } catch (error) {
    close()
    // `close` made the client fail with an error about the closing itself.
    throw first ?? error
  } finally {
    clearTimeout(timer)
  }
  const adapter = new KeyvRedis<string>(client, { namespace: owners, throwOnErrors: true })
  return { client, owners: new Keyv<string>({ store: adapter, throwOnErrors: true, useKeyPrefix: false }), close }
}

/** Whether a script failed for a reason that a repetition would meet again. Outages have error codes of their own, such as READONLY or OOM. */
export const isScriptError = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && /^(ERR|WRONGTYPE) /.test(error.cause.message)

export const isScriptMissing = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('NOSCRIPT')
