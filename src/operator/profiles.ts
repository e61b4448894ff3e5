import { MOST_LINE_BYTES, readBounded } from '../server/bounded-file.ts'
import { CommandFailed } from '../server/failure.ts'
import { isObject } from '../wire/json-safety.ts'
import { configDir, readJsonFile, writePrivate } from './session-file.ts'

/** A gateway that has a name: where people sign in to it, where operators reach it, or both. */
export interface Profile {
  readonly signIn?: SignInTarget
  readonly operator?: OperatorTarget
}

interface SignInTarget {
  /** Its public URL. */
  readonly gateway: string
  readonly issuer: string
  readonly clientId: string
}

interface OperatorTarget {
  /** The origin of its admin listener. */
  readonly admin: string
  /** A file with the admin token, absolute. Without it SVCCTL_TOKEN or a sign-in is used. */
  readonly tokenFile?: string
}

export interface Profiles {
  /** The one in use. */
  readonly current?: string
  readonly profiles: ReadonlyMap<string, Profile>
}

const profileFile = (): string => `${configDir()}/profiles.json`

/** The named gateways of this user. */
export function readProfiles(): Profiles {
  const file = readJsonFile(profileFile())
  if (file === undefined) return { profiles: new Map() }
  if (!isObject(file) || !isObject(file.profiles)) {
    throw new CommandFailed(`✗ ${profileFile()} is not a file of profiles: remove it`)
  }
  const { current } = file
  const profiles = Object.entries(file.profiles).flatMap(([name, value]): [string, Profile][] => {
    const profile = profileIn(value)
    return profile ? [[name, profile]] : []
  })
  return { ...(typeof current === 'string' && { current }), profiles: new Map(profiles) }
}

/** Fails where there is none of this name. */
export function profileNamed(name: string): Profile {
  const profile = readProfiles().profiles.get(name)
  if (!profile) throw new CommandFailed(`✗ there is no profile ${name}: svcctl profile list`)
  return profile
}

/** Keeps them. */
export function writeProfiles({ current, profiles }: Profiles): void {
  // Both parts in one record, as older versions have the first one.
  const records = [...profiles].map(([name, { signIn, operator }]) => [name, { ...signIn, ...operator }])
  writePrivate(profileFile(), { version: 1, ...(current && { current }), profiles: Object.fromEntries(records) })
}

/** The token in a file. Fails where it cannot be read. */
export function tokenIn(file: string): string {
  try {
    return readBounded(file, MOST_LINE_BYTES).trim()
  } catch (error) {
    throw new CommandFailed(
      `✗ the admin token cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

function profileIn(value: unknown): Profile | undefined {
  if (!isObject(value)) return undefined
  const { gateway, issuer, clientId, admin, tokenFile } = value
  const signIn =
    typeof gateway === 'string' && typeof issuer === 'string' && typeof clientId === 'string'
      ? { gateway, issuer, clientId }
      : undefined
  const operator =
    typeof admin === 'string' ? { admin, ...(typeof tokenFile === 'string' && { tokenFile }) } : undefined
  return signIn || operator ? { ...(signIn && { signIn }), ...(operator && { operator }) } : undefined
}
