import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type IdentityOptions, openIdentity } from '../../../src/adapters/identity/identity.ts'
import { VirtualClock } from '../../support/clock.ts'
import type { PrivateKey } from '../../support/identity/oidc-keys.ts'
import { Tally } from '../../support/tally.ts'
import { AUDIENCE } from './bench.ts'
import { type Draft, forge } from './forge.ts'

type Answer = (response: ServerResponse) => void

/** Mistakes of a provider; each answer is right by default. */
export interface Script {
  readonly discovery?: (issuer: string) => unknown
  readonly jwks?: unknown
  /** In place of an answer, by path. */
  readonly answers?: Readonly<Record<string, Answer>>
}

export const DISCOVERY = '/.well-known/openid-configuration'

/** A provider by script, and an identity that reads it. */
export async function startScripted(script: () => Script, options: Partial<IdentityOptions> = {}) {
  let reads = 0
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path === DISCOVERY) reads++
    const { discovery, jwks, answers } = script()
    const answer = answers?.[path]
    if (answer) answer(response)
    else
      response.end(
        JSON.stringify(path === DISCOVERY ? { ...documentOf(issuer), ...Object(discovery?.(issuer)) } : jwks),
      )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  const issuer = `http://127.0.0.1:${address.port}`

  const clock = new VirtualClock(1_795_255_200_000)
  const alarms: { message: string; [detail: string]: unknown }[] = []
  const tally = new Tally()
  const alarm = (message: string, details?: object) => {
    alarms.push({ message, ...details })
    tally.add()
  }
  const identity = openIdentity({ issuer, audience: AUDIENCE, clock, alarm, ...options })
  return {
    issuer,
    clock,
    alarms,
    identity,
    /** How often its keys were looked for. */
    reads: () => reads,
    told: (n: number) => tally.reached(n),
    forge: (key: PrivateKey, draft?: Draft) =>
      forge({ issuer, audience: AUDIENCE, key, now: clock.now() / 1000 }, draft),
    close: async () => {
      identity.close()
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

const documentOf = (issuer: string) => ({ issuer, jwks_uri: `${issuer}/jwks` })
