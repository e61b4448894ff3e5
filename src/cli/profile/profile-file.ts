import { configDir, readJsonFile, writePrivate } from '../../operator/session-file.ts'
import { CommandFailed } from '../../server/failure.ts'
import { isObject } from '../../wire/openai/body.ts'

/** A gateway that has a name. */
export interface Profile {
  readonly gateway: string
  readonly issuer: string
  readonly clientId: string
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
    throw new CommandFailed(`✗ ${profileFile()} holds no profiles: remove it`)
  }
  const { current } = file
  const profiles = Object.entries(file.profiles).flatMap(([name, value]): [string, Profile][] =>
    isProfile(value) ? [[name, value]] : [],
  )
  return { ...(typeof current === 'string' && { current }), profiles: new Map(profiles) }
}

/** Keeps them. */
export const writeProfiles = ({ current, profiles }: Profiles): void =>
  writePrivate(profileFile(), { version: 1, ...(current && { current }), profiles: Object.fromEntries(profiles) })

const isProfile = (value: unknown): value is Profile =>
  isObject(value) && [value.gateway, value.issuer, value.clientId].every(text => typeof text === 'string')
