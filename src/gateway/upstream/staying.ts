import type { BackendSettings, Settings } from '../../config/settings.ts'
import { digest32 } from '../../policy/balance/rendezvous.ts'
import type { EpochMs, Pool } from '../../policy/config.ts'
import type { Health } from '../../policy/facts.ts'
import { sessionOf } from '../../wire/session-of.ts'
import type { Call } from '../call.ts'
import type { Pools } from '../pools/pools.ts'
import { stayKey } from '../pools/stays.ts'

interface StayPorts {
  readonly settings: Pick<Settings, 'backends'>
  readonly pools: Pools
}

/** The conversation of one chat, and the pools that it may stay at. */
export interface Staying {
  /** The pools at which it stays now. */
  at(now: EpochMs): Pick<Health, 'stays'>
  /** A pool served it: from now on it stays there, if another one of those that it may come to is to be asked before. */
  servedBy(pool: string, serve: readonly Pool[], now: EpochMs): void
}

/** Undefined where no pool keeps conversations, or the request is no part of one. */
export function stayingOf({ settings, pools }: StayPorts, { wire, headers, caller }: Call): Staying | undefined {
  const keeping = keepingIn(settings)
  if (keeping.size === 0 || !wire.sketch) return undefined
  const session = sessionOf({ headers, named: wire.session, account: caller.account }) ?? wire.sketch().anchor
  const domain = pools.domains.of('account', caller)
  const keyAt = (pool: string) => stayKey(session, digest32(pool), domain)
  return {
    at: now => {
      const stays = [...keeping.keys()].filter(pool => pools.stays.has(keyAt(pool), now))
      return stays.length > 0 ? { stays } : {}
    },
    servedBy: (servedBy, serve, now) => {
      for (const [index, { name }] of serve.entries()) {
        const time = keeping.get(name)
        if (time === undefined || index === 0) continue
        pools.stay(name, { key: keyAt(name), time: name === servedBy ? time : 0 }, now)
      }
    },
  }
}

const known = new WeakMap<ReadonlyMap<string, BackendSettings>, ReadonlyMap<string, number>>()

/** The pools that keep conversations, with for how long. */
function keepingIn({ backends }: Pick<Settings, 'backends'>): ReadonlyMap<string, number> {
  const before = known.get(backends)
  if (before) return before
  const keeping = new Map(
    [...backends].flatMap(([pool, { stay }]) => (stay === undefined || stay === 0 ? [] : [[pool, stay] as const])),
  )
  known.set(backends, keeping)
  return keeping
}
