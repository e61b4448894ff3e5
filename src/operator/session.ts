import { CommandFailed, exitCodes } from '../server/failure.ts'
import { isObject } from '../wire/json-safety.ts'
import { ask, discover, readAccess, tokensOf } from './login-provider.ts'
import { configDir, locked, readJsonFile, writePrivate } from './session-file.ts'

/** A sign-in to one gateway. */
export interface Session {
  /** Public URL of the gateway, which is the audience of tokens. */
  readonly gateway: string
  readonly issuer: string
  readonly clientId: string
  readonly accessToken: string
  readonly refreshToken?: string
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number
  /** The account's label. */
  readonly label: string
}

/** Where sessions are kept. */
const sessionFile = (): string => `${configDir()}/session.json`

/** The sessions of this user, by gateway. */
export function readSessions(): ReadonlyMap<string, Session> {
  const file = readJsonFile(sessionFile())
  const sessions = file === undefined ? {} : isObject(file) ? file.sessions : undefined
  if (!isObject(sessions))
    throw new CommandFailed(`✗ ${sessionFile()} is not a file of sessions: remove it and sign in again`)
  return new Map(Object.entries(sessions).flatMap(([gateway, value]) => (isSession(value) ? [[gateway, value]] : [])))
}

/** Keeps a session, replacing the gateway's last one. */
export const saveSession = (session: Session): void =>
  writeSessions(new Map([...readSessions(), [session.gateway, session]]))

/** Forgets the session of a gateway. */
export const removeSession = (gateway: string): void =>
  writeSessions(new Map([...readSessions()].filter(([other]) => other !== gateway)))

/** The failure of a command that needs a session and finds none. */
export const notSignedIn = (gateway?: string): CommandFailed =>
  new CommandFailed(`✗ not signed in${gateway ? ` to ${gateway}` : ''}: svcctl login`, exitCodes.signIn)

const writeSessions = (sessions: ReadonlyMap<string, Session>): void =>
  writePrivate(sessionFile(), { version: 1, sessions: Object.fromEntries(sessions) })

function isSession(value: unknown): value is Session {
  if (!isObject(value)) return false
  const texts = [value.gateway, value.issuer, value.clientId, value.accessToken, value.label]
  return (
    texts.every(text => typeof text === 'string') &&
    typeof value.expiresAt === 'number' &&
    ['string', 'undefined'].includes(typeof value.refreshToken)
  )
}

/** A token is renewed this long before its end, so that it lasts as long as what is done with it. */
const MARGIN_MS = 60_000

/** The session of a gateway, renewed if it is about to end. Rejects with exit code 4 when there is none any more. */
export async function freshSession(gateway: string, now: number): Promise<Session> {
  const session = readSessions().get(gateway)
  if (!session) throw notSignedIn(gateway)
  if (session.expiresAt - now > MARGIN_MS) return session
  return locked(() => renewedSession(gateway, now))
}

/** The session, renewed unless another process did so meanwhile: a provider that rotates refresh tokens takes each one once. */
async function renewedSession(gateway: string, now: number): Promise<Session> {
  const session = readSessions().get(gateway)
  if (!session) throw notSignedIn(gateway)
  if (session.expiresAt - now > MARGIN_MS) return session
  const alive = session.expiresAt > now
  try {
    return (await renewed(session)) ?? (alive ? session : ended(gateway))
  } catch (error) {
    // A provider that is down takes nothing from a token that still lives.
    if (alive && error instanceof CommandFailed && error.exitCode === exitCodes.unreachable) return session
    throw error
  }
}

/** Undefined when the provider issues no more tokens. RFC 6749 6. */
async function renewed(session: Session): Promise<Session | undefined> {
  const { gateway, issuer, clientId, refreshToken } = session
  if (refreshToken === undefined) return undefined
  const { token } = await discover(issuer)
  const { status, body } = await ask(token, {
    form: { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, resource: gateway },
  })
  if (status >= 500) throw new CommandFailed(`✗ ${issuer} answers ${status}`, exitCodes.unreachable)
  if (status !== 200) return undefined
  const tokens = tokensOf(body)
  const { expiresAt } = readAccess(tokens.accessToken, issuer, gateway)
  // A provider that rotates refresh tokens gives a new one; else the old one stays good.
  const next = {
    ...session,
    accessToken: tokens.accessToken,
    refreshToken: tokens.refreshToken ?? refreshToken,
    expiresAt,
  }
  saveSession(next)
  return next
}

function ended(gateway: string): never {
  throw new CommandFailed(`✗ the sign-in to ${gateway} has ended: svcctl login`, exitCodes.signIn)
}
