import { readFileSync } from 'node:fs'
import { StoreLocked } from '../../adapters/embedded/lock.ts'
import type { Address, Loaded, Settings } from '../../config/settings.ts'
import { readSessions } from '../session.ts'
import { freshSession } from '../session-fresh.ts'
import { storeFailure } from '../store-failure.ts'
import { CommandFailed, exitCodes } from '../talk.ts'
import { tokenFile } from '../token.ts'
import { world } from '../world.ts'
import type { Control } from './control.ts'
import { isRunning, remoteControl } from './remote.ts'

/**
 * Control over the gateway at SVCCTL_ADMIN, else over the one this configuration describes;
 * where none runs, over its store.
 */
export async function openControl(configFile: string): Promise<Control> {
  const named = gatewayNamed()
  if (named) return remoteControl(named.admin, named.token)

  const loaded = await configuration(configFile)
  const running = await gatewayOf(loaded.settings)
  if (running) return remoteControl(running.admin, running.token)
  // Only now: where a gateway runs nothing of a store is needed.
  const { localControl } = await import('./local.ts')
  return localControl(loaded).catch(error => {
    if (!(error instanceof StoreLocked)) throw storeFailure(error, loaded.settings.store) ?? error
    const admin = urlOf(loaded.settings.server.admin)
    throw new CommandFailed(`✗ ${error.message}, but no gateway answers at ${admin}`, exitCodes.unreachable)
  })
}

/** A running gateway, and what lets this user in. */
export interface Door {
  readonly admin: string
  readonly token: string
}

/** The gateway at SVCCTL_ADMIN, else the one that this configuration describes. Fails where none runs. */
export const openDoor = (configFile: string): Promise<Door> =>
  openDoorOf(async () => (await configuration(configFile)).settings)

/** The same, for settings that are read only where nobody names the gateway. */
export async function openDoorOf(read: () => Settings | Promise<Settings>): Promise<Door> {
  const named = gatewayNamed()
  if (named) return named
  const settings = await read()
  const running = await gatewayOf(settings)
  if (running) return running
  throw new CommandFailed(`✗ no gateway answers at ${urlOf(settings.server.admin)}`, exitCodes.unreachable)
}

async function configuration(file: string): Promise<Loaded> {
  // Only now: whoever names the gateway need not load what reads its files.
  const { loadOrFail } = await import('../load.ts')
  return loadOrFail(file)
}

function gatewayNamed(): Door | undefined {
  const { SVCCTL_ADMIN, SVCCTL_TOKEN } = process.env
  // Never with a sign-in: nothing says that the gateway which its token is for listens there.
  return SVCCTL_ADMIN ? { admin: adminUrl(SVCCTL_ADMIN), token: SVCCTL_TOKEN ?? '' } : undefined
}

async function gatewayOf(settings: Settings): Promise<Door | undefined> {
  const { server } = settings
  const admin = urlOf(server.admin)
  if (!(await isRunning(admin))) return undefined
  return { admin, token: process.env.SVCCTL_TOKEN ?? savedToken(server.stateDir) ?? (await signedIn(settings)) }
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
async function signedIn({ server, identity }: Settings): Promise<string> {
  const gateway = server.publicUrl
  if (identity?.audience !== gateway || !readSessions().has(gateway)) return ''
  return (await freshSession(gateway, world.clock.now())).accessToken
}

/** The URL of an address that listens there. */
export const urlOf = ({ host, port }: Address): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
