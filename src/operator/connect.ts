import { readFileSync } from 'node:fs'
import { StoreLocked } from '../adapters/embedded/store-directory.ts'
import { renderText } from '../config/format/problem-text.ts'
import type { AdminSettings } from '../config/read/admin-settings.ts'
import type { Address } from '../config/settings.ts'
import { CommandFailed, exitCodes, storeFailure } from '../server/failure.ts'
import { lookOf } from '../server/log/terminal-text.ts'
import { tokenFile } from '../server/owner-file.ts'
import { world } from '../server/world.ts'
import type { AdminEndpoint, OperatorApi, OperatorName } from './operator-api.ts'
import { isRunning, remoteOperatorApi } from './remote.ts'
import { freshSession, readSessions } from './session.ts'

/**
 * The operator's API of the gateway at SVCCTL_ADMIN, else of the gateway that this configuration describes;
 * where none runs, of its store.
 */
export async function connectOperator(configFile: string, as: OperatorName = {}): Promise<OperatorApi> {
  const named = gatewayNamed()
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
      `✗ ${error.message}, but no gateway answers at ${urlOf(settings.admin)}`,
      exitCodes.unreachable,
    )
  })
}

/** The gateway at SVCCTL_ADMIN, else the one that this configuration describes. Fails where none runs. */
export async function findAdminEndpoint(configFile: string, as: OperatorName = {}): Promise<AdminEndpoint> {
  const named = gatewayNamed()
  if (named) return { ...named, ...as }
  const settings = await adminSettings(configFile)
  const running = await gatewayOf(settings)
  if (running) return { ...running, ...as }
  throw new CommandFailed(`✗ no gateway answers at ${urlOf(settings.admin)}`, exitCodes.unreachable)
}

/** Reads nothing else of the files, since an operator's shell need not have the variables of the gateway. */
async function adminSettings(file: string): Promise<AdminSettings> {
  // Imported late: an operator who names the gateway does not load the reader of its files.
  const { readAdminSettings } = await import('../config/read/admin-settings.ts')
  const read = readAdminSettings(file, process.env, process.cwd())
  if (read.ok) return read.settings
  throw new CommandFailed(renderText(read.problems, read.sources, lookOf(process.stderr)).trimEnd())
}

function gatewayNamed(): AdminEndpoint | undefined {
  const { SVCCTL_ADMIN, SVCCTL_TOKEN } = process.env
  // A sign-in is not used here: no file says that the gateway which its token is for listens at this address.
  return SVCCTL_ADMIN ? { admin: adminUrl(SVCCTL_ADMIN), token: SVCCTL_TOKEN ?? '' } : undefined
}

async function gatewayOf({ admin: address, stateDir, audience }: AdminSettings): Promise<AdminEndpoint | undefined> {
  const admin = urlOf(address)
  if (!(await isRunning(admin))) return undefined
  return { admin, token: process.env.SVCCTL_TOKEN ?? savedToken(stateDir) ?? (await signedIn(audience)) }
}

/** SVCCTL_ADMIN as people write it: with a scheme, or as `server.admin` has it. */
function adminUrl(written: string): string {
  const url = written.includes('://') ? written : `http://${written}`
  const wrong = (why: string) => new CommandFailed(`✗ SVCCTL_ADMIN is ${written}, ${why}`, exitCodes.usage)
  if (!URL.canParse(url)) throw wrong('which is no address')
  const { protocol, origin } = new URL(url)
  if (!/^https?:$/.test(protocol)) throw wrong('and a gateway listens at http:// or https:// alone')
  return origin
}

function savedToken(stateDir: string): string | undefined {
  try {
    return readFileSync(tokenFile(stateDir), 'utf8').trim()
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

/** The URL of an address that listens there. */
export const urlOf = ({ host, port }: Address): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
