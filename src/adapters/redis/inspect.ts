import type { Clock } from '../../gateway/ports.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { Server } from './client.ts'
import { Layout } from './layout.ts'
import { checkCertificates, checkInfo, checkPermitted, readInfo } from './server-check.ts'
import { Dialer } from './servers/dialer.ts'
import { checkRemembered, readIdentity } from './store-identity.ts'

/** The state of a Redis, which is left as it was. */
export interface RedisInspection {
  readonly version: string
  /** Its `maxmemory-policy`; undefined where the server does not report it. */
  readonly policy?: string
  /** The round trip of one command. */
  readonly roundTrip: Millis
  /** Its clock at some moment between two readings of ours. */
  readonly clock: { readonly theirs: EpochMs; readonly from: EpochMs; readonly to: EpochMs }
  /** Why a gateway would not use the server, or its store. */
  readonly refused?: string
  /** True when no gateway has created a store there yet. */
  readonly empty: boolean
  /** Risks that do not keep a gateway from using it. */
  readonly warnings: readonly string[]
}

export interface RedisPlace extends Server {
  readonly prefix: string
  readonly stateDir: string
}

/** Examines a Redis as a gateway does before it uses it. Rejects when it does not answer within `limit`. */
export async function inspectRedis(
  { prefix, stateDir, ...server }: RedisPlace,
  clock: Clock,
  limit: Millis,
): Promise<RedisInspection> {
  const layout = new Layout(prefix)
  checkCertificates(server.tls)
  const dialer = new Dialer(server, layout.owners)
  const link = await dialer.dial(() => {}).finally(() => dialer.close())
  let callOff = () => {}
  const late = new Promise<never>((_, reject) => {
    callOff = clock.after(limit, () => reject(new Error(`no answer within ${limit / 1000} s`)))
  })
  try {
    return await Promise.race([look(), late])
  } finally {
    callOff()
    link.close()
  }

  async function look(): Promise<RedisInspection> {
    const { client } = link
    const info = await readInfo(client)
    const policy = info.get('maxmemory_policy')
    const from = clock.now()
    const sent = clock.elapsed()
    const [seconds, micros] = await client.time()
    const roundTrip = clock.elapsed() - sent
    const theirs = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
    const common = {
      version: info.get('redis_version') ?? 'of an unknown version',
      ...(policy !== undefined && { policy }),
      roundTrip,
      clock: { theirs, from, to: clock.now() },
    }
    try {
      const warnings = checkInfo(info)
      await checkPermitted(client, layout)
      const found = await readIdentity((_key, commands) => commands(client), layout)
      checkRemembered(stateDir, found)
      return { ...common, empty: found === undefined, warnings }
    } catch (error) {
      if (!(error instanceof Error && error.name === 'StoreRefused')) throw error
      return { ...common, empty: false, warnings: [], refused: error.message }
    }
  }
}
