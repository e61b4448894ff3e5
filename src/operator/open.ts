import { readFileSync } from 'node:fs'
import { StoreLocked } from '../adapters/embedded/lock.ts'
import { renderText } from '../config/format/code-frame.ts'
import type { AdminSettings } from '../config/read/admin-settings.ts'
import type { Address } from '../config/settings.ts'
import { tokenFile } from '../server/admin-token.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import { usesColour } from '../server/paint.ts'
import { storeFailure } from '../server/store-failure.ts'
import { world } from '../server/world.ts'
import type { Control } from './control.ts'
import { isRunning, remoteControl } from './remote.ts'
import { readSessions } from './session.ts'
import { freshSession } from './session-fresh.ts'

/**
 * Control over the gateway at SVCCTL_ADMIN, else over the one this configuration describes;
 * where none runs, over its store.
 */
export async function openControl(configFile: string): Promise<Control> {
  const named = gatewayNamed()
  if (named) return remoteControl(named.admin, named.token)

  const settings = await adminSettings(configFile)
  const running = await gatewayOf(settings)
  if (running) return remoteControl(running.admin, running.token)
  // Only now: where a gateway runs nothing of a store is needed.
  const [{ localControl }, { loadForStore }] = await Promise.all([
    import('./local.ts'),
    import('./load-without-secrets.ts'),
  ])
  const loaded = loadForStore(configFile)
  return localControl(loaded).catch(error => {
    if (!(error instanceof StoreLocked)) throw storeFailure(error, loaded.settings.store) ?? error
    throw new CommandFailed(
      `✗ ${error.message}, but no gateway answers at ${urlOf(settings.admin)}`,
      exitCodes.unreachable,
    )
  })
}

/** A running gateway, and what lets this user in. */
export interface Door {
  readonly admin: string
  readonly token: string
}

/** The gateway at SVCCTL_ADMIN, else the one that this configuration describes. Fails where none runs. */
export async function openDoor(configFile: string): Promise<Door> {
  const named = gatewayNamed()
  if (named) return named
  const settings = await adminSettings(configFile)
  const running = await gatewayOf(settings)
  if (running) return running
  throw new CommandFailed(`✗ no gateway answers at ${urlOf(settings.admin)}`, exitCodes.unreachable)
}

/** Nothing else of the files: an operator's shell need not have the variables of the gateway. */
async function adminSettings(file: string): Promise<AdminSettings> {
  // Only now: whoever names the gateway need not load what reads its files.
  const { readAdminSettings } = await import('../config/read/admin-settings.ts')
  const read = readAdminSettings(file, process.env, process.cwd())
  if (read.ok) return read.settings
  throw new CommandFailed(renderText(read.problems, read.sources, usesColour(process.stderr)).trimEnd())
}

function gatewayNamed(): Door | undefined {
  const { SVCCTL_ADMIN, SVCCTL_TOKEN } = process.env
  // Never with a sign-in: nothing says that the gateway which its token is for listens there.
  return SVCCTL_ADMIN ? { admin: adminUrl(SVCCTL_ADMIN), token: SVCCTL_TOKEN ?? '' } : undefined
}

async function gatewayOf({ admin: address, stateDir, audience }: AdminSettings): Promise<Door | undefined> {
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
    // Not there, or not for this user, who may have another way in.
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
