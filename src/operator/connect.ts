import { existsSync } from 'node:fs'
import { StoreLocked } from '../adapters/embedded/store-directory.ts'
import { renderText } from '../config/format/problem-text.ts'
import type { Address } from '../config/model/formats.ts'
import type { AdminSettings } from '../config/read/admin-settings.ts'
import { parseUrl } from '../kit/parse-url.ts'
import { MOST_LINE_BYTES, readBounded } from '../server/bounded-file.ts'
import { CommandFailed, exitCodes, storeFailure } from '../server/failure.ts'
import { lookOf } from '../server/log/terminal-text.ts'
import { tokenFile } from '../server/owner-file.ts'
import { world } from '../server/world.ts'
import type { AdminEndpoint, OperatorApi, OperatorName } from './api.ts'
import { clientTls } from './client-tls.ts'
import { profileNamed, readProfiles, tokenIn } from './profiles.ts'
import { isRunning, remoteOperatorApi } from './remote.ts'
import { freshSession, readSessions } from './session.ts'

/**
 * The operator's API of the gateway at SVCCTL_ADMIN, or of the profile that is named, else of the gateway that this
 * configuration describes; where none runs, of its store.
 */
export async function connectOperator(configFile: string, as: OperatorName = {}): Promise<OperatorApi> {
  const named = await gatewayNamed(configFile)
  if (named) return remoteOperatorApi({ ...named, ...as })

  const settings = await adminSettings(configFile)
  const running = await gatewayOf(settings)
  if (running) return remoteOperatorApi({ ...running, ...as })
  // Imported late: where a gateway runs, no store is opened.
  const [{ localOperatorApi }, { loadForStore }] = await Promise.all([import('./local.ts'), import('./load-files.ts')])
  const loaded = loadForStore(configFile)
  return localOperatorApi(loaded, as).catch(error => {
    if (!(error instanceof StoreLocked)) throw storeFailure(error, loaded.settings.store) ?? error
    throw new CommandFailed(
      `✗ ${error.message}, but no gateway answers at ${adminUrlOf(settings)}`,
      exitCodes.unreachable,
    )
  })
}

/** The gateway at SVCCTL_ADMIN, or of the profile that is named, else the one that this configuration describes. Fails where none runs. */
export async function findAdminEndpoint(configFile: string, as: OperatorName = {}): Promise<AdminEndpoint> {
  const named = await gatewayNamed(configFile)
  if (named) return { ...named, ...as }
  const settings = await adminSettings(configFile)
  const running = await gatewayOf(settings)
  if (running) return { ...running, ...as }
  throw new CommandFailed(`✗ no gateway answers at ${adminUrlOf(settings)}`, exitCodes.unreachable)
}

/** Fails where the gateway of this configuration runs: what works on its store must have it alone. */
export async function refuseRunning(configFile: string): Promise<void> {
  const settings = await adminSettings(configFile)
  const admin = adminUrlOf(settings)
  if (await isRunning(admin, isSecure(admin) ? clientTls(settings.certificate) : undefined))
    throw new CommandFailed(`✗ a gateway runs at ${admin}: stop all gateways of this store first`)
}

/** Reads nothing else of the files, since an operator's shell need not have the variables of the gateway. */
async function adminSettings(file: string): Promise<AdminSettings> {
  // Imported late: an operator who names the gateway does not load the reader of its files.
  const { readAdminSettings } = await import('../config/read/admin-settings.ts')
  const read = readAdminSettings(file, process.env, process.cwd())
  if (read.ok) return read.settings
  throw new CommandFailed(renderText(read.problems, read.sources, lookOf(process.stderr)).trimEnd())
}

async function gatewayNamed(configFile: string): Promise<AdminEndpoint | undefined> {
  const { SVCCTL_ADMIN, SVCCTL_PROFILE, SVCCTL_TOKEN } = process.env
  // A sign-in is not used here: no file says that the gateway which its token is for listens at this address.
  if (SVCCTL_ADMIN) return reached({ admin: adminUrl(SVCCTL_ADMIN), token: SVCCTL_TOKEN ?? '' })
  if (SVCCTL_PROFILE) return profiled(SVCCTL_PROFILE)
  // The profile in use is not named for this command: files that lie here are nearer.
  if (existsSync(configFile)) return undefined
  const { current, profiles } = readProfiles()
  return current !== undefined && profiles.get(current)?.operator ? profiled(current) : undefined
}

async function profiled(name: string): Promise<AdminEndpoint> {
  const { operator, signIn } = profileNamed(name)
  if (!operator) {
    const add = `svcctl profile add ${name} --admin URL --token-file FILE`
    throw new CommandFailed(`✗ profile ${name} has no admin listener: ${add}`)
  }
  const { admin, tokenFile } = operator
  const token = tokenFile === undefined ? process.env.SVCCTL_TOKEN : tokenIn(tokenFile)
  return reached({ admin, token: token ?? (await signedIn(signIn?.gateway)) })
}

/** With how TLS is spoken there, where it is. */
const reached = (named: AdminEndpoint): AdminEndpoint =>
  isSecure(named.admin) ? { ...named, tls: clientTls() } : named

async function gatewayOf(settings: AdminSettings): Promise<AdminEndpoint | undefined> {
  const { stateDir, audience, certificate } = settings
  const admin = adminUrlOf(settings)
  const tls = isSecure(admin) ? clientTls(certificate) : undefined
  if (!(await isRunning(admin, tls))) return undefined
  return {
    admin,
    ...(tls && { tls }),
    token: process.env.SVCCTL_TOKEN ?? savedToken(stateDir) ?? (await signedIn(audience)),
  }
}

/** The address of an admin listener as people write it in SVCCTL_ADMIN or `--admin`: with a scheme, or as `server.admin` has it. */
export function adminUrl(written: string, from = 'SVCCTL_ADMIN'): string {
  const url = parseUrl(written.includes('://') ? written : `http://${written}`)
  const wrong = (why: string) => new CommandFailed(`✗ ${from} is ${written}, ${why}`, exitCodes.usage)
  if (!url) throw wrong('which is not an address')
  const { protocol, origin } = url
  if (!/^https?:$/.test(protocol)) throw wrong('but a gateway listens only at http:// or https://')
  return origin
}

function savedToken(stateDir: string): string | undefined {
  try {
    return readBounded(tokenFile(stateDir), MOST_LINE_BYTES).trim()
  } catch {
    // The file is missing, or not readable by this user, who may still sign in.
    return undefined
  }
}

/** The token of a sign-in to this gateway, whose account `identity.admins` may list. */
async function signedIn(audience: string | undefined): Promise<string> {
  if (audience === undefined || !readSessions().has(audience)) return ''
  return (await freshSession(audience, world.clock.now())).accessToken
}

const isSecure = (url: string): boolean => url.startsWith('https:')

/** The URL of an admin listener. */
const adminUrlOf = ({ admin, hasTls }: AdminSettings): string => urlOf(admin, hasTls)

/** The URL of an address that listens there, with TLS or without. */
export const urlOf = ({ host, port }: Address, hasTls = false): string =>
  `http${hasTls ? 's' : ''}://${host.includes(':') ? `[${host}]` : host}:${port}`
