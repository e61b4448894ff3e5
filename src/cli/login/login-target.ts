import { existsSync } from 'node:fs'
import { baseUrl } from '../../config/check/formats.ts'
import { notSignedIn, readSessions } from '../../operator/session.ts'
import { configDir, readJsonFile, writePrivate } from '../../operator/session-file.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
import { isObject } from '../../wire/json-safety.ts'
import { configHere } from '../serve/demo-profile.ts'
import type { Named, NamedIssuer } from './login.ts'

/** Which gateway, and where its users sign in. */
export interface Target {
  readonly gateway: string
  readonly issuer: string
  readonly clientId: string
  /** The claim that people know the account by. */
  readonly labelClaim?: string
}

const CONFIG = 'config.yaml'

/** The gateway to sign in to: of the options, else of the environment, else of the profile in use, else of config.yaml. */
export async function targetOf({ audience, issuer, clientId, ...named }: NamedIssuer): Promise<Target> {
  if (audience !== undefined || issuer !== undefined) {
    if (audience === undefined || issuer === undefined) throw usage('--issuer and --audience go together')
    return { gateway: gatewayUrl(audience), issuer, clientId: clientId ?? 'svcctl' }
  }
  return { ...((await namedTarget(named)) ?? (await configured(CONFIG))), ...(clientId && { clientId }) }
}

/** The gateway of a session: named as for a login, else the only one there is. */
export async function gatewayOf({ audience, ...named }: Named): Promise<string> {
  if (audience !== undefined) return gatewayUrl(audience)
  const target = await namedTarget(named)
  if (target) return target.gateway
  const [gateway, ...others] = readSessions().keys()
  if (gateway === undefined) throw notSignedIn()
  if (others.length > 0) throw usage(`signed in to ${[gateway, ...others].join(', ')}: name one with --audience`)
  return gateway
}

/** An option goes before a variable, a variable before the profile in use, that before what lies in this folder. */
async function namedTarget({ profile, config }: Omit<Named, 'audience'>): Promise<Target | undefined> {
  const { SVCCTL_PROFILE, SVCCTL_CONFIG } = process.env
  if (profile !== undefined && config !== undefined) throw usage('--profile and --config exclude each other')
  if (profile !== undefined) return profiled(profile)
  if (config !== undefined) return configured(config)
  if (SVCCTL_PROFILE) return profiled(SVCCTL_PROFILE)
  if (SVCCTL_CONFIG) return configured(SVCCTL_CONFIG)
  const { current } = readProfiles()
  if (current !== undefined) return profiled(current)
  const here = configHere(CONFIG, true)
  return existsSync(here) ? configured(here) : undefined
}

function profiled(name: string): Target {
  const target = readProfiles().profiles.get(name)
  if (!target) throw new CommandFailed(`✗ there is no profile ${name}: svcctl profile list`)
  return target
}

async function configured(file: string): Promise<Target> {
  // Only now: most people who sign in have no configuration, and it costs a quarter of a second to load.
  const { loadForSignIn } = await import('../../operator/load-files.ts')
  const { identity } = loadForSignIn(file).settings
  if (!identity) throw new CommandFailed(`✗ ${file} names no identity provider to sign in with: set identity.issuer`)
  const { audience, issuer, clientId, labelClaim } = identity
  return { gateway: audience, issuer, clientId, ...(labelClaim !== undefined && { labelClaim }) }
}

function gatewayUrl(written: string): string {
  const url = baseUrl.read(written)
  if (url === undefined) throw usage(`--audience: ${baseUrl.hint}`)
  return url
}

const usage = (message: string): CommandFailed => new CommandFailed(`✗ ${message}`, exitCodes.usage)

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
