import { hash } from 'node:crypto'
import type { Caches } from '../../policy/balance/prompt-sketch.ts'
import type { Caller } from '../../policy/facts.ts'
import type { CacheDomain } from './pool-marks.ts'

/** A domain, and the salt by which an engine keeps its blocks apart. */
export interface SaltedDomain extends CacheDomain {
  /** Absent for the pool as a whole. */
  readonly salt?: string
}

/** Domains that are remembered: to compute one takes as long as the rest of a choice. */
const MOST_KNOWN = 4096
const SALT_CHARACTERS = 32

/** Who shares the cached prefixes of a pool, as keys for marks and as salts for engines. */
export class CacheDomains {
  #seed: string
  readonly #known = new Map<string, SaltedDomain>()
  #pool: SaltedDomain

  /** All gateways on a store have the same seed, which is a secret. */
  constructor(seed: string) {
    this.#seed = seed
    this.#pool = this.#ofPool()
  }

  /** From now on domains are made of another seed: what caches hold is found no more. */
  begin(seed: string): void {
    if (seed === this.#seed) return
    this.#seed = seed
    this.#pool = this.#ofPool()
    this.#known.clear()
  }

  of(caches: Caches, { account, terms }: Pick<Caller, 'account' | 'terms'>): SaltedDomain {
    if (caches === 'pool') return this.#pool
    // An account without an org is alone.
    const name = caches === 'org' && terms.org !== undefined ? `org\0${terms.org}` : `account\0${account}`
    const known = this.#known.get(name)
    if (known) return known
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    const domain = this.#made(name)
    this.#known.set(name, domain)
    return domain
  }

  /** Keyed too: marks leave the process. */
  #ofPool(): SaltedDomain {
    const { low, high } = this.#made('pool')
    return { low, high, isPool: true }
  }

  #made(name: string): SaltedDomain {
    const digest = Buffer.from(hash('sha256', `${PURPOSE}\0${this.#seed}\0${name}`, 'hex'), 'hex')
    return {
      low: digest.readInt32LE(0),
      high: digest.readInt32LE(4),
      salt: digest.subarray(8).toString('base64url').slice(0, SALT_CHARACTERS),
    }
  }
}

const PURPOSE = 'svc-gateway: cached prefixes, form 1'
