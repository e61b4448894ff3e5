import { accountOf } from '../gateway/accounts/sign-in/sign-in.ts'
import type { EpochMs, Millis } from '../policy/config.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import { isObject } from '../wire/json-safety.ts'
import { ask, printable, readAccess, safeUrl, unreachable } from './login-provider.ts'
import { freshSession, notSignedIn, readSessions, type Session } from './session.ts'
import { configDir, locked, readJsonFile, writePrivate } from './session-file.ts'

/** The wish for an agent token. */
export interface TokenWish {
  /** Public URL of the gateway that the person signed in to. */
  readonly gateway: string
  /** In whole seconds of at most an hour. */
  readonly life: Millis
  /** True if a token that still works is not good enough. */
  readonly isNew?: boolean
}

/** A token of the gateway for the agents of the person who signed in. */
export interface AgentToken {
  readonly token: string
  readonly expiresAt: EpochMs
}

/**
 * An agent token that works for at least half its life. It is kept, so that agents that start together ask for one; processes
 * take turns to ask. While the gateway cannot be reached, one that still works is returned. Rejects with exit code 4 when nobody
 * is signed in.
 */
export async function agentToken(wish: TokenWish, now: () => EpochMs): Promise<AgentToken> {
  const { gateway, isNew } = wish
  const signedIn = readSessions().get(gateway)
  if (!signedIn) throw notSignedIn(gateway)
  const account = accountIn(signedIn)
  const known = () => {
    const kept = knownToken(wish, account, now())
    return kept && { kept, isGood: !isNew && kept.expiresAt - now() >= wish.life / 2 }
  }
  // The provider is not asked while there is a token.
  const first = known()
  if (first?.isGood) return first.kept
  try {
    const session = await freshSession(gateway, now())
    return await locked(async () => {
      // Another process may have asked meanwhile.
      const second = known()
      if (second?.isGood) return second.kept
      const fresh = await issue(wish, session.accessToken)
      keep(wish, { ...fresh, account }, now())
      return fresh
    })
  } catch (error) {
    const last = known()?.kept
    if (last && error instanceof CommandFailed && error.exitCode === exitCodes.unreachable) return last
    throw error
  }
}

function accountIn({ accessToken, issuer, gateway }: Session): string {
  return accountOf(issuer, readAccess(accessToken, issuer, gateway).subject)
}

async function issue({ gateway, life }: TokenWish, accessToken: string): Promise<AgentToken> {
  const url = safeUrl(`${gateway}/v1/agent-tokens`, 'the gateway')
  const { status, body } = await ask(url, { token: accessToken, json: { expires_in: life / 1000 } })
  const { token, expires, error } = body
  if (status === 200 && typeof token === 'string' && typeof expires === 'number')
    return { token, expiresAt: expires * 1000 }
  const why = typeof error === 'string' ? printable(error) : `it answers ${status}`
  if (status === 401)
    throw new CommandFailed(`✗ ${gateway} does not accept this sign-in: ${why}\n  svcctl login`, exitCodes.signIn)
  if (status >= 500 || status === 429) throw unreachable(url, why)
  throw new CommandFailed(`✗ ${gateway} issues no agent token: ${why}`)
}

interface KeptToken extends AgentToken {
  /** The sign-in that it was issued to. */
  readonly account: string
}

const tokensFile = (): string => `${configDir()}/agent-tokens.json`

/** A kept token that still works, of this sign-in. */
function knownToken(wish: TokenWish, account: string, now: EpochMs): AgentToken | undefined {
  const kept = readTokens().get(nameOf(wish))
  return kept?.account === account && kept.expiresAt > now ? kept : undefined
}

function keep(wish: TokenWish, token: KeptToken, now: EpochMs): void {
  const tokens = [...readTokens()].filter(([, { expiresAt }]) => expiresAt > now)
  writeTokens(new Map([...tokens, [nameOf(wish), token]]))
}

/** Forgets the tokens of a gateway. */
export function forgetTokens(gateway: string): void {
  const tokens = readTokens()
  const others = [...tokens].filter(([name]) => !name.startsWith(`${gateway} `))
  if (others.length < tokens.size) writeTokens(new Map(others))
}

const nameOf = ({ gateway, life }: TokenWish): string => `${gateway} ${life / 1000}`

/** A file that is damaged holds nothing that cannot be asked for again. */
function readTokens(): ReadonlyMap<string, KeptToken> {
  const file = readJsonFile(tokensFile())
  const tokens = isObject(file) && isObject(file.tokens) ? file.tokens : {}
  return new Map(Object.entries(tokens).flatMap(([name, value]) => (isKept(value) ? [[name, value]] : [])))
}

const writeTokens = (tokens: ReadonlyMap<string, KeptToken>): void =>
  writePrivate(tokensFile(), { version: 1, tokens: Object.fromEntries(tokens) })

const isKept = (value: unknown): value is KeptToken =>
  isObject(value) &&
  typeof value.token === 'string' &&
  typeof value.account === 'string' &&
  typeof value.expiresAt === 'number'
