import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../../config/settings.ts'
import type { EpochMs, Millis } from '../../../policy/config.ts'
import { isObject } from '../../../wire/json-safety.ts'
import type { Clock } from '../../ports.ts'
import type { BadToken, SignIn } from './sign-in.ts'

/** Where the signing secret comes from. */
export interface AgentSecret {
  /** The secret that tokens were signed with; undefined before the first token. */
  read(): Secret | undefined
  /** The secret, made now if this gateway may make its own; undefined where the files must name one. */
  ensure(): Promise<Secret | undefined>
}

/** The part of a sign-in that an agent token carries. */
export type CarriedSignIn = Pick<SignIn, 'account' | 'plan' | 'org' | 'label' | 'issuedAt'>

/** The sign-in of an agent token, which ends with it, and before that with its login, where it came of one. */
export type AgentSignIn = CarriedSignIn &
  Pick<SignIn, 'expiresAt'> & { readonly login?: string; readonly generation?: number }

/** The login that a token comes of, and how many tokens it had before. */
export interface LoginRef {
  readonly login: string
  readonly generation: number
}

/** The longest life of an agent token. */
export const LONGEST_AGENT_TOKEN: Millis = 3_600_000

/**
 * Signs and reads agent tokens: short-lived bearers for inference that stand for a person's sign-in. No store keeps them, so a
 * token names the account and ends by itself; each request looks the account up, and a freeze ends all of its tokens.
 * A token is bound to the public URL and the issuer, so that another gateway, or this one with other people, refuses it.
 */
export class AgentTokens {
  readonly #secret: AgentSecret
  readonly #clock: Pick<Clock, 'now'>
  readonly #brand: string
  readonly #context: string

  constructor(secret: AgentSecret, { brand, audience, issuer }: AgentTokenTerms, clock: Pick<Clock, 'now'>) {
    this.#secret = secret
    this.#clock = clock
    this.#brand = brand
    this.#context = `agent-token\0v1\0${JSON.stringify([brand, audience, issuer])}\0`
  }

  /** A token for the sign-in, of a login where one is named; undefined where the gateway has no secret to sign it with. */
  async issue(signIn: CarriedSignIn, life: Millis, of?: LoginRef): Promise<IssuedAgentToken | undefined> {
    const secret = await this.#secret.ensure()
    if (!secret) return undefined
    const { account, plan, org, label, issuedAt } = signIn
    const expiresAt = this.#clock.now() + Math.min(life, LONGEST_AGENT_TOKEN)
    const claims = Buffer.from(JSON.stringify({ account, plan, org, label, issuedAt, expiresAt, ...of })).toString(
      'base64url',
    )
    // The code stands first: a log that masks the characters of a key then hides what the token is worth.
    return { token: `${agentPrefix(this.#brand)}${this.#codeOf(claims, secret)}.${claims}`, expiresAt }
  }

  /** The sign-in of a token that this deployment signed and that has not expired. */
  read(token: string): AgentSignIn | BadToken {
    const signIn = this.#claimsOf(token)
    if (!signIn) return FOREIGN
    return signIn.expiresAt > this.#clock.now() ? signIn : EXPIRED
  }

  /** The login of a token, also of one that has expired; undefined where it has none, or is not of this deployment. */
  loginOf(token: string): string | undefined {
    return token.startsWith(agentPrefix(this.#brand)) ? this.#claimsOf(token)?.login : undefined
  }

  /** The claims of a token that this deployment signed. */
  #claimsOf(token: string): AgentSignIn | undefined {
    const [, code = '', claims = ''] = FORM.exec(token.slice(agentPrefix(this.#brand).length)) ?? []
    if (code === '') return undefined
    const secret = this.#secret.read()
    if (!secret || !timingSafeEqual(Buffer.from(code), Buffer.from(this.#codeOf(claims, secret)))) return undefined
    return signInIn(claims)
  }

  #codeOf(claims: string, secret: Secret): string {
    return createHmac('sha256', secret.reveal()).update(this.#context).update(claims).digest('hex')
  }
}

/** The beginning of agent tokens. No key of the brand begins with it. */
export const agentPrefix = (brand: string): string => `${brand}t_`

/** The deployment that a token is bound to. */
export interface AgentTokenTerms {
  readonly brand: string
  /** The public URL. */
  readonly audience: string
  readonly issuer: string
}

/** A token, shown to the person who asked for it, and its end. */
export interface IssuedAgentToken {
  readonly token: string
  readonly expiresAt: EpochMs
}

/** The code in one spelling, and claims, of which each character is signed. */
const FORM = /^([0-9a-f]{64})\.([\w-]{1,4096})$/

const FOREIGN: BadToken = {
  problem: 'This agent token is not of this gateway, or was altered: get a new one with `svcctl token`.',
}
const EXPIRED: BadToken = { problem: 'This agent token has expired: get a new one with `svcctl token`.' }

/** The sign-in in claims whose code was right, which are therefore as `issue` wrote them. */
function signInIn(claims: string): AgentSignIn | undefined {
  const read: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString())
  if (!isObject(read)) return undefined
  const { account, plan, org, label, issuedAt, expiresAt, login, generation } = read
  if (typeof account !== 'string' || typeof issuedAt !== 'number' || typeof expiresAt !== 'number') return undefined
  return {
    account,
    ...(typeof plan === 'string' && { plan }),
    ...(typeof org === 'string' && { org }),
    ...(typeof label === 'string' && { label }),
    issuedAt,
    expiresAt,
    ...(typeof login === 'string' && { login }),
    ...(typeof generation === 'number' && { generation }),
  }
}
