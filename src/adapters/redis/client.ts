import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
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

const isScriptMissing = (error: unknown): boolean => error instanceof Error && error.message.startsWith('NOSCRIPT')

const read = (name: string): string => readFileSync(new URL(`../../../redis/${name}.lua`, import.meta.url), 'utf8')

interface Script {
  readonly text: string
  readonly sha: string
}

/** One text of several files: a script begins with the functions it uses and no others, since Redis creates them for each call. */
function script(...names: readonly string[]): Script {
  const text = ['common', ...names].map(read).join('\n')
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

const scripts = {
  admit: script('counters', 'judge', 'admit'),
  admitWithRules: script('rules', 'counters', 'judge', 'admit'),
  extend: script('counters', 'judge', 'extend'),
  extendWithRules: script('rules', 'counters', 'judge', 'extend'),
  heartbeat: script('heartbeat'),
  settle: script('counters', 'totals', 'settle'),
  settleWithRules: script('rules', 'counters', 'totals', 'settle'),
  begin: script('rules', 'begin'),
  mint: script('audit', 'keys', 'mint'),
  rotate: script('audit', 'keys', 'rotate'),
  revoke: script('audit', 'keys', 'revoke'),
  used: script('used'),
  change: script('audit', 'change'),
  note: script('audit', 'note'),
  count: script('count'),
  waste: script('totals', 'waste'),
  allowance: script('allowance'),
  keep: script('kept', 'keep'),
  forget: script('kept', 'forget'),
}

export type ScriptName = keyof typeof scripts

/** The answer of a script: the outcome, and texts that belong to it. */
export type Reply = readonly [string, ...string[]]

/** Runs a script by its hash, or by its text where the server does not know it (yet, or after a restart). */
export async function runScript(
  client: Client,
  name: ScriptName,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<Reply> {
  const { sha, text } = scripts[name]
  const call = { keys: [...keys], arguments: values.map(String) }
  try {
    return (await client.evalSha(sha, call)) as unknown as Reply
  } catch (error) {
    if (!isScriptMissing(error)) throw error
    return (await client.eval(text, call)) as unknown as Reply
  }
}
