import { existsSync } from 'node:fs'
import { baseUrl } from '../../config/model/formats.ts'
import { profileNamed, readProfiles } from '../../operator/profiles.ts'
import { notSignedIn, readSessions } from '../../operator/session.ts'
import { CommandFailed, exitCodes } from '../../server/failure.ts'
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
  const { signIn } = profileNamed(name)
  if (!signIn)
    throw new CommandFailed(`✗ profile ${name} has no sign-in: svcctl profile add ${name} --audience URL --issuer URL`)
  return signIn
}

async function configured(file: string): Promise<Target> {
  // Only now: most people who sign in have no configuration, and it costs a quarter of a second to load.
  const { loadForSignIn } = await import('../../operator/load-files.ts')
  const { identity } = loadForSignIn(file).settings
  if (identity?.issuer === undefined)
    throw new CommandFailed(`✗ ${file} has no identity provider to sign in with: set identity.issuer`)
  const { audience, issuer, clientId, labelClaim } = identity
  return { gateway: audience, issuer, clientId, ...(labelClaim !== undefined && { labelClaim }) }
}

function gatewayUrl(written: string): string {
  const url = baseUrl.read(written)
  if (url === undefined) throw usage(`--audience: ${baseUrl.hint}`)
  return url
}

const usage = (message: string): CommandFailed => new CommandFailed(`✗ ${message}`, exitCodes.usage)
