import { CommandFailed, exitCodes } from '../server/failure.ts'
import { isObject } from '../wire/openai/body.ts'
import { configDir, readJsonFile, writePrivate } from './session-file.ts'

/** A sign-in to one gateway. */
export interface Session {
  /** Public URL of the gateway: what the tokens are for. */
  readonly gateway: string
  readonly issuer: string
  readonly clientId: string
  readonly accessToken: string
  readonly refreshToken?: string
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number
  /** What people know the account by. */
  readonly label: string
}

/** Where sessions are kept. */
const sessionFile = (): string => `${configDir()}/session.json`

/** The sessions of this user, by gateway. */
export function readSessions(): ReadonlyMap<string, Session> {
  const file = readJsonFile(sessionFile())
  const sessions = file === undefined ? {} : isObject(file) ? file.sessions : undefined
  if (!isObject(sessions)) throw new CommandFailed(`✗ ${sessionFile()} holds no sessions: remove it and sign in again`)
  return new Map(Object.entries(sessions).flatMap(([gateway, value]) => (isSession(value) ? [[gateway, value]] : [])))
}

/** Keeps a session in place of the gateway's last one. */
export const saveSession = (session: Session): void =>
  writeSessions(new Map([...readSessions(), [session.gateway, session]]))

/** Forgets the session of a gateway. */
export const removeSession = (gateway: string): void =>
  writeSessions(new Map([...readSessions()].filter(([other]) => other !== gateway)))

/** What a command says that needs a session and finds none. */
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
