import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../../config/settings.ts'
import type { Random } from '../../ports.ts'
import type { AgentSecret, AgentTokenTerms } from '../sign-in/agent-tokens.ts'

/** One refresh token: the secret of its login, and how many were issued before it. */
export interface RefreshToken {
  readonly login: string
  readonly generation: number
}

/**
 * Creates the codes and refresh tokens of logins, and the names under which stores keep them. A store holds only HMACs
 * of them, keyed by the secret of agent tokens, which is not in the store: reading the store lets nobody sign in, and
 * codes cannot be found by trying all.
 */
export class LoginSeals {
  readonly #secret: AgentSecret
  readonly #brand: string
  readonly #context: string
  readonly #random: Random

  constructor(secret: AgentSecret, { brand, audience, issuer }: AgentTokenTerms, random: Random) {
    this.#secret = secret
    this.#brand = brand
    this.#context = `login\0v1\0${JSON.stringify([brand, audience, issuer])}\0`
    this.#random = random
  }

  /** Whether there is a secret, which is made now where this gateway may make its own. */
  async isReady(): Promise<boolean> {
    return (await this.#secret.ensure()) !== undefined
  }

  /** The secret of a device, or of a login: 256 random bits. */
  newSecret(): string {
    return Buffer.from(this.#random(SECRET_BYTES)).toString('base64url')
  }

  /** A code for people: eight letters without vowels, 34 bits. RFC 8628 6.1. */
  newUserCode(): string {
    let code = ''
    while (code.length < USER_CODE_LENGTH)
      // Bytes beyond the last whole alphabet would make some letters likelier.
      for (const byte of this.#random(USER_CODE_LENGTH))
        if (byte < EVEN_BYTES && code.length < USER_CODE_LENGTH) code += LETTERS[byte % LETTERS.length]
    return code
  }

  /** The name under which a store keeps a code or a login. */
  nameOf(kind: 'device' | 'code' | 'login', secret: string): string {
    return `${kind}:${this.#digest(`${kind}\0${secret}`)}`
  }

  /** A mark that tells the networks of a login apart without naming them; `name` is that of the login in the store. */
  networkMark(name: string, network: string): string {
    return this.#digest(`network\0${name}\0${network}`).slice(0, 16)
  }

  refreshToken({ login, generation }: RefreshToken): string {
    return `${refreshPrefix(this.#brand)}${this.#codeOf(login, generation)}.${generation}.${login}`
  }

  /** Undefined for a text that this deployment never issued. */
  readRefreshToken(text: string): RefreshToken | undefined {
    const prefix = refreshPrefix(this.#brand)
    const [, code = '', count = '', login = ''] =
      (text.startsWith(prefix) && FORM.exec(text.slice(prefix.length))) || []
    if (code === '' || !this.#secret.read()) return undefined
    const generation = Number(count)
    if (!timingSafeEqual(Buffer.from(code), Buffer.from(this.#codeOf(login, generation)))) return undefined
    return { login, generation }
  }

  #codeOf(login: string, generation: number): string {
    return this.#digest(`refresh\0${login}\0${generation}`)
  }

  #digest(text: string): string {
    return createHmac('sha256', this.#known().reveal()).update(this.#context).update(text).digest('hex')
  }

  /** `isReady` was asked before a code was made. */
  #known(): Secret {
    const secret = this.#secret.read()
    if (!secret) throw new Error('no secret signs logins')
    return secret
  }
}

/** The beginning of refresh tokens. No key and no agent token of the brand begins with it. */
const refreshPrefix = (brand: string): string => `${brand}r_`

/** The code that signs the rest, in one spelling; how many were issued before; 43 characters of a secret. */
const FORM = /^([0-9a-f]{64})\.(0|[1-9][0-9]{0,8})\.([\w-]{43})$/

const SECRET_BYTES = 32
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const USER_CODE_LENGTH = 8
/** The largest multiple of 20 that a byte holds. */
const EVEN_BYTES = 240

/** A code as people type it: in any case, with or without dashes and spaces. Undefined where it is none. */
export function readUserCode(text: string): string | undefined {
  const code = text.toUpperCase().replace(/[\s-]/g, '')
  return USER_CODE.test(code) ? code : undefined
}

const USER_CODE = new RegExp(`^[${LETTERS}]{${USER_CODE_LENGTH}}$`)

/** A code as people read it: `BCDF-GHJK`. */
export const shownUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`
