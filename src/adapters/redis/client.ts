import KeyvRedis, { createClient } from '@keyv/redis'
import { Keyv } from 'keyv'
import type { Millis } from '../../policy/config.ts'

/** One connection to Redis. It never connects again by itself: who lost it makes a new one. */
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
    // A command that cannot be sent now is refused now.
    disableOfflineQueue: true,
    disableClientInfo: true,
    socket: { reconnectStrategy: false, connectTimeout: CONNECT_MS, keepAlive: true, keepAliveInitialDelay: 5000 },
  })
}

/** Connects. `lost` is called once when the connection ends, unless it was closed here. Rejects when there is none in 2 s. */
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
  // The timeout of the socket ends with the TCP handshake, which a stopped server still does.
  const timer = setTimeout(() => end(new Error(`no answer within ${CONNECT_MS} ms`)), CONNECT_MS)
  try {
    await client.connect()
    state = 'open'
  } catch (error) {
    close()
    // Closing it made the client complain of that.
    throw first ?? error
  } finally {
    clearTimeout(timer)
  }
  const adapter = new KeyvRedis<string>(client, { namespace: owners, throwOnErrors: true })
  return { client, owners: new Keyv<string>({ store: adapter, throwOnErrors: true, useKeyPrefix: false }), close }
}

/** Whether a script failed by itself, as it would again: an outage has a word of its own, such as READONLY or OOM. */
export const isScriptError = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && /^(ERR|WRONGTYPE) /.test(error.cause.message)

export const isScriptMissing = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('NOSCRIPT')
