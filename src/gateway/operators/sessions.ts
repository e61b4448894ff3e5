import type { EpochMs, Millis } from '../../policy/config.ts'
import { hashOf } from '../accounts/keys.ts'
import type { Clock, Random } from '../ports.ts'
import type { Operator } from './operators.ts'

/** Something secret, shown once, and when it ends. */
export interface Issued {
  readonly value: string
  readonly expiresAt: EpochMs
}

/**
 * Operators who work in a browser: a code that works once becomes a session. Both are known to this process alone, by
 * their hashes, and end with it.
 */
export class OperatorSessions {
  readonly #clock: Clock
  readonly #random: Random
  /** Codes by their hash, oldest first. */
  readonly #codes = new Map<string, { readonly of: Operator; readonly expiresAt: EpochMs }>()
  readonly #sessions = new Map<string, Session>()

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  /** A code for an operator, in place of the oldest where there are many. It is short enough for a line of a terminal. */
  issueCode(of: Operator, life: Millis = CODE_LIFE): Issued {
    const issued = this.#issue('oc_', CODE_BYTES, life)
    makeRoom(this.#codes, MOST_CODES)
    this.#codes.set(hashOf(issued.value), { of: ownParts(of), expiresAt: issued.expiresAt })
    return issued
  }

  /** A session in exchange for a code, of which it is the end. Undefined for any other text. */
  redeem(code: string): Issued | undefined {
    const hash = hashOf(code)
    const found = this.#codes.get(hash)
    this.#codes.delete(hash)
    return found && this.#clock.now() < found.expiresAt ? this.#open(found.of) : undefined
  }

  /** In place of the oldest where there are many. A role by groups ends with the token that proves them, and so does its session. */
  #open(of: Operator): Issued {
    const life = Math.min(SESSION_LIFE, (of.granted?.until ?? Number.POSITIVE_INFINITY) - this.#clock.now())
    const issued = this.#issue('ops_', SESSION_BYTES, life)
    makeRoom(this.#sessions, MOST_SESSIONS)
    this.#sessions.set(hashOf(issued.value), { of, expiresAt: issued.expiresAt, usedAt: this.#clock.elapsed() })
    return issued
  }

  /** Who sends the token of a session. */
  operatorOf(token: string): Operator | undefined {
    if (!token.startsWith('ops_')) return undefined
    const hash = hashOf(token)
    const session = this.#sessions.get(hash)
    if (!session) return undefined
    const now = this.#clock.elapsed()
    if (this.#clock.now() >= session.expiresAt || now - session.usedAt >= IDLE) {
      this.#sessions.delete(hash)
      return undefined
    }
    session.usedAt = now
    return session.of
  }

  /** Ends those that began with an admin token, which is another one now. */
  endOfToken(): void {
    for (const all of [this.#codes, this.#sessions])
      for (const [hash, { of }] of all) if (of.proof === 'token') all.delete(hash)
  }

  end(token: string): void {
    this.#sessions.delete(hashOf(token))
  }

  #issue(prefix: string, bytes: number, life: Millis): Issued {
    const value = `${prefix}${Buffer.from(this.#random(bytes)).toString('base64url')}`
    return { value, expiresAt: this.#clock.now() + life }
  }
}

const ownParts = ({ by, proof, granted }: Operator): Operator => ({ by, proof, ...(granted && { granted }) })

interface Session {
  readonly of: Operator
  readonly expiresAt: EpochMs
  usedAt: Millis
}

function makeRoom(all: Map<string, unknown>, most: number): void {
  const [oldest] = all.keys()
  if (all.size >= most && oldest !== undefined) all.delete(oldest)
}

const MINUTE: Millis = 60_000
const CODE_LIFE: Millis = MINUTE
const SESSION_LIFE: Millis = 12 * 60 * MINUTE
const IDLE: Millis = 60 * MINUTE
/** The tries of an address do not find one of 128 bits. */
const CODE_BYTES = 16
const SESSION_BYTES = 32
const MOST_CODES = 5
const MOST_SESSIONS = 100
